// Rows as the wire shows them: keys in the Go program's order, optional keys absent instead of null.
// The zod shapes beside them feed the documentation and the typed client.
import { z } from "zod";
import { withoutEmpty } from "../../kernel/json.ts";
import type { Observation, Prompt, SearchHit, Session, SessionSummary, Timeline } from "../model.ts";
import type { ReviewItem } from "../operations/observations.ts";

const optionalText = z.string().optional();

export const SessionShape = z.object({
  id: z.string(),
  project: z.string(),
  ownership_mode: optionalText,
  directory: z.string(),
  started_at: z.string(),
  ended_at: optionalText,
  summary: optionalText,
});

export const SessionSummaryShape = z.object({
  id: z.string(),
  project: z.string(),
  started_at: z.string(),
  ended_at: optionalText,
  summary: optionalText,
  observation_count: z.number().int(),
});

export const ObservationShape = z.object({
  id: z.number().int(),
  sync_id: z.string(),
  session_id: z.string(),
  type: z.string(),
  title: z.string(),
  content: z.string(),
  tool_name: optionalText,
  project: optionalText,
  scope: z.string(),
  topic_key: optionalText,
  revision_count: z.number().int(),
  duplicate_count: z.number().int(),
  last_seen_at: optionalText,
  review_after: optionalText,
  created_at: z.string(),
  updated_at: z.string(),
  deleted_at: optionalText,
});

export const SearchHitShape = ObservationShape.extend({
  rank: z.number().describe("lower is better; -1000 for a topic key, 0 for a part of a word"),
});

export const PromptShape = z.object({
  source_inbox_id: optionalText,
  id: z.number().int(),
  sync_id: z.string(),
  session_id: z.string(),
  content: z.string(),
  project: optionalText,
  created_at: z.string(),
});

const TimelineEntryShape = ObservationShape.omit({ sync_id: true, review_after: true, deleted_at: true }).extend({
  is_focus: z.boolean(),
});

export const TimelineShape = z.object({
  focus: ObservationShape,
  before: z.array(TimelineEntryShape),
  after: z.array(TimelineEntryShape),
  session_info: SessionShape.nullable(),
  total_in_range: z.number().int(),
});

export const ReviewShape = z.object({
  id: z.number().int(),
  sync_id: z.string(),
  title: z.string(),
  type: z.string(),
  state: z.enum(["active", "needs_review"]),
  project: optionalText,
  review_after: optionalText,
});

export const wireSession = (s: Session) => withoutEmpty({ ...s });
export const wireSessionSummary = (s: SessionSummary) => withoutEmpty({ ...s });

export function wireObservation(o: Observation) {
  const { pinned: _, ...row } = o;
  return withoutEmpty(row);
}

export function wireHit(hit: SearchHit) {
  const { pinned: _, rank, ...row } = hit;
  return { ...withoutEmpty(row), rank };
}

export function wirePrompt({ source_inbox_id, ...row }: Prompt) {
  return withoutEmpty({ source_inbox_id, ...row });
}

function wireEntry(o: Observation) {
  const { pinned: _p, sync_id: _s, review_after: _r, deleted_at: _d, ...row } = o;
  return { ...withoutEmpty(row), is_focus: false };
}

export const wireTimeline = (t: Timeline) => ({
  focus: wireObservation(t.focus),
  before: t.before.map(wireEntry),
  after: t.after.map(wireEntry),
  session_info: t.session && wireSession(t.session),
  total_in_range: t.total,
});

export const wireReview = ({ observation: o, state }: ReviewItem) =>
  withoutEmpty({
    id: o.id,
    project: o.project,
    review_after: o.review_after,
    state,
    sync_id: o.sync_id,
    title: o.title,
    type: o.type,
  });
