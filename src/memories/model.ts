// What the room remembers. Field names are those of the file and the wire; an absent value is null.

export interface Session {
  id: string;
  project: string;
  ownership_mode: string | null;
  directory: string;
  started_at: string;
  ended_at: string | null;
  summary: string | null;
}

export interface SessionSummary {
  id: string;
  project: string;
  started_at: string;
  ended_at: string | null;
  summary: string | null;
  observation_count: number;
}

export const SCOPES = ["project", "personal", "global"] as const;
export type Scope = (typeof SCOPES)[number];

export interface Observation {
  id: number;
  sync_id: string;
  session_id: string;
  type: string;
  title: string;
  content: string;
  tool_name: string | null;
  project: string | null;
  scope: string;
  topic_key: string | null;
  revision_count: number;
  duplicate_count: number;
  last_seen_at: string | null;
  pinned: boolean;
  review_after: string | null;
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
}

export interface ObservationVersion {
  version: number;
  title: string | null;
  content: string;
  created_at: string;
}

export interface Prompt {
  id: number;
  sync_id: string;
  source_inbox_id: string | null;
  session_id: string;
  content: string;
  project: string | null;
  created_at: string;
}

export interface Relation {
  sync_id: string;
  source_id: string | null;
  target_id: string | null;
  relation: string;
  reason: string | null;
  evidence: string | null;
  confidence: number | null;
  judgment_status: string;
  marked_by_actor: string | null;
  marked_by_kind: string | null;
  marked_by_model: string | null;
  session_id: string | null;
  created_at: string;
  updated_at: string;
}

export interface SearchHit extends Observation {
  rank: number;
}

export interface Timeline {
  focus: Observation;
  before: Observation[];
  after: Observation[];
  session: Session | null;
  total: number;
}

export interface Stats {
  total_sessions: number;
  total_observations: number;
  total_prompts: number;
  /** Newest activity first. */
  projects: string[];
}

export interface ProjectSummary {
  name: string;
  observation_count: number;
  session_count: number;
  prompt_count: number;
  directories: string[];
}

export interface MovedRows {
  observations: number;
  sessions: number;
  prompts: number;
}
