// Observations: one statement family per verb of the port.
import type { Sqlite, Value } from "../../storage/sqlite.ts";
import type { Observation, ObservationVersion, Session } from "../model.ts";
import type {
  ObservationChange,
  ObservationDraft,
  ObservationFilter,
  ObservationStore,
  SaveDecision,
  SaveOutcome,
  SaveSituation,
  SessionDraft,
} from "../store.ts";
import { Conditions } from "./filters.ts";
import type { Journal } from "./journal.ts";
import { OBSERVATION_COLUMNS, observationOf, text, textOrNull } from "./rows.ts";
import type { SqliteSessions } from "./sessions.ts";

const LIVE_BY_ID = `SELECT ${OBSERVATION_COLUMNS} FROM observations o WHERE o.id = ? AND o.deleted_at IS NULL`;
const SAME_TOPIC = `SELECT ${OBSERVATION_COLUMNS} FROM observations o
  WHERE o.topic_key = ? AND o.project IS ? AND o.scope = ? AND o.deleted_at IS NULL ORDER BY o.updated_at DESC, o.id DESC LIMIT 1`;
const TWIN = `SELECT ${OBSERVATION_COLUMNS} FROM observations o
  WHERE o.normalized_hash = ? AND o.project IS ? AND o.scope = ? AND o.type = ? AND o.title = ? AND o.created_at >= ? AND o.deleted_at IS NULL
  ORDER BY o.created_at DESC, o.id DESC LIMIT 1`;
const KNOWN_HASH = "SELECT 1 FROM observations WHERE normalized_hash = ? AND project IS ? AND deleted_at IS NULL LIMIT 1";
const INSERT = `INSERT INTO observations
  (sync_id, session_id, type, title, content, tool_name, project, scope, topic_key, normalized_hash, revision_count, duplicate_count,
   last_seen_at, review_after, created_at, updated_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 1, ?, ?, ?, ?)`;
const REVISE = `UPDATE observations SET type = ?, title = ?, content = ?, tool_name = ?, normalized_hash = ?,
  revision_count = revision_count + 1, last_seen_at = ?, updated_at = ? WHERE id = ?`;
const COUNT_DUPLICATE =
  "UPDATE observations SET duplicate_count = duplicate_count + 1, last_seen_at = ?, updated_at = ? WHERE id = ?";
const KEEP_VERSION = `INSERT INTO observation_versions (observation_id, title, content, version, created_at)
  SELECT ?1, ?2, ?3, MAX(?4, COALESCE((SELECT MAX(version) + 1 FROM observation_versions WHERE observation_id = ?1), 1)), ?5`;
const VERSIONS =
  "SELECT version, title, content, created_at FROM observation_versions WHERE observation_id = ? ORDER BY version DESC";
const SET_PINNED = "UPDATE observations SET pinned = ? WHERE id = ?";
const SET_REVIEW = "UPDATE observations SET review_after = ?, updated_at = ? WHERE id = ?";
const SOFT_DELETE = "UPDATE observations SET deleted_at = ?, updated_at = ? WHERE id = ?";
const HARD_DELETE = "DELETE FROM observations WHERE id = ?";
const TOMBSTONE = `INSERT OR REPLACE INTO sync_delete_tombstones (entity, entity_key, session_id, project, deleted_at, hard_delete, active, last_mutation_seq)
  VALUES ('observation', ?, ?, ?, ?, 1, 1, ?)`;
const ORPHAN_RELATIONS = `UPDATE memory_relations SET judgment_status = 'orphaned', updated_at = ?
  WHERE (source_id = ? OR target_id = ?) AND judgment_status <> 'orphaned'`;
const BEFORE = `SELECT ${OBSERVATION_COLUMNS} FROM observations o
  WHERE o.session_id = ? AND o.id < ? AND o.deleted_at IS NULL ORDER BY o.id DESC LIMIT ?`;
const AFTER = `SELECT ${OBSERVATION_COLUMNS} FROM observations o
  WHERE o.session_id = ? AND o.id > ? AND o.deleted_at IS NULL ORDER BY o.id ASC LIMIT ?`;
const IN_SESSION = "SELECT COUNT(*) AS n FROM observations WHERE session_id = ? AND deleted_at IS NULL";

export class SqliteObservations implements ObservationStore {
  private readonly db: Sqlite;
  private readonly journal: Journal;
  private readonly sessions: SqliteSessions;

  constructor(db: Sqlite, journal: Journal, sessions: SqliteSessions) {
    this.db = db;
    this.journal = journal;
    this.sessions = sessions;
  }

  private one(sql: string, ...values: Value[]): Observation | null {
    const row = this.db.get(sql, ...values);
    return row ? observationOf(row) : null;
  }

  save(draft: ObservationDraft, decide: (situation: SaveSituation) => SaveDecision, session?: SessionDraft): SaveOutcome {
    return this.db.transaction(() => {
      if (session) this.sessions.open(session);
      const owner = this.sessions.get(draft.session_id);
      const decision = decide({
        session: owner,
        sameTopic: draft.topic_key === null ? null : this.one(SAME_TOPIC, draft.topic_key, draft.project, draft.scope),
        twin: this.twinOf(draft),
      });
      this.sessions.adopt(owner, draft.project, draft.now);
      switch (decision.kind) {
        case "revise":
          return { kind: "revised", observation: this.revise(decision.id, draft) };
        case "count_duplicate":
          this.db.run(COUNT_DUPLICATE, draft.now, draft.now, decision.id);
          return { kind: "duplicate", observation: this.journaled(decision.id, draft.now) };
        case "insert":
          return { kind: "inserted", observation: this.insert(draft) };
      }
    });
  }

  private twinOf(draft: ObservationDraft): Observation | null {
    return this.one(TWIN, draft.hash, draft.project, draft.scope, draft.type, draft.title, draft.twins_since ?? "");
  }

  private insert(draft: ObservationDraft): Observation {
    const { hash, twins_since: _, now, ...fields } = draft;
    const { sync_id, session_id, type, title, content, tool_name, project, scope, topic_key, review_after } = fields;
    const values = [
      sync_id,
      session_id,
      type,
      title,
      content,
      tool_name,
      project,
      scope,
      topic_key,
      hash,
      now,
      review_after,
      now,
      now,
    ];
    const { id } = this.db.run(INSERT, ...values);
    const stored: Observation = {
      id,
      ...fields,
      revision_count: 1,
      duplicate_count: 1,
      last_seen_at: now,
      pinned: false,
      created_at: now,
      updated_at: now,
      deleted_at: null,
    };
    this.journal.observation(stored, now);
    return stored;
  }

  private revise(id: number, draft: ObservationDraft): Observation {
    const before = this.one(LIVE_BY_ID, id) as Observation;
    this.keepVersion(before, draft.title, draft.content, draft.now);
    this.db.run(REVISE, draft.type, draft.title, draft.content, draft.tool_name, draft.hash, draft.now, draft.now, id);
    return this.journaled(id, draft.now);
  }

  /** Part of a surrounding transaction. */
  keepVersion(before: Observation, title: string, content: string, now: string): void {
    if (before.title === title && before.content === content) return;
    this.db.run(KEEP_VERSION, before.id, before.title, before.content, before.revision_count, now);
  }

  private journaled(id: number, now: string): Observation {
    const stored = this.one(LIVE_BY_ID, id) as Observation;
    this.journal.observation(stored, now);
    return stored;
  }

  capture(drafts: ObservationDraft[], check: (session: Session | null) => void): { saved: number; duplicates: number } {
    return this.db.transaction(() => {
      const sessionId = drafts[0]?.session_id;
      const owner = sessionId === undefined ? null : this.sessions.get(sessionId);
      if (sessionId !== undefined) check(owner);
      this.sessions.adopt(owner, drafts[0]?.project ?? null, drafts[0]?.now ?? "");
      let saved = 0;
      for (const draft of drafts) {
        if (this.db.get(KNOWN_HASH, draft.hash, draft.project)) continue;
        this.insert(draft);
        saved++;
      }
      return { saved, duplicates: drafts.length - saved };
    });
  }

  get(id: number): Observation | null {
    return this.one(LIVE_BY_ID, id);
  }

  update(id: number, now: string, change: (current: Observation) => ObservationChange): Observation | null {
    return this.db.transaction(() => {
      const current = this.get(id);
      if (!current) return null;
      const { hash, ...fields } = change(current);
      const wanted: [string, Value][] = Object.entries(fields).map(([column, value]) => [column, value as Value]);
      if (hash !== undefined) wanted.push(["normalized_hash", hash]);
      this.keepVersion(current, fields.title ?? current.title, fields.content ?? current.content, now);
      const assignments = wanted.map(([column]) => `${column} = ?`).join(", ");
      const sql = `UPDATE observations SET ${assignments}${assignments ? ", " : ""}revision_count = revision_count + 1, updated_at = ? WHERE id = ?`;
      this.db.run(sql, ...wanted.map(([, value]) => value), now, id);
      return this.journaled(id, now);
    });
  }

  pin(id: number, pinned: boolean): Observation | null {
    return this.db.transaction(() => {
      const current = this.get(id);
      if (current && current.pinned !== pinned) this.db.run(SET_PINNED, pinned ? 1 : 0, id);
      return current && { ...current, pinned };
    });
  }

  review(id: number, now: string, next: (current: Observation) => string | null): Observation | null {
    return this.db.transaction(() => {
      const current = this.get(id);
      if (!current) return null;
      this.db.run(SET_REVIEW, next(current), now, id);
      return this.journaled(id, now);
    });
  }

  delete(id: number, hard: boolean, now: string, check: (current: Observation) => void): boolean {
    return this.db.transaction(() => {
      const current = this.get(id);
      if (!current) return false;
      check(current);
      this.remove(current, hard, now);
      return true;
    });
  }

  /** Part of a surrounding transaction. */
  remove(observation: Observation, hard: boolean, now: string): void {
    const seq = this.journal.observationDeleted(observation, hard, now);
    if (!hard) {
      this.db.run(SOFT_DELETE, now, now, observation.id);
      return;
    }
    this.db.run(HARD_DELETE, observation.id);
    this.db.run(ORPHAN_RELATIONS, now, observation.sync_id, observation.sync_id);
    if (observation.sync_id !== "")
      this.db.run(TOMBSTONE, observation.sync_id, observation.session_id, observation.project ?? "", now, seq);
  }

  recent(filter: ObservationFilter): Observation[] {
    const where = new Conditions()
      .add("+o.deleted_at IS NULL")
      // The few pinned rows have an index of their own; the one on projects would visit a whole project.
      .project(filter.pinned ? "+o.project" : "o.project", filter.project)
      .equals("o.scope", filter.scope)
      .equals("o.session_id", filter.session);
    if (filter.pinned !== undefined) where.add(filter.pinned ? "o.pinned = 1" : "ifnull(o.pinned, 0) = 0");
    const sql = `SELECT ${OBSERVATION_COLUMNS} FROM observations o WHERE ${where} ORDER BY o.created_at DESC, o.id DESC LIMIT ?`;
    return this.db.all(sql, ...where.values, filter.limit).map(observationOf);
  }

  needingReview(filter: { project?: string | undefined; now: string; limit: number }): Observation[] {
    const where = new Conditions()
      .add("o.deleted_at IS NULL AND o.review_after IS NOT NULL AND o.review_after <> '' AND o.review_after <= ?", filter.now)
      .project("o.project", filter.project);
    const sql = `SELECT ${OBSERVATION_COLUMNS} FROM observations o WHERE ${where} ORDER BY o.review_after ASC, o.id ASC LIMIT ?`;
    return this.db.all(sql, ...where.values, filter.limit).map(observationOf);
  }

  versions(id: number): ObservationVersion[] {
    return this.db.all(VERSIONS, id).map((row) => ({
      version: Number(row.version),
      title: textOrNull(row.title),
      content: text(row.content),
      created_at: text(row.created_at),
    }));
  }

  timeline(id: number, before: number, after: number) {
    const focus = this.get(id);
    if (!focus) return null;
    return {
      focus,
      before: this.db.all(BEFORE, focus.session_id, id, before).map(observationOf).reverse(),
      after: this.db.all(AFTER, focus.session_id, id, after).map(observationOf),
      session: this.sessions.get(focus.session_id),
      total: Number(this.db.get(IN_SESSION, focus.session_id)?.n ?? 0),
    };
  }
}
