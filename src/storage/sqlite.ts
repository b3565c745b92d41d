// The one place that opens SQLite: pragmas, retries, transactions, prepared statements.
// Many processes share one file, so every write transaction is IMMEDIATE and every wait is bounded.
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { EngramError, messageOf } from "../kernel/errors.ts";

export type Value = string | number | bigint | null | Uint8Array;
export type Row = Record<string, Value>;

/** Waits after a busy answer, on top of SQLite's own busy timeout. */
const RETRY_MS = [10, 25, 50, 100, 200, 400, 800];
const BUSY_TIMEOUT_MS = 5000;

const sleepCell = new Int32Array(new SharedArrayBuffer(4));
export const sleepSync = (ms: number) => Atomics.wait(sleepCell, 0, 0, ms);

const sqliteCode = (error: unknown): number | undefined => {
  const code = (error as { errcode?: unknown }).errcode;
  return typeof code === "number" ? code & 0xff : undefined;
};
const BUSY = 5;
const LOCKED = 6;
export const isBusy = (error: unknown): boolean => {
  const code = sqliteCode(error);
  return code === BUSY || code === LOCKED || /database (table )?is locked/.test(messageOf(error));
};

/** One sentence for a person instead of the engine's; undefined when the error is not about the file itself. */
export function fileProblem(error: unknown, path: string): string | undefined {
  const text = messageOf(error);
  switch (sqliteCode(error)) {
    case 8:
      return `${path} is read-only; give yourself write permission or choose another folder with ENGRAM_DATA_DIR`;
    case 10:
      return `the disk failed while reading or writing ${path} (${text})`;
    case 11:
      return `${path} is damaged (${text}); restore a backup, or move it away to start with an empty store`;
    case 13:
      return `the disk is full; nothing was written to ${path}`;
    case 14:
      return `${path} cannot be opened (${text})`;
    case 26:
      return `${path} is not an SQLite database; move it away or choose another folder with ENGRAM_DATA_DIR`;
    default:
      return isBusy(error) ? `${path} is in use by another program and did not become free in time; try again` : undefined;
  }
}

export function withRetry<T>(action: () => T): T {
  for (let attempt = 0; ; attempt++) {
    try {
      return action();
    } catch (error) {
      const wait = RETRY_MS[attempt];
      if (wait === undefined || !isBusy(error)) throw error;
      // Jitter, or processes that collided once collide at every step.
      sleepSync(wait * (0.5 + Math.random()));
    }
  }
}

export class Sqlite {
  readonly path: string;
  readonly raw: DatabaseSync;
  private readonly statements = new Map<string, StatementSync>();
  private depth = 0;

  constructor(path: string, options: { readOnly?: boolean } = {}) {
    this.path = path;
    this.raw = new DatabaseSync(path, { readOnly: options.readOnly ?? false });
    // Compile-time defaults differ between runtimes: say everything.
    this.raw.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL;
      PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = ON; PRAGMA wal_autocheckpoint = 4000;`);
  }

  /** Several processes switching a new file at once get BUSY at once, timeout or not. */
  useWal(): void {
    withRetry(() => {
      const mode = this.get("PRAGMA journal_mode")?.journal_mode;
      if (mode !== "wal" && mode !== "memory") this.raw.exec("PRAGMA journal_mode = WAL");
    });
  }

  private statement(sql: string): StatementSync {
    let found = this.statements.get(sql);
    if (!found) {
      found = this.raw.prepare(sql);
      this.statements.set(sql, found);
    }
    return found;
  }

  /**
   * Waits out other writers, and turns trouble with the file into one sentence. Inside a transaction neither happens:
   * a retry could repeat half of it, so the transaction as a whole is what is retried and translated.
   */
  private guarded<T>(action: () => T): T {
    if (this.depth > 0) return action();
    try {
      return withRetry(action);
    } catch (error) {
      const problem = error instanceof EngramError ? undefined : fileProblem(error, this.path);
      throw problem === undefined ? error : new EngramError("unavailable", problem, {}, { cause: error });
    }
  }

  get(sql: string, ...values: Value[]): Row | undefined {
    return this.guarded(() => this.statement(sql).get(...values)) as Row | undefined;
  }

  all(sql: string, ...values: Value[]): Row[] {
    return this.guarded(() => this.statement(sql).all(...values)) as Row[];
  }

  iterate(sql: string, ...values: Value[]): IterableIterator<Row> {
    return this.raw.prepare(sql).iterate(...values) as IterableIterator<Row>;
  }

  run(sql: string, ...values: Value[]): { changes: number; id: number } {
    const result = this.guarded(() => this.statement(sql).run(...values));
    return { changes: Number(result.changes), id: Number(result.lastInsertRowid) };
  }

  exec(sql: string): void {
    this.raw.exec(sql);
  }

  /** All or nothing. Calls inside calls join the outer transaction. */
  transaction<T>(body: () => T): T {
    if (this.depth > 0) return body();
    return this.guarded(() => {
      this.statement("BEGIN IMMEDIATE").run();
      this.depth++;
      try {
        const result = body();
        this.statement("COMMIT").run();
        return result;
      } catch (error) {
        try {
          this.statement("ROLLBACK").run();
        } catch {
          // SQLite rolled back by itself; the first error is the one that tells
        }
        throw error;
      } finally {
        this.depth--;
      }
    });
  }

  close(): void {
    this.statements.clear();
    if (this.raw.isOpen !== false) this.raw.close();
  }
}

/** Opens an existing or new file; what cannot be opened becomes one clear sentence. */
export function openSqlite(path: string, options: { readOnly?: boolean } = {}): Sqlite {
  try {
    return withRetry(() => new Sqlite(path, options));
  } catch (error) {
    throw new EngramError(
      "unavailable",
      fileProblem(error, path) ?? `cannot open ${path}: ${messageOf(error)}`,
      {},
      { cause: error },
    );
  }
}

/** One query over the database file alone, leaving no trace beside it; what waits in the log is not seen. */
export function readIgnoringLog(path: string, sql: string): Row[] {
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  const db = new DatabaseSync(url, { readOnly: true });
  try {
    return db.prepare(sql).all() as Row[];
  } finally {
    db.close();
  }
}
