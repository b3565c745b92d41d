// Projects are names on rows, not rows: lists, counts, moves and deletions over the three tables that carry them.
import type { Row, Sqlite } from "../../storage/sqlite.ts";
import type { MovedRows, ProjectSummary, Stats } from "../model.ts";
import type { BlockedRow, ProjectFilter, ProjectStore, RescueOutcome, RescueRequest } from "../store.ts";
import { Conditions } from "./filters.ts";
import type { Journal } from "./journal.ts";
import type { SqliteObservations } from "./observations.ts";
import type { SqlitePrompts } from "./prompts.ts";
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

/** Distinct names by jumping from one to the next in the index on project, instead of reading every row. */
const STORED_NAMES = `WITH RECURSIVE stored(name) AS (SELECT MIN(project) FROM observations WHERE project > ''
  UNION ALL SELECT (SELECT MIN(project) FROM observations WHERE project > name) FROM stored WHERE name IS NOT NULL)`;
/** All rows from the index alone, less the few deleted ones. */
const SUMMARIES = `
  SELECT name, SUM(observations) AS observations, SUM(sessions) AS sessions, SUM(prompts) AS prompts FROM (
    SELECT project AS name, COUNT(*) AS observations, 0 AS sessions, 0 AS prompts FROM observations GROUP BY project
    UNION ALL SELECT project, -1, 0, 0 FROM observations WHERE deleted_at >= ''
    UNION ALL SELECT project, 0, COUNT(*), 0 FROM sessions GROUP BY project
    UNION ALL SELECT project, 0, 0, COUNT(*) FROM user_prompts GROUP BY project)
  WHERE ifnull(name, '') <> '' GROUP BY name HAVING SUM(observations) > 0 OR SUM(sessions) > 0 OR SUM(prompts) > 0
  ORDER BY observations DESC, name`;
const DIRECTORIES =
  "SELECT DISTINCT project, directory FROM sessions WHERE ifnull(directory, '') <> '' ORDER BY project, directory";
const NAMES = `${STORED_NAMES}
  SELECT name FROM stored WHERE name IS NOT NULL AND EXISTS (SELECT 1 FROM observations o WHERE o.project = name AND +o.deleted_at IS NULL)
  UNION SELECT project FROM sessions WHERE ifnull(project, '') <> ''
  UNION SELECT project FROM user_prompts WHERE ifnull(project, '') <> '' ORDER BY 1`;
const newest = (column: string): string => `(SELECT ${column} FROM observations o
  WHERE LOWER(o.project) = LOWER(name) AND +o.project = name AND +o.deleted_at IS NULL ORDER BY o.created_at DESC, o.id DESC LIMIT 1)`;
const byActivity = (where: Conditions): string => `${STORED_NAMES}
  SELECT name FROM (SELECT name, ${newest("o.created_at")} AS at, ${newest("o.id")} AS id FROM stored WHERE name IS NOT NULL AND ${where})
  WHERE id IS NOT NULL ORDER BY at DESC, id DESC`;
const OF_DIRECTORY = "SELECT DISTINCT project FROM sessions WHERE directory = ? AND ifnull(project, '') <> ''";
const ANY_ROW = `SELECT 1 FROM (SELECT project FROM observations UNION ALL SELECT project FROM sessions UNION ALL SELECT project FROM user_prompts)
  WHERE project = ? LIMIT 1`;
const OBSERVATIONS_OF = `SELECT ${OBSERVATION_COLUMNS} FROM observations o WHERE o.project = ?`;
const PROMPTS_OF = `SELECT ${PROMPT_COLUMNS} FROM user_prompts p WHERE p.project = ?`;
const SESSIONS_OF = `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE s.project = ?`;
const SESSION_IN_USE = `SELECT 1 FROM (SELECT session_id FROM observations UNION ALL SELECT session_id FROM user_prompts) WHERE session_id = ? LIMIT 1`;
const MOVE = {
  observations: "UPDATE observations SET project = ? WHERE project = ?",
  sessions: "UPDATE sessions SET project = ? WHERE project = ?",
  prompts: "UPDATE user_prompts SET project = ? WHERE project = ?",
} as const;
const COUNT = {
  observations: "SELECT COUNT(*) AS n FROM observations WHERE project = ?",
  sessions: "SELECT COUNT(*) AS n FROM sessions WHERE project = ?",
  prompts: "SELECT COUNT(*) AS n FROM user_prompts WHERE project = ?",
} as const;
const LIVE_OBSERVATION = "SELECT 1 FROM observations WHERE project = ? AND deleted_at IS NULL LIMIT 1";
const OWNER = {
  observation: "SELECT ifnull(project, '') AS project FROM observations WHERE id = ?",
  session: "SELECT ifnull(project, '') AS project FROM sessions WHERE id = ?",
  prompt: "SELECT ifnull(project, '') AS project FROM user_prompts WHERE id = ?",
} as const;
const BY_ID = {
  observation: `SELECT ${OBSERVATION_COLUMNS} FROM observations o WHERE o.id = ?`,
  session: `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE s.id = ?`,
  prompt: `SELECT ${PROMPT_COLUMNS} FROM user_prompts p WHERE p.id = ?`,
} as const;
const ADOPT = {
  observation: "UPDATE observations SET project = ? WHERE id = ?",
  session: "UPDATE sessions SET project = ? WHERE id = ?",
  prompt: "UPDATE user_prompts SET project = ? WHERE id = ?",
} as const;

const number = (row: Row | undefined, key = "n"): number => Number(row?.[key] ?? 0);

export class SqliteProjects implements ProjectStore {
  private readonly db: Sqlite;
  private readonly journal: Journal;
  private readonly observations: SqliteObservations;
  private readonly sessions: SqliteSessions;
  private readonly prompts: SqlitePrompts;

  constructor(db: Sqlite, journal: Journal, observations: SqliteObservations, sessions: SqliteSessions, prompts: SqlitePrompts) {
    this.db = db;
    this.journal = journal;
    this.observations = observations;
    this.sessions = sessions;
    this.prompts = prompts;
  }

  list(): ProjectSummary[] {
    const directories = Map.groupBy(this.db.all(DIRECTORIES), (row) => text(row.project));
    return this.db.all(SUMMARIES).map((row) => ({
      name: text(row.name),
      observation_count: number(row, "observations"),
      session_count: number(row, "sessions"),
      prompt_count: number(row, "prompts"),
      directories: (directories.get(text(row.name)) ?? []).map((entry) => text(entry.directory)),
    }));
  }

  names(): string[] {
    return this.db.all(NAMES).map((row) => text(row.name));
  }

  ofDirectory(directory: string): string[] {
    return this.db.all(OF_DIRECTORY, directory).map((row) => text(row.project));
  }

  stats(project?: ProjectFilter): Stats {
    const count = (table: string, live: string): number => {
      const where = new Conditions().add(live).project("project", project);
      return number(this.db.get(`SELECT COUNT(*) AS n FROM ${table} WHERE ${where}`, ...where.values));
    };
    const where = new Conditions().project("name", project);
    return {
      total_sessions: count("sessions", "1"),
      total_observations: count("observations", project === undefined ? "deleted_at IS NULL" : "+deleted_at IS NULL"),
      total_prompts: count("user_prompts", "1"),
      projects: this.db.all(byActivity(where), ...where.values).map((row) => text(row.name)),
    };
  }

  move(from: string[], to: string, now: string, apply = true): MovedRows {
    return this.db.transaction(() => {
      const moved: MovedRows = { observations: 0, sessions: 0, prompts: 0 };
      for (const name of from) {
        if (name === to) continue;
        const told = apply && this.journal.enrolled(to) ? this.rowsOf(name) : undefined;
        for (const kind of ["observations", "sessions", "prompts"] as const) {
          moved[kind] += apply ? this.db.run(MOVE[kind], to, name).changes : number(this.db.get(COUNT[kind], name));
        }
        for (const session of told?.sessions ?? []) this.journal.session({ ...session, project: to }, now);
        for (const observation of told?.observations ?? []) this.journal.observation({ ...observation, project: to }, now);
        for (const prompt of told?.prompts ?? []) this.journal.prompt({ ...prompt, project: to }, now);
      }
      return moved;
    });
  }

  private rowsOf(name: string) {
    return {
      sessions: this.db.all(SESSIONS_OF, name).map(sessionOf),
      observations: this.db.all(OBSERVATIONS_OF, name).map(observationOf),
      prompts: this.db.all(PROMPTS_OF, name).map(promptOf),
    };
  }

  delete(names: string[], hard: boolean, now: string): MovedRows | null {
    return this.db.transaction(() => {
      if (!names.some((name) => this.db.get(ANY_ROW, name))) return null;
      const gone: MovedRows = { observations: 0, sessions: 0, prompts: 0 };
      for (const name of names) {
        const rows = this.db.all(OBSERVATIONS_OF, name).map(observationOf);
        for (const observation of rows) {
          if (!hard && observation.deleted_at !== null) continue;
          this.observations.remove(observation, hard, now);
          gone.observations++;
        }
        gone.prompts += this.removePrompts(name, now);
        if (hard) gone.sessions += this.removeIdleSessions(name, now);
      }
      return gone;
    });
  }

  private removePrompts(name: string, now: string): number {
    const rows = this.db.all(PROMPTS_OF, name).map(promptOf);
    for (const prompt of rows) this.prompts.remove(prompt, now);
    return rows.length;
  }

  /** A session that still holds rows of another project stays. */
  private removeIdleSessions(name: string, now: string): number {
    const idle = this.db
      .all(SESSIONS_OF, name)
      .map(sessionOf)
      .filter((session) => !this.db.get(SESSION_IN_USE, session.id));
    for (const session of idle) this.sessions.remove(session, now);
    return idle.length;
  }

  prune(names: string[], now: string): MovedRows {
    return this.db.transaction(() => {
      const gone: MovedRows = { observations: 0, sessions: 0, prompts: 0 };
      for (const name of names) {
        if (this.db.get(LIVE_OBSERVATION, name)) continue;
        gone.prompts += this.removePrompts(name, now);
        gone.sessions += this.removeIdleSessions(name, now);
      }
      return gone;
    });
  }

  rescue(request: RescueRequest): RescueOutcome {
    return this.db.transaction(() => {
      const blocked: BlockedRow[] = [];
      let journaled = 0;
      const adopt = (kind: BlockedRow["kind"], id: number | string): boolean => {
        const row = this.db.get(OWNER[kind], id);
        const owner = textOrNull(row?.project);
        if (row === undefined) blocked.push({ kind, id, reason: "not_found", owned_by: "" });
        else if (owner && owner !== request.project) blocked.push({ kind, id, reason: "already_owned", owned_by: owner });
        else if (!owner) {
          this.db.run(ADOPT[kind], request.project, id);
          if (this.tell(kind, id, request.now) > 0) journaled++;
          return true;
        }
        return false;
      };
      const sessions = request.sessions.filter((id) => adopt("session", id)).length;
      const observations = request.observations.filter((id) => adopt("observation", id)).length;
      const prompts = request.prompts.filter((id) => adopt("prompt", id)).length;
      return { sessions, observations, prompts, blocked, journaled };
    });
  }

  private tell(kind: BlockedRow["kind"], id: number | string, now: string): number {
    const row = this.db.get(BY_ID[kind], id) as Row;
    if (kind === "session") return this.journal.session(sessionOf(row), now);
    return kind === "observation" ? this.journal.observation(observationOf(row), now) : this.journal.prompt(promptOf(row), now);
  }
}
