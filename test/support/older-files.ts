// engram.db as other programs left it, made by hand: each function writes a file that our store has not seen yet.
import { DatabaseSync } from "node:sqlite";

export function makeFile(path: string, ...scripts: string[]): void {
  const db = new DatabaseSync(path);
  try {
    db.exec("PRAGMA foreign_keys = OFF");
    for (const sql of scripts) db.exec(sql);
  } finally {
    db.close();
  }
}

/** The first generation: no ids that travel, no scopes, no topics; an index over fewer columns. */
export const FIRST_GENERATION = `
  CREATE TABLE sessions (id TEXT PRIMARY KEY, project TEXT, directory TEXT NOT NULL, started_at TEXT NOT NULL DEFAULT (datetime('now')), ended_at TEXT, summary TEXT);
  CREATE TABLE observations (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, type TEXT NOT NULL, title TEXT NOT NULL, content TEXT NOT NULL,
    tool_name TEXT, project TEXT, created_at TEXT NOT NULL DEFAULT (datetime('now')), FOREIGN KEY (session_id) REFERENCES sessions(id)
  );
  CREATE INDEX idx_obs_session ON observations(session_id);
  CREATE VIRTUAL TABLE observations_fts USING fts5(title, content, tool_name, type, project, content='observations', content_rowid='id');
  CREATE TRIGGER obs_fts_insert AFTER INSERT ON observations BEGIN
    INSERT INTO observations_fts(rowid, title, content, tool_name, type, project) VALUES (new.id, new.title, new.content, new.tool_name, new.type, new.project);
  END;
  CREATE TRIGGER obs_fts_delete AFTER DELETE ON observations BEGIN
    INSERT INTO observations_fts(observations_fts, rowid, title, content, tool_name, type, project) VALUES ('delete', old.id, old.title, old.content, old.tool_name, old.type, old.project);
  END;
  CREATE TRIGGER obs_fts_update AFTER UPDATE ON observations BEGIN
    INSERT INTO observations_fts(observations_fts, rowid, title, content, tool_name, type, project) VALUES ('delete', old.id, old.title, old.content, old.tool_name, old.type, old.project);
    INSERT INTO observations_fts(rowid, title, content, tool_name, type, project) VALUES (new.id, new.title, new.content, new.tool_name, new.type, new.project);
  END;
  CREATE TABLE user_prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, content TEXT NOT NULL, project TEXT, created_at TEXT NOT NULL DEFAULT (datetime('now')));
  CREATE TABLE sync_chunks (chunk_id TEXT PRIMARY KEY, imported_at TEXT NOT NULL DEFAULT (datetime('now')));
  INSERT INTO sessions (id, project, directory, started_at) VALUES ('s1', 'alpha', '/srv', '2025-01-01 08:00:00'), ('manual-save-alpha', 'alpha', '/srv', '2025-01-01 08:00:00');
  INSERT INTO observations (session_id, type, title, content, project, created_at) VALUES
    ('s1', 'bugfix', 'Login loop', 'redirects on Safari', 'alpha', '2025-01-01 09:00:00'), ('s1', 'manual', 'Queue', 'replaces cron', 'Alpha', '2025-01-02 09:00:00');
  INSERT INTO user_prompts (session_id, content, project, created_at) VALUES ('s1', 'Why does the login loop?', NULL, '2025-01-01 08:30:00');
  INSERT INTO sync_chunks (chunk_id) VALUES ('abc');
`;

const trigramTriggers = (prefix: string, table: string, columns: string[], live: (row: string) => string) => {
  const index = prefix === "obs" ? "observations_fts" : "prompts_fts";
  const add = `INSERT INTO ${index}(rowid, ${columns.join(", ")}) VALUES (new.id, ${columns.map((c) => `new.${c}`).join(", ")});`;
  const remove = `DELETE FROM ${index} WHERE rowid = old.id;`;
  return `
    CREATE TRIGGER ${prefix}_fts_insert AFTER INSERT ON ${table} ${live("new")} BEGIN ${add} END;
    CREATE TRIGGER ${prefix}_fts_delete BEFORE DELETE ON ${table} ${live("old")} BEGIN ${remove} END;
    CREATE TRIGGER ${prefix}_fts_update BEFORE UPDATE ON ${table} ${live("old")} BEGIN ${remove} END;
    CREATE TRIGGER ${prefix}_fts_update_insert AFTER UPDATE ON ${table} ${live("new")} BEGIN ${add} END;`;
};

/** The second generation: every column, and full-text indexes over runs of three characters. */
export const SECOND_GENERATION_TABLES = `
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY, project TEXT NOT NULL, ownership_mode TEXT, directory TEXT NOT NULL, started_at TEXT NOT NULL DEFAULT (datetime('now')),
    ended_at TEXT, summary TEXT, runtime_lease_expires_at TEXT
  );
  CREATE TABLE observations (
    id INTEGER PRIMARY KEY AUTOINCREMENT, sync_id TEXT, session_id TEXT NOT NULL, type TEXT NOT NULL, title TEXT NOT NULL, content TEXT NOT NULL,
    tool_name TEXT, project TEXT, scope TEXT NOT NULL DEFAULT 'project', topic_key TEXT, normalized_hash TEXT, revision_count INTEGER NOT NULL DEFAULT 1,
    duplicate_count INTEGER NOT NULL DEFAULT 1, last_seen_at TEXT, pinned BOOLEAN NOT NULL DEFAULT 0, created_at TEXT NOT NULL DEFAULT (datetime('now')),
    updated_at TEXT NOT NULL DEFAULT (datetime('now')), deleted_at TEXT, review_after TEXT, expires_at TEXT, embedding BLOB, embedding_model TEXT,
    embedding_created_at TEXT, FOREIGN KEY (session_id) REFERENCES sessions(id)
  );
  CREATE TABLE user_prompts (
    id INTEGER PRIMARY KEY AUTOINCREMENT, sync_id TEXT, source_inbox_id TEXT, local_creation_session_id TEXT, local_creation_inbox_id TEXT,
    local_creation_project TEXT, session_id TEXT NOT NULL, content TEXT NOT NULL, project TEXT, created_at TEXT NOT NULL DEFAULT (datetime('now')),
    FOREIGN KEY (session_id) REFERENCES sessions(id)
  );
`;
const OBSERVATION_COLUMNS = ["title", "content", "tool_name", "type", "project", "topic_key"];

export const TRIGRAM_OBSERVATIONS = `
  CREATE VIRTUAL TABLE observations_fts USING fts5(${OBSERVATION_COLUMNS.join(", ")}, content='observations', content_rowid='id', tokenize='trigram');
  ${trigramTriggers("obs", "observations", OBSERVATION_COLUMNS, (row) => `WHEN ${row}.deleted_at IS NULL`)}`;
export const TRIGRAM_PROMPTS = `
  CREATE VIRTUAL TABLE prompts_fts USING fts5(content, project, content='user_prompts', content_rowid='id', tokenize='trigram');
  ${trigramTriggers("prompt", "user_prompts", ["content", "project"], () => "")}`;

export const SECOND_GENERATION_ROWS = `
  INSERT INTO sessions (id, project, ownership_mode, directory) VALUES ('s1', 'alpha', 'shared', '/srv');
  INSERT INTO observations (sync_id, session_id, type, title, content, project, topic_key, created_at, updated_at, deleted_at) VALUES
    ('obs-1', 's1', 'bugfix', 'Login loop', 'The authentication redirects forever', 'alpha', NULL, '2026-01-01 09:00:00', '2026-01-01 09:00:00', NULL),
    ('obs-2', 's1', 'manual', '数据库连接池', 'Use Go 1.24', 'alpha', 'config/pool', '2026-01-02 09:00:00', '2026-01-02 09:00:00', NULL),
    ('obs-3', 's1', 'manual', 'Gone', 'forgotten authentication', 'alpha', NULL, '2026-01-03 09:00:00', '2026-01-03 09:00:00', '2026-01-04 00:00:00');
  INSERT INTO user_prompts (sync_id, session_id, content, project) VALUES ('prompt-1', 's1', 'Explain the authentication in Go', 'alpha');
`;
