// The wire's rows as schemas: for the documentation and OpenAPI. Answers are not checked against them at run time.
import { z } from "zod";
import { once } from "../../kernel/once.ts";

const optionalText = once(() => z.string().optional());

export const SessionShape = once(() =>
  z.object({
    id: z.string(),
    project: z.string(),
    ownership_mode: optionalText(),
    directory: z.string(),
    started_at: z.string(),
    ended_at: optionalText(),
    summary: optionalText(),
  }),
);

export const SessionSummaryShape = once(() =>
  z.object({
    id: z.string(),
    project: z.string(),
    started_at: z.string(),
    ended_at: optionalText(),
    summary: optionalText(),
    observation_count: z.number().int(),
  }),
);

export const ObservationShape = once(() =>
  z.object({
    id: z.number().int(),
    sync_id: z.string(),
    session_id: z.string(),
    type: z.string(),
    title: z.string(),
    content: z.string(),
    tool_name: optionalText(),
    project: optionalText(),
    scope: z.string(),
    topic_key: optionalText(),
    revision_count: z.number().int(),
    duplicate_count: z.number().int(),
    last_seen_at: optionalText(),
    review_after: optionalText(),
    created_at: z.string(),
    updated_at: z.string(),
    deleted_at: optionalText(),
  }),
);

export const SearchHitShape = once(() =>
  ObservationShape().extend({
    rank: z.number().describe("lower is better; -1000 for a topic key, 0 for a part of a word"),
  }),
);

export const PromptShape = once(() =>
  z.object({
    source_inbox_id: optionalText(),
    id: z.number().int(),
    sync_id: z.string(),
    session_id: z.string(),
    content: z.string(),
    project: optionalText(),
    created_at: z.string(),
  }),
);

const TimelineEntryShape = once(() =>
  ObservationShape().omit({ sync_id: true, review_after: true, deleted_at: true }).extend({
    is_focus: z.boolean(),
  }),
);

export const TimelineShape = once(() =>
  z.object({
    focus: ObservationShape(),
    before: z.array(TimelineEntryShape()),
    after: z.array(TimelineEntryShape()),
    session_info: SessionShape().nullable(),
    total_in_range: z.number().int(),
  }),
);

export const ReviewShape = once(() =>
  z.object({
    id: z.number().int(),
    sync_id: z.string(),
    title: z.string(),
    type: z.string(),
    state: z.enum(["active", "needs_review"]),
    project: optionalText(),
    review_after: optionalText(),
  }),
);
