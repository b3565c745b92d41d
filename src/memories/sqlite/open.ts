// Opens engram.db: refuses what is not ours or beyond addition, adds what is missing, hands out the store.
// Inspection and additions share one IMMEDIATE transaction, so that a refusal leaves the file byte for byte as it was
// and processes that start together on a new file wait for one another.
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import storeSql from "../../../sql/memories/0001-store.sql" with { type: "text" };
import { EngramError, messageOf } from "../../kernel/errors.ts";
import { sha256 } from "../../kernel/text.ts";
import { planAdditions } from "../../storage/additive-schema.ts";
import { fileProblem, openSqlite, readIgnoringLog, type Sqlite, sleepSync, withRetry } from "../../storage/sqlite.ts";
import type { MemoryStore } from "../store.ts";
import { SqliteDiagnosis } from "./diagnosis.ts";
import { Journal } from "./journal.ts";
import { SqliteObservations } from "./observations.ts";
import { SqliteProjects } from "./projects.ts";
import { SqlitePrompts } from "./prompts.ts";
import { SqliteRelations } from "./relations.ts";
import { text } from "./rows.ts";
import { SqliteSearch } from "./search.ts";
import { SqliteSessions } from "./sessions.ts";
import { hasTriggers, rebuildStatement, textIndexShape, triggerStatements } from "./text-index.ts";
import { SqliteTransfer } from "./transfer.ts";

/** The files of sql/memories in order: together the wanted schema. */
const WANTED = [storeSql];
const MIGRATION = WANTED.length;
const CORE_TABLES = ["sessions", "observations"];
/** Up to 1.10 the key of sync_chunks lacks the target; only a rebuild could add it, and nothing needs it. */
const KEPT_SHAPES = ["sync_chunks"];
const SQLITE_MAGIC = "SQLite format 3\u0000";

const SCHEMA_TEXT =
  "SELECT ifnull(group_concat(sql, ';'), '') AS text FROM (SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name)";
const TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";

/** Repeatable; each touches only rows that still need it. */
const BACK_FILLS = [
  "UPDATE observations SET scope = 'project' WHERE scope = ''",
  "UPDATE observations SET topic_key = NULL WHERE topic_key = ''",
  "UPDATE observations SET revision_count = 1 WHERE revision_count < 1",
  "UPDATE observations SET duplicate_count = 1 WHERE duplicate_count < 1",
  "UPDATE observations SET updated_at = created_at WHERE updated_at = ''",
  "UPDATE observations SET sync_id = 'obs-' || lower(hex(randomblob(16))) WHERE ifnull(sync_id, '') = ''",
  "UPDATE user_prompts SET sync_id = 'prompt-' || lower(hex(randomblob(16))) WHERE ifnull(sync_id, '') = ''",
  "UPDATE user_prompts SET project = '' WHERE project IS NULL",
  `UPDATE sessions SET ownership_mode = CASE WHEN id = 'manual-save-' || project THEN 'project_owned' ELSE 'shared' END
    WHERE ownership_mode IS NULL AND ifnull(project, '') <> ''`,
  "INSERT OR IGNORE INTO sync_state (target_key, lifecycle, updated_at) VALUES ('cloud', 'idle', datetime('now'))",
];

interface SchemaNote {
  migration: number;
  schema: string;
}

const notePath = (file: string): string => join(dirname(file), "engram-schema.json");

/** What we last brought this file to; lives beside it, because the file itself belongs to two programs. */
function readNote(file: string): SchemaNote | undefined {
  try {
    const note = JSON.parse(readFileSync(notePath(file), "utf8")) as SchemaNote;
    return typeof note.migration === "number" && typeof note.schema === "string" ? note : undefined;
  } catch {
    return undefined;
  }
}

function writeNote(file: string, note: SchemaNote): void {
  const draft = `${notePath(file)}.${process.pid}.tmp`;
  writeFileSync(draft, `${JSON.stringify(note)}\n`, { mode: 0o600 });
  renameSync(draft, notePath(file));
}

const refuse = (why: string, cause?: unknown): EngramError => new EngramError("unavailable", why, {}, { cause });

/** What can be seen without SQLite; makes an empty private file where there is none. */
function inspectFile(path: string): void {
  try {
    closeSync(openSync(path, "ax", 0o600));
    return;
  } catch (error) {
    if ((error as { code?: string }).code !== "EEXIST") throw refuse(`${path} cannot be made: ${messageOf(error)}`, error);
  }
  const stat = statSync(path);
  if (!stat.isFile()) throw refuse(`${path} is not a file`);
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw refuse(
      `${path} is read-only for you; give yourself write permission or choose another folder with ENGRAM_DATA_DIR`,
      error,
    );
  }
  if (stat.size === 0) return;
  if (readHead(path).toString("latin1", 0, SQLITE_MAGIC.length) !== SQLITE_MAGIC) {
    throw refuse(`${path} is not an SQLite database; move it away or choose another folder with ENGRAM_DATA_DIR`);
  }
  for (let looks = 8; isCutOff(path); looks--) {
    if (looks === 0) throw refuse(`${path} is damaged: it ends before its last page; restore a backup`);
    sleepSync(25);
  }
}

function readHead(path: string): Buffer {
  const head = Buffer.alloc(100);
  const handle = openSync(path, "r");
  try {
    readSync(handle, head, 0, head.length, 0);
  } finally {
    closeSync(handle);
  }
  return head;
}

/**
 * Shorter than its header says. A log beside it may still hold the missing pages, and a process that is just writing the first
 * ones is seen between two states: the one is not damage, the other passes.
 */
function isCutOff(path: string): boolean {
  const head = readHead(path);
  // The count is trusted only while its two change counters agree (SQLite's own rule).
  if (head.readUInt32BE(24) !== head.readUInt32BE(92)) return false;
  const pageSize = head.readUInt16BE(16) === 1 ? 65_536 : head.readUInt16BE(16);
  const cut = statSync(path).size < head.readUInt32BE(28) * pageSize;
  return cut && !existsSync(`${path}-wal`) && !existsSync(`${path}-journal`);
}

const foreign = (path: string): EngramError =>
  refuse(`${path} belongs to another program (it has no table of ours); choose another folder with ENGRAM_DATA_DIR`);

const isForeign = (tables: string[]): boolean => tables.length > 0 && !CORE_TABLES.every((name) => tables.includes(name));

/**
 * Opening and closing a database moves what waits in its log into it. Another program's file is to keep even that, so where a
 * log waits the file is first read as if nothing could change it. What cannot be read so is left to the ordinary way.
 */
function refuseForeignLog(path: string): void {
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  let tables: string[];
  try {
    const rows = readIgnoringLog(path, TABLES);
    tables = rows.map((row) => text(row.name));
  } catch {
    return;
  }
  if (isForeign(tables)) throw foreign(path);
}

const schemaHash = (db: Sqlite): string => sha256(text(db.get(SCHEMA_TEXT)?.text));

function bringUpToDate(db: Sqlite): void {
  const tables = db.all(TABLES).map((row) => text(row.name));
  if (isForeign(tables)) throw foreign(db.path);
  const plan = planAdditions(db, WANTED.join("\n"), KEPT_SHAPES);
  if (plan.obstacles.length > 0) {
    throw refuse(
      `${db.path} cannot be used as it is (${plan.obstacles.join("; ")}) and only additions are made to it; open it once with the Go program, which rebuilds it`,
    );
  }
  const version = Number(db.get("PRAGMA user_version")?.user_version ?? 0);
  if (version > 1) {
    // A missing index makes reads slower, not wrong.
    if (plan.statements.some((statement) => !/^CREATE (UNIQUE )?INDEX/i.test(statement)))
      throw refuse(`${db.path} was written by a newer program (version ${version}) and lacks what this one needs; update Engram`);
    return;
  }
  if (tables.length > 0 && plan.statements.length > 0) {
    const verdict = text(db.get("PRAGMA quick_check(1)")?.quick_check);
    if (verdict !== "ok") throw refuse(`${db.path} is damaged (${verdict}); restore a backup`);
  }
  for (const statement of plan.statements) db.exec(statement);
  for (const [prefix, table, index] of [
    ["obs", "observations", "observations_fts"],
    ["prompt", "user_prompts", "prompts_fts"],
  ] as const) {
    if (!hasTriggers(db, table, index)) {
      for (const statement of triggerStatements(prefix, table, index, textIndexShape(db, index).columns)) db.exec(statement);
    }
    if (plan.newTables.includes(index) && tables.includes(table)) db.exec(rebuildStatement(index));
  }
  for (const statement of BACK_FILLS) db.exec(statement);
}

function prepare(db: Sqlite): void {
  const note = readNote(db.path);
  if (note && note.migration > MIGRATION) {
    throw refuse(
      `${db.path} was last written by a newer Engram (migration ${note.migration}, this one knows ${MIGRATION}); update Engram`,
    );
  }
  if (note?.migration !== MIGRATION || note.schema !== withRetry(() => schemaHash(db))) {
    const schema = db.transaction(() => {
      bringUpToDate(db);
      return schemaHash(db);
    });
    writeNote(db.path, { migration: MIGRATION, schema });
  }
  db.useWal();
}

/** Errors of the file itself, whenever they come, reach people as one sentence. */
export function openMemoryStore(path: string): MemoryStore {
  inspectFile(path);
  refuseForeignLog(path);
  const db = openSqlite(path);
  try {
    prepare(db);
  } catch (error) {
    db.close();
    if (error instanceof EngramError) throw error;
    throw refuse(fileProblem(error, path) ?? `${path} cannot be opened: ${messageOf(error)}`, error);
  }
  const journal = new Journal(db);
  const prompts: SqlitePrompts = new SqlitePrompts(db, journal, (id) => sessions.get(id));
  const sessions = new SqliteSessions(db, journal, prompts);
  const observations = new SqliteObservations(db, journal, sessions);
  return {
    observations,
    sessions,
    prompts,
    search: new SqliteSearch(db, textIndexShape(db, "observations_fts"), textIndexShape(db, "prompts_fts")),
    projects: new SqliteProjects(db, journal, observations, sessions, prompts),
    relations: new SqliteRelations(db, journal),
    transfer: new SqliteTransfer(db, journal, observations),
    diagnosis: new SqliteDiagnosis(db, journal, sessions),
    close: () => db.close(),
  };
}
