// Export as one snapshot, import as one transaction. A row that cannot be taken is named and left out; the others go in.
import { openSqlite, type Row, type Sqlite } from "../../storage/sqlite.ts";
import type { Relation } from "../model.ts";
import type { ExportRow, ImportPlan } from "../rules/transfer.ts";
import type { ImportOutcome, ProjectFilter, TransferStore } from "../store.ts";
import { Conditions } from "./filters.ts";
import type { Journal } from "./journal.ts";
import type { SqliteObservations } from "./observations.ts";
import {
  OBSERVATION_COLUMNS,
  observationOf,
  PROMPT_COLUMNS,
  promptOf,
  RELATION_COLUMNS,
  relationOf,
  SESSION_COLUMNS,
  sessionOf,
  text,
  textOrNull,
} from "./rows.ts";

const SESSION_EXISTS = "SELECT 1 FROM sessions WHERE id = ?";
const INSERT_SESSION = `INSERT OR IGNORE INTO sessions (id, project, directory, started_at, ended_at, summary, ownership_mode)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const OBSERVATION_BY_SYNC = `SELECT ${OBSERVATION_COLUMNS} FROM observations o WHERE o.sync_id = ?`;
const SAME_OBSERVATION =
  "SELECT id FROM observations WHERE session_id = ? AND type = ? AND title = ? AND content = ? AND created_at = ?";
const OBSERVATION_TOMBSTONE =
  "SELECT 1 FROM sync_delete_tombstones WHERE entity = 'observation' AND entity_key = ? AND active = 1";
const INSERT_OBSERVATION = `INSERT INTO observations
  (sync_id, session_id, type, title, content, tool_name, project, scope, topic_key, normalized_hash, revision_count, duplicate_count,
   last_seen_at, pinned, review_after, created_at, updated_at, deleted_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const UPDATE_OBSERVATION = `UPDATE observations SET session_id = ?, type = ?, title = ?, content = ?, tool_name = ?, project = ?, scope = ?,
  topic_key = ?, normalized_hash = ?, revision_count = ?, duplicate_count = ?, last_seen_at = ?, pinned = ?, review_after = ?, created_at = ?,
  updated_at = ?, deleted_at = ? WHERE id = ?`;
const PROMPT_BY_SYNC = "SELECT 1 FROM user_prompts WHERE sync_id = ? UNION ALL SELECT 1 FROM prompt_tombstones WHERE sync_id = ?";
const SAME_PROMPT = "SELECT 1 FROM user_prompts WHERE session_id = ? AND content = ? AND created_at = ?";
const INSERT_PROMPT =
  "INSERT INTO user_prompts (sync_id, session_id, content, project, created_at, source_inbox_id) VALUES (?, ?, ?, ?, ?, ?)";
const PROMPT_BY_INBOX = "SELECT 1 FROM user_prompts WHERE session_id = ? AND source_inbox_id = ?";
const DELETE_PROMPT = "DELETE FROM user_prompts WHERE sync_id = ?";
const INSERT_TOMBSTONE = "INSERT OR IGNORE INTO prompt_tombstones (sync_id, session_id, project, deleted_at) VALUES (?, ?, ?, ?)";
const RELATION_BY_SYNC = "SELECT updated_at FROM memory_relations WHERE sync_id = ?";
const OBSERVATION_EXISTS = "SELECT project FROM observations WHERE sync_id = ?";
const UPSERT_RELATION = `INSERT INTO memory_relations (${RELATION_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT(sync_id) DO UPDATE SET source_id = excluded.source_id, target_id = excluded.target_id, relation = excluded.relation,
  reason = excluded.reason, evidence = excluded.evidence, confidence = excluded.confidence, judgment_status = excluded.judgment_status,
  marked_by_actor = excluded.marked_by_actor, marked_by_kind = excluded.marked_by_kind, marked_by_model = excluded.marked_by_model,
  session_id = excluded.session_id, updated_at = excluded.updated_at`;

const PROGRESS_EVERY = 500;

export class SqliteTransfer implements TransferStore {
  private readonly db: Sqlite;
  private readonly journal: Journal;
  private readonly observations: SqliteObservations;

  constructor(db: Sqlite, journal: Journal, observations: SqliteObservations) {
    this.db = db;
    this.journal = journal;
    this.observations = observations;
  }

  import(plan: ImportPlan, progress?: (done: number) => void): ImportOutcome {
    return this.db.transaction(() => {
      const outcome: ImportOutcome = {
        sessions_imported: 0,
        observations_imported: 0,
        observations_updated: 0,
        observations_skipped_stale: 0,
        prompts_imported: 0,
        relations_imported: 0,
        rejected: [...plan.rejected],
      };
      let done = 0;
      const step = () => {
        if (++done % PROGRESS_EVERY === 0) progress?.(done);
      };
      for (const session of plan.sessions) {
        outcome.sessions_imported += this.importSession(session);
        step();
      }
      for (const observation of plan.observations) {
        this.importObservation(observation, outcome);
        step();
      }
      for (const tombstone of plan.tombstones) {
        this.db.run(DELETE_PROMPT, tombstone.sync_id);
        this.db.run(INSERT_TOMBSTONE, tombstone.sync_id, tombstone.session_id, tombstone.project, tombstone.deleted_at);
      }
      for (const prompt of plan.prompts) {
        this.importPrompt(prompt, outcome);
        step();
      }
      for (const relation of plan.relations) {
        this.importRelation(relation, outcome);
        step();
      }
      progress?.(done);
      return outcome;
    });
  }

  private importSession(s: ImportPlan["sessions"][number]): number {
    const { changes } = this.db.run(
      INSERT_SESSION,
      s.id,
      s.project,
      s.directory,
      s.started_at,
      s.ended_at,
      s.summary,
      s.ownership_mode,
    );
    if (changes > 0) this.journal.session(s, s.started_at);
    return changes;
  }

  private importObservation(o: ImportPlan["observations"][number], outcome: ImportOutcome): void {
    if (!this.db.get(SESSION_EXISTS, o.session_id)) {
      outcome.rejected.push({
        kind: "observation",
        id: o.label,
        reason: `session ${JSON.stringify(o.session_id)} is not in the store nor in the file`,
      });
      return;
    }
    const values = [
      o.session_id,
      o.type,
      o.title,
      o.content,
      o.tool_name,
      o.project,
      o.scope,
      o.topic_key,
      o.hash,
      o.revision_count,
      o.duplicate_count,
      o.last_seen_at,
      o.pinned ? 1 : 0,
      o.review_after,
      o.created_at,
      o.updated_at,
      o.deleted_at,
    ] as const;
    const known = o.sync_id
      ? this.db.get(OBSERVATION_BY_SYNC, o.sync_id)
      : this.db.get(SAME_OBSERVATION, o.session_id, o.type, o.title, o.content, o.created_at);
    if (!known) {
      if (o.sync_id && this.db.get(OBSERVATION_TOMBSTONE, o.sync_id)) {
        outcome.observations_skipped_stale++;
        return;
      }
      const sync_id = o.sync_id ?? o.fresh_sync_id;
      const { id } = this.db.run(INSERT_OBSERVATION, sync_id, ...values);
      this.journal.observation({ ...o, id, sync_id }, o.updated_at);
      outcome.observations_imported++;
      return;
    }
    if (o.sync_id === null || o.updated_at <= text(known.updated_at)) {
      outcome.observations_skipped_stale++;
      return;
    }
    this.observations.keepVersion(observationOf(known), o.title, o.content, o.updated_at);
    this.db.run(UPDATE_OBSERVATION, ...values, Number(known.id));
    this.journal.observation({ ...o, id: Number(known.id), sync_id: o.sync_id }, o.updated_at);
    outcome.observations_updated++;
  }

  private importPrompt(p: ImportPlan["prompts"][number], outcome: ImportOutcome): void {
    if (!this.db.get(SESSION_EXISTS, p.session_id)) {
      outcome.rejected.push({
        kind: "prompt",
        id: p.label,
        reason: `session ${JSON.stringify(p.session_id)} is not in the store nor in the file`,
      });
      return;
    }
    const known = p.sync_id
      ? this.db.get(PROMPT_BY_SYNC, p.sync_id, p.sync_id)
      : this.db.get(SAME_PROMPT, p.session_id, p.content, p.created_at);
    if (known || (p.source_inbox_id !== null && this.db.get(PROMPT_BY_INBOX, p.session_id, p.source_inbox_id))) return;
    const sync_id = p.sync_id ?? p.fresh_sync_id;
    const { id } = this.db.run(INSERT_PROMPT, sync_id, p.session_id, p.content, p.project ?? "", p.created_at, p.source_inbox_id);
    this.journal.prompt({ ...p, id, sync_id }, p.created_at);
    outcome.prompts_imported++;
  }

  private importRelation(r: Relation, outcome: ImportOutcome): void {
    const source = r.source_id === null ? undefined : this.db.get(OBSERVATION_EXISTS, r.source_id);
    const target = r.target_id === null ? undefined : this.db.get(OBSERVATION_EXISTS, r.target_id);
    if (r.judgment_status !== "orphaned" && !(source && target)) {
      outcome.rejected.push({ kind: "relation", id: r.sync_id, reason: "one of the two memories is missing" });
      return;
    }
    const known = this.db.get(RELATION_BY_SYNC, r.sync_id);
    if (known && text(known.updated_at) >= r.updated_at) return;
    this.db.run(
      UPSERT_RELATION,
      r.sync_id,
      r.source_id,
      r.target_id,
      r.relation,
      r.reason,
      r.evidence,
      r.confidence,
      r.judgment_status,
      r.marked_by_actor,
      r.marked_by_kind,
      r.marked_by_model,
      r.session_id,
      r.created_at,
      r.updated_at,
    );
    this.journal.relation(r, textOrNull(source?.project), r.updated_at);
    outcome.relations_imported++;
  }

  /** A connection of its own holds the snapshot, so that writes between two rows are not seen and not blocked. */
  *export(project?: ProjectFilter): Generator<ExportRow> {
    const snapshot = openSqlite(this.db.path);
    try {
      snapshot.exec("BEGIN");
      for (const { kind, sql, values, map } of queries(project)) {
        for (const row of snapshot.iterate(sql, ...values)) yield { kind, row: map(row) } as ExportRow;
      }
    } finally {
      snapshot.close();
    }
  }

  size(project?: ProjectFilter): number {
    return queries(project).reduce(
      (sum, { sql, values }) => sum + Number(this.db.get(`SELECT COUNT(*) AS n FROM (${sql})`, ...values)?.n ?? 0),
      0,
    );
  }
}

interface ExportQuery {
  kind: ExportRow["kind"];
  sql: string;
  values: Conditions["values"];
  map: (row: Row) => unknown;
}

function queries(project: ProjectFilter): ExportQuery[] {
  const observations = new Conditions().project("o.project", project);
  const prompts = new Conditions().project("p.project", project);
  const tombstones = new Conditions().project("project", project);
  // A session of another project comes along when a row of this one lives in it, or the row could not be imported.
  const sessions = new Conditions().project("s.project", project);
  const mine = `SELECT session_id FROM observations o WHERE ${observations} UNION SELECT session_id FROM user_prompts p WHERE ${prompts}`;
  const guests = project === undefined ? [] : [...observations.values, ...prompts.values];
  const rows = `SELECT o.sync_id FROM observations o WHERE ${observations}`;
  const related =
    project === undefined
      ? "1"
      : `(source_id IN (${rows}) AND target_id IN (${rows})) OR (judgment_status = 'orphaned' AND (source_id IN (${rows}) OR target_id IN (${rows})))`;
  const relationValues = project === undefined ? [] : [0, 1, 2, 3].flatMap(() => observations.values);
  return [
    {
      kind: "session",
      sql: `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE ${sessions}${project === undefined ? "" : ` OR s.id IN (${mine})`} ORDER BY s.started_at, s.rowid`,
      values: [...sessions.values, ...guests],
      map: sessionOf,
    },
    {
      kind: "observation",
      sql: `SELECT ${OBSERVATION_COLUMNS} FROM observations o WHERE ${observations} ORDER BY o.id`,
      values: observations.values,
      map: observationOf,
    },
    {
      kind: "prompt",
      sql: `SELECT ${PROMPT_COLUMNS} FROM user_prompts p WHERE ${prompts} ORDER BY p.id`,
      values: prompts.values,
      map: promptOf,
    },
    {
      kind: "relation",
      sql: `SELECT ${RELATION_COLUMNS} FROM memory_relations WHERE ${related} ORDER BY id`,
      values: relationValues,
      map: relationOf,
    },
    {
      kind: "tombstone",
      sql: `SELECT sync_id, session_id, project, deleted_at FROM prompt_tombstones WHERE ${tombstones} ORDER BY sync_id`,
      values: tombstones.values,
      map: (row) => ({
        sync_id: text(row.sync_id),
        session_id: textOrNull(row.session_id),
        project: textOrNull(row.project),
        deleted_at: text(row.deleted_at),
      }),
    },
  ];
}
