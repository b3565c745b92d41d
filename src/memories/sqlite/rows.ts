// Rows of engram.db to values of the domain. Old files hold NULLs where newer ones do not: read defensively.
import type { Row, Value } from "../../storage/sqlite.ts";
import type { Observation, Prompt, Relation, Session } from "../model.ts";

export const text = (value: Value | undefined): string => (value === null || value === undefined ? "" : asText(value));
export const textOrNull = (value: Value | undefined): string | null =>
  value === null || value === undefined ? null : asText(value);
/** Some old programs stored project names as blobs. */
const asText = (value: Value): string => (value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : String(value));
const presentText = (value: Value | undefined): string | null => textOrNull(value) || null;
const count = (value: Value | undefined): number => Math.max(1, Number(value ?? 1));

export const OBSERVATION_COLUMNS = [
  "id",
  "sync_id",
  "session_id",
  "type",
  "title",
  "content",
  "tool_name",
  "project",
  "scope",
  "topic_key",
  "revision_count",
  "duplicate_count",
  "last_seen_at",
  "pinned",
  "review_after",
  "created_at",
  "updated_at",
  "deleted_at",
]
  // A count beyond what JavaScript holds exactly would make every read of the row fail.
  .map((column) => (column.endsWith("_count") ? `MIN(o.${column}, 2147483647) AS ${column}` : `o.${column}`))
  .join(", ");

export const observationOf = (row: Row): Observation => ({
  id: Number(row.id),
  sync_id: text(row.sync_id),
  session_id: text(row.session_id),
  type: text(row.type),
  title: text(row.title),
  content: text(row.content),
  tool_name: presentText(row.tool_name),
  project: presentText(row.project),
  scope: text(row.scope) || "project",
  topic_key: presentText(row.topic_key),
  revision_count: count(row.revision_count),
  duplicate_count: count(row.duplicate_count),
  last_seen_at: presentText(row.last_seen_at),
  pinned: Number(row.pinned) === 1,
  review_after: presentText(row.review_after),
  created_at: text(row.created_at),
  updated_at: text(row.updated_at),
  deleted_at: presentText(row.deleted_at),
});

export const SESSION_COLUMNS =
  "s.id, ifnull(s.project, '') AS project, s.ownership_mode, s.directory, s.started_at, s.ended_at, s.summary";

export const sessionOf = (row: Row): Session => ({
  id: text(row.id),
  project: text(row.project),
  ownership_mode: presentText(row.ownership_mode),
  directory: text(row.directory),
  started_at: text(row.started_at),
  ended_at: presentText(row.ended_at),
  summary: presentText(row.summary),
});

export const PROMPT_COLUMNS = "p.id, p.sync_id, p.source_inbox_id, p.session_id, p.content, p.project, p.created_at";

export const promptOf = (row: Row): Prompt => ({
  id: Number(row.id),
  sync_id: text(row.sync_id),
  source_inbox_id: presentText(row.source_inbox_id),
  session_id: text(row.session_id),
  content: text(row.content),
  project: presentText(row.project),
  created_at: text(row.created_at),
});

export const RELATION_COLUMNS =
  "sync_id, source_id, target_id, relation, reason, evidence, confidence, judgment_status, marked_by_actor, marked_by_kind, marked_by_model, session_id, created_at, updated_at";

export const relationOf = (row: Row): Relation => ({
  sync_id: text(row.sync_id),
  source_id: textOrNull(row.source_id),
  target_id: textOrNull(row.target_id),
  relation: text(row.relation),
  reason: textOrNull(row.reason),
  evidence: textOrNull(row.evidence),
  confidence: row.confidence === null || row.confidence === undefined ? null : Number(row.confidence),
  judgment_status: text(row.judgment_status),
  marked_by_actor: textOrNull(row.marked_by_actor),
  marked_by_kind: textOrNull(row.marked_by_kind),
  marked_by_model: textOrNull(row.marked_by_model),
  session_id: textOrNull(row.session_id),
  created_at: text(row.created_at),
  updated_at: text(row.updated_at),
});
