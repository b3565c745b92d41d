// The ports of the room: what operations need from a store, in the words of the domain.
// Each method is one transaction. Where a rule must decide inside it, the caller passes a pure function.
import type {
  MovedRows,
  Observation,
  ObservationVersion,
  ProjectSummary,
  Prompt,
  Relation,
  SearchHit,
  Session,
  SessionSummary,
  Stats,
  Timeline,
} from "./model.ts";
import type { MutationRow } from "./rules/diagnosis.ts";
import type { IndexKind, Lookup } from "./rules/search-stages.ts";
import type { ExportRow, ImportPlan, RejectedRow } from "./rules/transfer.ts";

/** Rows of one project in any case; undefined means every project. */
export type ProjectFilter = string | undefined;

export interface SessionDraft {
  id: string;
  project: string;
  directory: string;
  ownership_mode: "shared" | "project_owned";
  started_at: string;
  lease_until: string;
}

export interface ObservationDraft {
  sync_id: string;
  session_id: string;
  type: string;
  title: string;
  content: string;
  tool_name: string | null;
  project: string | null;
  scope: string;
  topic_key: string | null;
  hash: string;
  review_after: string | null;
  now: string;
  /** Twins older than this do not count as duplicates; null: any age does. */
  twins_since: string | null;
}

/** What the store found before writing. */
export interface SaveSituation {
  session: Session | null;
  sameTopic: Observation | null;
  twin: Observation | null;
}

export type SaveDecision = { kind: "revise"; id: number } | { kind: "count_duplicate"; id: number } | { kind: "insert" };

export interface SaveOutcome {
  kind: "inserted" | "revised" | "duplicate";
  observation: Observation;
}

export interface ObservationChange {
  type?: string;
  title?: string;
  content?: string;
  hash?: string;
  scope?: string;
  topic_key?: string | null;
  project?: string | null;
  session_id?: string;
}

export interface ObservationFilter {
  project?: ProjectFilter;
  scope?: string | undefined;
  pinned?: boolean | undefined;
  session?: string | undefined;
  limit: number;
}

export interface ObservationStore {
  /** `session` is made first when it does not exist. */
  save(draft: ObservationDraft, decide: (situation: SaveSituation) => SaveDecision, session?: SessionDraft): SaveOutcome;
  /** Saves what is new among several drafts of one session; counts what was known. */
  capture(drafts: ObservationDraft[], check: (session: Session | null) => void): { saved: number; duplicates: number };
  get(id: number): Observation | null;
  update(id: number, now: string, change: (current: Observation) => ObservationChange): Observation | null;
  pin(id: number, pinned: boolean): Observation | null;
  review(id: number, now: string, next: (current: Observation) => string | null): Observation | null;
  delete(id: number, hard: boolean, now: string, check: (current: Observation) => void): boolean;
  recent(filter: ObservationFilter): Observation[];
  needingReview(filter: { project?: ProjectFilter; now: string; limit: number }): Observation[];
  versions(id: number): ObservationVersion[];
  timeline(id: number, before: number, after: number): Timeline | null;
}

export interface SearchFilter {
  project?: ProjectFilter;
  type?: string | undefined;
  scope?: string | undefined;
  limit: number;
}

export interface SearchStore {
  readonly index: IndexKind;
  readonly promptIndex: IndexKind;
  byTopicKey(key: string, filter: SearchFilter): SearchHit[];
  find(lookup: Lookup, filter: SearchFilter): SearchHit[];
  findPrompts(lookup: Lookup, filter: { project?: ProjectFilter; limit: number }): Prompt[];
}

export interface SessionStore {
  /** Insert or keep: blanks of a known session are filled, nothing else changes. */
  open(draft: SessionDraft, check?: (known: Session | null) => void): Session;
  /** The lowest live `<id>:resume:<n>` of an ended session, made when there is none. */
  resume(draft: SessionDraft): Session;
  /** Sessions an agent may be in: not ended, not manual, leased now or active since. Newest first. */
  live(project: string, since: string): Session[];
  /** That continuation, if one is live. */
  continuation(id: string): Session | null;
  get(id: string): Session | null;
  end(id: string, summary: string | null, now: string): boolean;
  recent(filter: { project?: ProjectFilter; limit: number }): SessionSummary[];
  /** Observations (deleted ones too) keep a session alive: their number is returned and nothing is deleted. */
  delete(id: string, now: string): { found: boolean; observations: number };
}

export interface PromptDraft {
  sync_id: string;
  session_id: string;
  content: string;
  project: string | null;
  source_inbox_id: string | null;
  now: string;
}

export interface PromptStore {
  /** `deleted`: that inbox id was saved once and deleted since. */
  save(
    draft: PromptDraft,
    check: (session: Session | null) => void,
  ): { kind: "saved" | "replayed"; id: number } | { kind: "deleted" };
  recent(filter: { project?: ProjectFilter; session?: string | undefined; limit: number }): Prompt[];
  delete(id: number, now: string): boolean;
}

export interface RescueRequest {
  project: string;
  observations: number[];
  sessions: string[];
  prompts: number[];
  now: string;
}

export interface BlockedRow {
  kind: "observation" | "session" | "prompt";
  id: number | string;
  reason: string;
  owned_by: string;
}

export interface RescueOutcome extends MovedRows {
  blocked: BlockedRow[];
  journaled: number;
}

export interface ProjectStore {
  list(): ProjectSummary[];
  names(): string[];
  /** Projects that sessions of this directory belong to. */
  ofDirectory(directory: string): string[];
  stats(project?: ProjectFilter): Stats;
  /** Moves every row of the named spellings, taken literally; without `apply` it only counts them. */
  move(from: string[], to: string, now: string, apply?: boolean): MovedRows;
  delete(names: string[], hard: boolean, now: string): MovedRows | null;
  /** Removes sessions and prompts of projects that hold no live observation; a name that holds one is passed by. */
  prune(names: string[], now: string): MovedRows;
  rescue(request: RescueRequest): RescueOutcome;
}

export interface ImportOutcome {
  sessions_imported: number;
  observations_imported: number;
  observations_updated: number;
  observations_skipped_stale: number;
  prompts_imported: number;
  relations_imported: number;
  rejected: RejectedRow[];
}

export interface TransferStore {
  import(plan: ImportPlan, progress?: (done: number) => void): ImportOutcome;
  /** One snapshot, kind by kind, in the order of `ExportRow`. */
  export(project?: ProjectFilter): Iterable<ExportRow>;
  /** How many rows an export would hold, for a progress bar. */
  size(project?: ProjectFilter): number;
}

export interface DiagnosisStore {
  sessions(project?: ProjectFilter): (Session & { runtime_lease_expires_at: string | null })[];
  /** Pending journal rows of enrolled projects. */
  pendingMutations(project?: ProjectFilter): MutationRow[];
  orphans(project?: ProjectFilter): { id: number; session_id: string; title: string }[];
  /** Pending journal rows for targets that do not exist. */
  strayMutations(): MutationRow[];
  locks(): {
    journal_mode: string;
    busy_timeout_ms: number;
    checkpoint_busy: number;
    checkpoint_log: number;
    checkpointed_frames: number;
  };
  integrity(): string;
  moveSessions(moves: { session: string; from: string; to: string }[], apply: boolean, now: string): MovedRows;
  quarantine(seqs: number[], reason: string, now: string): number;
  renameSessions(names: { from: string; to: string }[], now: string): number;
  backup(path: string): void;
}

export interface Verdict {
  relation: string;
  reason: string | null;
  evidence: string | null;
  confidence: number | null;
  actor: string;
  kind: string;
  model: string | null;
  session_id: string | null;
  now: string;
}

export interface PairVerdict extends Verdict {
  /** For a pair that has no row yet. */
  sync_id: string;
  source: string;
  target: string;
}

export interface RelationStore {
  judge(syncId: string, verdict: Verdict): (Relation & { id: number }) | null;
  /** The sync id of the pair's row. */
  compare(verdict: PairVerdict): string;
}

export interface MemoryStore {
  readonly observations: ObservationStore;
  readonly search: SearchStore;
  readonly sessions: SessionStore;
  readonly prompts: PromptStore;
  readonly projects: ProjectStore;
  readonly relations: RelationStore;
  readonly transfer: TransferStore;
  readonly diagnosis: DiagnosisStore;
  close(): void;
}
