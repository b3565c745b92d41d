// Looking into a database file from outside, with another SQLite driver than the program's own.
import { Database } from "bun:sqlite";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

export type Row = Record<string, unknown>;

export function withDatabase<T>(path: string, look: (query: (sql: string) => Row[]) => T): T {
  const db = new Database(path, { readwrite: true, create: false });
  try {
    db.exec("PRAGMA busy_timeout = 5000");
    return look((sql) => db.query(sql).all() as Row[]);
  } finally {
    db.close();
  }
}

export const query = (path: string, sql: string): Row[] => withDatabase(path, (ask) => ask(sql));

export const integrity = (path: string): string => String(query(path, "PRAGMA integrity_check")[0]?.integrity_check);

export const count = (path: string, table: string): number => Number(query(path, `SELECT count(*) AS n FROM ${table}`)[0]?.n);

/** Every entry below a folder with the hash of its bytes: equal before and after means untouched. */
export function fingerprint(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) =>
    join(entry.parentPath, entry.name),
  );
  return Object.fromEntries(
    entries.sort().map((path) => {
      const stat = lstatSync(path);
      const what = stat.isFile() ? createHash("sha256").update(readFileSync(path)).digest("hex") : "not a file";
      return [relative(folder, path), `${(stat.mode & 0o7777).toString(8)} ${what}`];
    }),
  );
}
