// Rows as the wire shows them: keys in the Go program's order, optional keys absent instead of null.
import { withoutEmpty } from "../../kernel/json.ts";
import type { Observation, Prompt, SearchHit, Session, SessionSummary, Timeline } from "../model.ts";
import type { ReviewItem } from "../operations/observations.ts";

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
