// What the doctor reads and the few repairs it may make.
import { chmodSync } from "node:fs";
import type { Row, Sqlite } from "../../storage/sqlite.ts";
import type { MovedRows, Session } from "../model.ts";
import type { MutationRow } from "../rules/diagnosis.ts";
import type { DiagnosisStore, ProjectFilter } from "../store.ts";
import { Conditions } from "./filters.ts";
import type { Journal } from "./journal.ts";
import {
  OBSERVATION_COLUMNS,
  observationOf,
  PROMPT_COLUMNS,
  promptOf,
  SESSION_COLUMNS,
  sessionOf,
  text,
  textOrNull,
} from "./rows.ts";
import type { SqliteSessions } from "./sessions.ts";

const MUTATION_COLUMNS = "seq, target_key, entity, entity_key, op, payload, project";
const STRAY = `SELECT ${MUTATION_COLUMNS} FROM sync_mutations
  WHERE target_key NOT IN (SELECT target_key FROM sync_state) AND acked_at IS NULL AND disposition = 'pending' ORDER BY seq`;
const COUNT_OF_SESSION = {
  observations: "SELECT COUNT(*) AS n FROM observations WHERE session_id = ? AND project = ?",
  prompts: "SELECT COUNT(*) AS n FROM user_prompts WHERE session_id = ? AND project = ?",
} as const;
const MOVE_OF_SESSION = {
  observations: "UPDATE observations SET project = ? WHERE session_id = ? AND project = ?",
  prompts: "UPDATE user_prompts SET project = ? WHERE session_id = ? AND project = ?",
} as const;
const OBSERVATIONS_OF_SESSION = `SELECT ${OBSERVATION_COLUMNS} FROM observations o WHERE o.session_id = ? AND o.project = ?`;
const PROMPTS_OF_SESSION = `SELECT ${PROMPT_COLUMNS} FROM user_prompts p WHERE p.session_id = ? AND p.project = ?`;
const MOVE_SESSION = "UPDATE sessions SET project = ? WHERE id = ? AND project = ?";
const QUARANTINE = `UPDATE sync_mutations SET disposition = 'quarantined', disposition_reason = ?, disposition_at = ? WHERE seq = ?`;
const COPY_SESSION = `INSERT INTO sessions (id, project, directory, started_at, ended_at, summary, ownership_mode)
  SELECT ?, ifnull(project, ''), ifnull(directory, ''), started_at, ended_at, summary, ownership_mode FROM sessions WHERE id = ?`;
const REPOINT = [
  "UPDATE observations SET session_id = ? WHERE session_id = ?",
  "UPDATE user_prompts SET session_id = ? WHERE session_id = ?",
];
const DROP_SESSION = "DELETE FROM sessions WHERE id = ?";

const mutationOf = (row: Row): MutationRow => ({
  seq: Number(row.seq),
  target_key: text(row.target_key),
  entity: text(row.entity),
  entity_key: text(row.entity_key),
  op: text(row.op),
  payload: text(row.payload),
  project: text(row.project),
});

export class SqliteDiagnosis implements DiagnosisStore {
  private readonly db: Sqlite;
  private readonly journal: Journal;
  private readonly sessionStore: SqliteSessions;

  constructor(db: Sqlite, journal: Journal, sessions: SqliteSessions) {
    this.db = db;
    this.journal = journal;
    this.sessionStore = sessions;
  }

  sessions(project?: ProjectFilter): (Session & { runtime_lease_expires_at: string | null })[] {
    const where = new Conditions().project("s.project", project);
    const sql = `SELECT ${SESSION_COLUMNS}, s.runtime_lease_expires_at FROM sessions s WHERE ${where} ORDER BY s.started_at, s.id`;
    return this.db.all(sql, ...where.values).map((row) => ({
      ...sessionOf(row),
      runtime_lease_expires_at: textOrNull(row.runtime_lease_expires_at),
    }));
  }

  pendingMutations(project?: ProjectFilter): MutationRow[] {
    const where = new Conditions()
      .add("acked_at IS NULL AND disposition = 'pending' AND project IN (SELECT project FROM sync_enrolled_projects)")
      .project("project", project);
    const sql = `SELECT ${MUTATION_COLUMNS} FROM sync_mutations WHERE ${where} ORDER BY seq`;
    return this.db.all(sql, ...where.values).map(mutationOf);
  }

  strayMutations(): MutationRow[] {
    return this.db.all(STRAY).map(mutationOf);
  }

  orphans(project?: ProjectFilter): { id: number; session_id: string; title: string }[] {
    const where = new Conditions().add("o.session_id NOT IN (SELECT id FROM sessions)").project("o.project", project);
    const sql = `SELECT o.id, o.session_id, o.title FROM observations o WHERE ${where} ORDER BY o.id LIMIT 100`;
    return this.db
      .all(sql, ...where.values)
      .map((row) => ({ id: Number(row.id), session_id: text(row.session_id), title: text(row.title) }));
  }

  locks(): ReturnType<DiagnosisStore["locks"]> {
    const checkpoint = this.db.get("PRAGMA wal_checkpoint(PASSIVE)");
    return {
      journal_mode: text(this.db.get("PRAGMA journal_mode")?.journal_mode),
      busy_timeout_ms: Number(this.db.get("PRAGMA busy_timeout")?.timeout ?? 0),
      checkpoint_busy: Number(checkpoint?.busy ?? 0),
      checkpoint_log: Number(checkpoint?.log ?? 0),
      checkpointed_frames: Number(checkpoint?.checkpointed ?? 0),
    };
  }

  integrity(): string {
    return text(this.db.get("PRAGMA quick_check(1)")?.quick_check);
  }

  moveSessions(moves: { session: string; from: string; to: string }[], apply: boolean, now: string): MovedRows {
    return this.db.transaction(() => {
      const moved: MovedRows = { sessions: 0, observations: 0, prompts: 0 };
      for (const { session, from, to } of moves) {
        for (const kind of ["observations", "prompts"] as const) {
          moved[kind] += apply
            ? this.db.run(MOVE_OF_SESSION[kind], to, session, from).changes
            : Number(this.db.get(COUNT_OF_SESSION[kind], session, from)?.n ?? 0);
        }
        moved.sessions += apply ? this.db.run(MOVE_SESSION, to, session, from).changes : 1;
        if (apply) this.tellMoved(session, to, now);
      }
      return moved;
    });
  }

  private tellMoved(session: string, project: string, now: string): void {
    if (!this.journal.enrolled(project)) return;
    this.journal.session(this.sessionStore.get(session) as Session, now);
    for (const row of this.db.all(OBSERVATIONS_OF_SESSION, session, project)) this.journal.observation(observationOf(row), now);
    for (const row of this.db.all(PROMPTS_OF_SESSION, session, project)) this.journal.prompt(promptOf(row), now);
  }

  quarantine(seqs: number[], reason: string, now: string): number {
    return this.db.transaction(() => seqs.reduce((sum, seq) => sum + this.db.run(QUARANTINE, reason, now, seq).changes, 0));
  }

  renameSessions(names: { from: string; to: string }[], now: string): number {
    return this.db.transaction(() => {
      for (const { from, to } of names) {
        this.db.run(COPY_SESSION, to, from);
        for (const sql of REPOINT) this.db.run(sql, to, from);
        this.db.run(DROP_SESSION, from);
        this.journal.session(this.sessionStore.get(to) as Session, now);
      }
      return names.length;
    });
  }

  backup(path: string): void {
    this.db.run("VACUUM INTO ?", path);
    chmodSync(path, 0o600);
  }
}
