-- engram.db as the Go program lays it out, plus the columns and tables its newer versions add.
-- Opening a file compares it with this and only ever adds; `user_version` stays 0.

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  project TEXT NOT NULL,
  directory TEXT NOT NULL,
  started_at TEXT NOT NULL DEFAULT (datetime('now')),
  ended_at TEXT,
  summary TEXT,
  ownership_mode TEXT,
  runtime_lease_expires_at TEXT,
  local_creation_project TEXT
);
CREATE INDEX idx_sessions_project ON sessions(project);

CREATE TABLE observations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  sync_id TEXT,
  session_id TEXT NOT NULL,
  type TEXT NOT NULL,
  title TEXT NOT NULL,
  content TEXT NOT NULL,
  tool_name TEXT,
  project TEXT,
  scope TEXT NOT NULL DEFAULT 'project',
  topic_key TEXT,
  normalized_hash TEXT,
  revision_count INTEGER NOT NULL DEFAULT 1,
  duplicate_count INTEGER NOT NULL DEFAULT 1,
  last_seen_at TEXT,
  pinned BOOLEAN NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL DEFAULT (datetime('now')),
  updated_at TEXT NOT NULL DEFAULT (datetime('now')),
  deleted_at TEXT,
  review_after TEXT,
  expires_at TEXT,
  embedding BLOB,
  embedding_model TEXT,
  embedding_created_at TEXT,
  FOREIGN KEY (session_id) REFERENCES sessions(id)
);
CREATE INDEX idx_obs_session ON observations(session_id);
CREATE INDEX idx_obs_type ON observations(type);
CREATE INDEX idx_obs_project ON observations(project);
CREATE INDEX idx_obs_created ON observations(created_at DESC);
CREATE INDEX idx_obs_scope ON observations(scope);
CREATE INDEX idx_obs_sync_id ON observations(sync_id);
CREATE INDEX idx_obs_project_lower ON observations(LOWER(project));
CREATE INDEX idx_obs_topic ON observations(topic_key, project, scope, updated_at DESC);
CREATE INDEX idx_obs_deleted ON observations(deleted_at);
CREATE INDEX idx_engram_recent ON observations(LOWER(project), created_at);
CREATE INDEX idx_engram_pinned ON observations(created_at) WHERE pinned = 1;
CREATE INDEX idx_engram_activity ON observations(session_id, created_at);
CREATE INDEX idx_obs_dedupe ON observations(normalized_hash, project, scope, type, title, created_at DESC);

CREATE TABLE observation_versions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  observation_id INTEGER NOT NULL REFERENCES observations(id) ON DELETE CASCADE,
  title TEXT,
  content TEXT NOT NULL,
  version INTEGER NOT NULL,
  created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
  UNIQUE(observation_id, version)
);

CREATE TABLE user_prompts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  sync_id TEXT,
  session_id TEXT NOT NULL,
  content TEXT NOT NULL,
  project TEXT,
  created_at TEXT NOT NULL DEFAULT (datetime('now')),
  source_inbox_id TEXT,
  local_creation_session_id TEXT,
  local_creation_inbox_id TEXT,
  local_creation_project TEXT,
  FOREIGN KEY (session_id) REFERENCES sessions(id)
);
CREATE INDEX idx_prompts_session ON user_prompts(session_id);
CREATE INDEX idx_prompts_project ON user_prompts(project);
CREATE INDEX idx_engram_prompts ON user_prompts(LOWER(project), created_at DESC);
CREATE INDEX idx_prompts_created ON user_prompts(created_at DESC);
CREATE INDEX idx_prompts_sync_id ON user_prompts(sync_id);
CREATE UNIQUE INDEX idx_prompts_inbox ON user_prompts(session_id, source_inbox_id) WHERE source_inbox_id IS NOT NULL;

CREATE TABLE prompt_tombstones (
  sync_id TEXT PRIMARY KEY,
  session_id TEXT,
  project TEXT,
  deleted_at TEXT NOT NULL DEFAULT (datetime('now')),
  source_inbox_id TEXT,
  local_creation_session_id TEXT,
  local_creation_inbox_id TEXT,
  local_creation_project TEXT
);
CREATE INDEX idx_prompt_tombstones_project ON prompt_tombstones(project, deleted_at DESC);

CREATE TABLE memory_relations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  sync_id TEXT NOT NULL UNIQUE,
  source_id TEXT,
  target_id TEXT,
  relation TEXT NOT NULL DEFAULT 'pending',
  reason TEXT,
  evidence TEXT,
  confidence REAL,
  judgment_status TEXT NOT NULL DEFAULT 'pending',
  marked_by_actor TEXT,
  marked_by_kind TEXT,
  marked_by_model TEXT,
  session_id TEXT,
  superseded_at TEXT,
  superseded_by_relation_id INTEGER REFERENCES memory_relations(id) ON DELETE SET NULL,
  created_at TEXT NOT NULL DEFAULT (datetime('now')),
  updated_at TEXT NOT NULL DEFAULT (datetime('now'))
);
CREATE INDEX idx_memrel_source ON memory_relations(source_id, judgment_status);
CREATE INDEX idx_memrel_target ON memory_relations(target_id, judgment_status);
CREATE INDEX idx_memrel_supersede ON memory_relations(superseded_by_relation_id);
CREATE INDEX idx_memrel_status_created ON memory_relations(judgment_status, created_at DESC);

CREATE TABLE sync_chunks (
  target_key TEXT NOT NULL DEFAULT 'local',
  chunk_id TEXT NOT NULL,
  imported_at TEXT NOT NULL DEFAULT (datetime('now')),
  PRIMARY KEY (target_key, chunk_id)
);

CREATE TABLE sync_state (
  target_key TEXT PRIMARY KEY,
  lifecycle TEXT NOT NULL DEFAULT 'idle',
  last_enqueued_seq INTEGER NOT NULL DEFAULT 0,
  last_acked_seq INTEGER NOT NULL DEFAULT 0,
  last_pulled_seq INTEGER NOT NULL DEFAULT 0,
  consecutive_failures INTEGER NOT NULL DEFAULT 0,
  backoff_until TEXT,
  lease_owner TEXT,
  lease_until TEXT,
  last_error TEXT,
  updated_at TEXT NOT NULL DEFAULT (datetime('now')),
  reason_code TEXT,
  reason_message TEXT,
  last_success_at TEXT
);

CREATE TABLE sync_mutations (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  target_key TEXT NOT NULL,
  entity TEXT NOT NULL,
  entity_key TEXT NOT NULL,
  op TEXT NOT NULL,
  payload TEXT NOT NULL,
  source TEXT NOT NULL DEFAULT 'local',
  occurred_at TEXT NOT NULL DEFAULT (datetime('now')),
  acked_at TEXT,
  project TEXT NOT NULL DEFAULT '',
  disposition TEXT NOT NULL DEFAULT 'pending',
  disposition_reason TEXT,
  disposition_evidence TEXT,
  disposition_at TEXT,
  FOREIGN KEY (target_key) REFERENCES sync_state(target_key)
);
CREATE INDEX idx_sync_mutations_target_seq ON sync_mutations(target_key, seq);
CREATE INDEX idx_sync_mutations_pending ON sync_mutations(target_key, acked_at, seq);
CREATE INDEX idx_sync_mutations_project ON sync_mutations(project);
CREATE INDEX idx_sync_mutations_lookup ON sync_mutations(target_key, entity, entity_key, source);
CREATE INDEX idx_sync_mutations_disposition ON sync_mutations(target_key, disposition, acked_at, seq);

CREATE TABLE sync_enrolled_projects (
  project TEXT PRIMARY KEY,
  enrolled_at TEXT NOT NULL DEFAULT (datetime('now'))
);

CREATE TABLE sync_delete_tombstones (
  entity TEXT NOT NULL,
  entity_key TEXT NOT NULL,
  session_id TEXT,
  project TEXT NOT NULL DEFAULT '',
  deleted_at TEXT NOT NULL DEFAULT (datetime('now')),
  hard_delete INTEGER NOT NULL DEFAULT 1,
  active INTEGER NOT NULL DEFAULT 1,
  last_mutation_seq INTEGER NOT NULL DEFAULT 0,
  last_remote_mutation_seq INTEGER,
  PRIMARY KEY (entity, entity_key)
);

CREATE TABLE sync_delete_tombstone_remote_floors (
  target_key TEXT NOT NULL,
  entity TEXT NOT NULL,
  entity_key TEXT NOT NULL,
  last_mutation_seq INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (target_key, entity, entity_key)
);

CREATE TABLE cloud_upgrade_state (
  project TEXT PRIMARY KEY,
  stage TEXT NOT NULL DEFAULT 'planned',
  repair_class TEXT NOT NULL DEFAULT 'none',
  snapshot_json TEXT NOT NULL DEFAULT '{}',
  last_error_code TEXT,
  last_error_message TEXT,
  findings_json TEXT,
  applied_actions TEXT,
  updated_at TEXT NOT NULL DEFAULT (datetime('now'))
);
CREATE INDEX idx_cloud_upgrade_state_stage ON cloud_upgrade_state(stage);

CREATE TABLE sync_apply_deferred (
  sync_id TEXT PRIMARY KEY,
  entity TEXT NOT NULL,
  payload TEXT NOT NULL,
  apply_status TEXT NOT NULL DEFAULT 'deferred',
  retry_count INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  last_attempted_at TEXT,
  first_seen_at TEXT NOT NULL DEFAULT (datetime('now')),
  target_key TEXT,
  remote_seq INTEGER,
  entity_key TEXT,
  op TEXT,
  reason_code TEXT,
  project TEXT,
  scope_class TEXT NOT NULL DEFAULT 'legacy_unscoped',
  payload_sync_id TEXT
);
CREATE INDEX idx_sad_status_seen ON sync_apply_deferred(apply_status, first_seen_at);
CREATE INDEX idx_sad_target_project ON sync_apply_deferred(target_key, project, apply_status, first_seen_at);
CREATE INDEX idx_sad_payload ON sync_apply_deferred(payload_sync_id, entity);

CREATE VIRTUAL TABLE observations_fts USING fts5(
  title, content, tool_name, type, project, topic_key,
  content='observations', content_rowid='id'
);
CREATE VIRTUAL TABLE prompts_fts USING fts5(
  content, project,
  content='user_prompts', content_rowid='id'
);
