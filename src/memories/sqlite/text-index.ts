// The full-text indexes of engram.db: what shape a file brings, and the triggers that keep a new one in step.
import { columnNames } from "../../storage/additive-schema.ts";
import type { Sqlite } from "../../storage/sqlite.ts";
import type { IndexKind } from "../rules/search-stages.ts";

export interface TextIndexShape {
  kind: IndexKind;
  columns: string[];
}

const DDL = "SELECT sql FROM sqlite_master WHERE name = ?";
const TRIGGERS = "SELECT COUNT(*) AS n FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ? AND sql LIKE ?";

export function textIndexShape(db: Sqlite, index: string): TextIndexShape {
  const ddl = String(db.get(DDL, index)?.sql ?? "");
  return {
    kind: /tokenize\s*=\s*['"]?\s*trigram/i.test(ddl) ? "trigram" : "words",
    columns: columnNames((sql) => db.all(sql), index),
  };
}

export const hasTriggers = (db: Sqlite, table: string, index: string): boolean =>
  Number(db.get(TRIGGERS, table, `%${index}%`)?.n ?? 0) > 0;

/** The Go program's own trigger names and bodies, for the columns this index has. */
export function triggerStatements(prefix: "obs" | "prompt", table: string, index: string, columns: readonly string[]): string[] {
  const list = columns.join(", ");
  const of = (row: "old" | "new") => columns.map((column) => `${row}.${column}`).join(", ");
  const add = `INSERT INTO ${index}(rowid, ${list}) VALUES (new.id, ${of("new")});`;
  const remove = `INSERT INTO ${index}(${index}, rowid, ${list}) VALUES ('delete', old.id, ${of("old")});`;
  return [
    `CREATE TRIGGER ${prefix}_fts_insert AFTER INSERT ON ${table} BEGIN ${add} END`,
    `CREATE TRIGGER ${prefix}_fts_delete AFTER DELETE ON ${table} BEGIN ${remove} END`,
    `CREATE TRIGGER ${prefix}_fts_update AFTER UPDATE ON ${table} BEGIN ${remove} ${add} END`,
  ];
}

export const rebuildStatement = (index: string): string => `INSERT INTO ${index}(${index}) VALUES ('rebuild')`;
