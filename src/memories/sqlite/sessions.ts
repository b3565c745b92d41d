// Sessions: insert-or-keep, end, resume, and the list ordered by latest activity.
import type { Sqlite } from "../../storage/sqlite.ts";
import type { Session, SessionSummary } from "../model.ts";
import type { ProjectFilter, SessionDraft, SessionStore } from "../store.ts";
import { Conditions } from "./filters.ts";
import type { Journal } from "./journal.ts";
import type { SqlitePrompts } from "./prompts.ts";
import { SESSION_COLUMNS, sessionOf, text, textOrNull } from "./rows.ts";

const BY_ID = `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE s.id = ?`;
const INSERT = `INSERT INTO sessions (id, project, directory, started_at, ownership_mode, runtime_lease_expires_at) VALUES (?, ?, ?, ?, ?, ?)`;
const FILL_AND_RENEW = `UPDATE sessions SET project = CASE WHEN ifnull(project, '') = '' THEN ? ELSE project END,
  directory = CASE WHEN ifnull(directory, '') = '' THEN ? ELSE directory END, runtime_lease_expires_at = ? WHERE id = ?`;
const ADOPT = `UPDATE sessions SET project = ?1 WHERE id = ?2 AND ifnull(project, '') = ''
  AND NOT EXISTS (SELECT 1 FROM observations o WHERE o.session_id = ?2 AND ifnull(o.project, '') NOT IN ('', ?1))
  AND NOT EXISTS (SELECT 1 FROM user_prompts p WHERE p.session_id = ?2 AND ifnull(p.project, '') NOT IN ('', ?1))`;
const END = "UPDATE sessions SET ended_at = ?, summary = ?, runtime_lease_expires_at = NULL WHERE id = ?";
const OBSERVATIONS = "SELECT COUNT(*) AS n FROM observations WHERE session_id = ?";
const DELETE = "DELETE FROM sessions WHERE id = ?";
const LIVE = `SELECT ${SESSION_COLUMNS} FROM sessions s
  WHERE LOWER(s.project) = ?1 AND s.ended_at IS NULL AND s.id NOT LIKE 'manual-save%'
  AND (s.started_at >= ?2 OR ifnull(s.runtime_lease_expires_at, '') >= ?2
    OR EXISTS (SELECT 1 FROM observations o WHERE o.session_id = s.id AND o.created_at >= ?2))
  ORDER BY s.started_at DESC, s.id DESC`;
const CONTINUATIONS = `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE substr(s.id, 1, ?) = ?`;

export class SqliteSessions implements SessionStore {
  private readonly db: Sqlite;
  private readonly journal: Journal;
  private readonly prompts: SqlitePrompts;

  constructor(db: Sqlite, journal: Journal, prompts: SqlitePrompts) {
    this.db = db;
    this.journal = journal;
    this.prompts = prompts;
  }

  get(id: string): Session | null {
    const row = this.db.get(BY_ID, id);
    return row ? sessionOf(row) : null;
  }

  open(draft: SessionDraft, check?: (known: Session | null) => void): Session {
    return this.db.transaction(() => {
      const known = this.get(draft.id);
      check?.(known);
      if (known) this.db.run(FILL_AND_RENEW, draft.project, draft.directory, draft.lease_until, draft.id);
      else
        this.db.run(INSERT, draft.id, draft.project, draft.directory, draft.started_at, draft.ownership_mode, draft.lease_until);
      const session = this.get(draft.id) as Session;
      const changed = known?.project !== session.project || known.directory !== session.directory;
      if (changed) this.journal.session(session, draft.started_at);
      return session;
    });
  }

  /** Part of a surrounding transaction: a session without project takes the first one that is written into it. */
  adopt(session: Session | null, project: string | null, now: string): void {
    if (session?.project !== "" || !project) return;
    if (this.db.run(ADOPT, project, session.id).changes > 0) this.journal.session({ ...session, project }, now);
  }

  resume(draft: SessionDraft): Session {
    return this.db.transaction(() => {
      const root = this.get(draft.id);
      if (!root?.ended_at) return this.open(draft);
      const all = this.continuations(draft.id);
      const live = all.find(({ session }) => session.ended_at === null);
      return this.open({ ...draft, id: live?.session.id ?? `${draft.id}:resume:${(all.at(-1)?.number ?? 1) + 1}` });
    });
  }

  live(project: string, since: string): Session[] {
    return this.db.all(LIVE, project, since).map(sessionOf);
  }

  continuation(id: string): Session | null {
    return this.continuations(id).find(({ session }) => session.ended_at === null)?.session ?? null;
  }

  /** Counting starts at 2: the session itself is the first. */
  private continuations(id: string): { session: Session; number: number }[] {
    const prefix = `${id}:resume:`;
    return this.db
      .all(CONTINUATIONS, [...prefix].length, prefix)
      .map(sessionOf)
      .map((session) => ({ session, number: Number(session.id.slice(prefix.length)) }))
      .filter(({ number }) => Number.isInteger(number) && number >= 2)
      .sort((a, b) => a.number - b.number);
  }

  end(id: string, summary: string | null, now: string): boolean {
    return this.db.transaction(() => {
      const { changes } = this.db.run(END, now, summary, id);
      if (changes > 0) this.journal.session(this.get(id) as Session, now);
      return changes > 0;
    });
  }

  recent(filter: { project?: ProjectFilter; limit: number }): SessionSummary[] {
    const where = new Conditions().project("s.project", filter.project);
    const sql = `SELECT s.id, ifnull(s.project, '') AS project, s.started_at, s.ended_at, s.summary,
        (SELECT COUNT(*) FROM observations o WHERE o.session_id = s.id AND +o.deleted_at IS NULL) AS observation_count
      FROM (SELECT s.id, COALESCE((SELECT o.created_at FROM observations o WHERE o.session_id = s.id AND +o.deleted_at IS NULL
          ORDER BY o.created_at DESC LIMIT 1), s.started_at) AS active
        FROM sessions s WHERE ${where} ORDER BY active DESC, s.id DESC LIMIT ?) latest CROSS JOIN sessions s ON s.id = latest.id
      ORDER BY latest.active DESC, s.id DESC`;
    return this.db.all(sql, ...where.values, filter.limit).map((row) => ({
      id: text(row.id),
      project: text(row.project),
      started_at: text(row.started_at),
      ended_at: textOrNull(row.ended_at) || null,
      summary: textOrNull(row.summary) || null,
      observation_count: Number(row.observation_count),
    }));
  }

  delete(id: string, now: string): { found: boolean; observations: number } {
    return this.db.transaction(() => {
      const session = this.get(id);
      if (!session) return { found: false, observations: 0 };
      const observations = Number(this.db.get(OBSERVATIONS, id)?.n ?? 0);
      if (observations === 0) this.remove(session, now);
      return { found: true, observations };
    });
  }

  /** Part of a surrounding transaction: the session's prompts go with it. */
  remove(session: Session, now: string): void {
    this.prompts.removeOfSession(session.id, now);
    this.journal.sessionDeleted(session, now);
    this.db.run(DELETE, session.id);
  }
}
