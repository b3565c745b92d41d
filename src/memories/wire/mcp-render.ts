// Texts and envelopes that agents read: layouts of the Go program, kept because agents match on them.
import { displayTime } from "../../kernel/clock.ts";
import { withoutEmpty } from "../../kernel/json.ts";
import { clip, cutCharacters, quote } from "../../kernel/text.ts";
import type { McpAnswer, McpContext } from "../../registry/mcp.ts";
import type { Observation, SearchHit } from "../model.ts";
import type { AgentSave } from "../operations/agent.ts";
import type { Resolved } from "../operations/agent-project.ts";
import type { ReviewItem } from "../operations/observations.ts";
import { TOKEN_SECONDS } from "../operations/recovery.ts";
import type { SearchAnswer } from "../operations/search.ts";
import { reviewState, type Truncation } from "../rules/observation.ts";

const PREVIEW = 300;

const sorted = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

/** The common answer: project fields, the text, and whatever else the tool tells. */
export function envelope(resolved: Resolved, result: string, extra: Record<string, unknown> = {}): McpAnswer {
  const { project, path, source, warning } = resolved;
  return {
    structured: sorted({
      project,
      project_path: path,
      project_source: source,
      result,
      ...extra,
      ...(warning ? { warning } : {}),
    }),
  };
}

export const bare = (body: Record<string, unknown>): McpAnswer => ({ structured: sorted(body) });
export const plain = (text: string): McpAnswer => ({ text, structured: { result: text } });

export const truncationLine = (truncation: Truncation | null): string =>
  truncation?.truncated
    ? `\n⚠ WARNING: Content was truncated from ${truncation.original_bytes} to ${truncation.limit_bytes} bytes. Consider splitting into smaller observations.`
    : "";

export function saveAnswer(save: AgentSave): McpAnswer {
  const { observation: o, resolved, session, suggestedKey, similar } = save;
  const notes = [
    suggestedKey === undefined ? "" : `\nSuggested topic_key: ${suggestedKey}`,
    truncationLine(save.truncation),
    similar === undefined
      ? ""
      : `\n⚠️ Project ${quote(resolved.project)} has no memories. Similar project found: ${quote(similar.name)} (${similar.observations} memories). Consider using that name instead.`,
    resolved.found === undefined ? "" : `\n⚠️ Project name normalized: ${quote(resolved.found)} → ${quote(resolved.project)}`,
    session.created ? `\nSession ${quote(session.id)} was not known and has been created.` : "",
  ];
  return saved(save, `Memory saved: ${quote(o.title)} (${o.type})${notes.join("")}`, {
    ...withoutEmpty({ review_after: o.review_after }),
    ...(save.truncation.truncated ? { truncation: save.truncation } : {}),
  });
}

/** What every save tells: the row, and what was unclear about it. */
export function saved(save: AgentSave, result: string, extra: Record<string, unknown> = {}): McpAnswer {
  const { observation: o, resolved, session } = save;
  const warning = [resolved.warning, ...doubts(save)].filter((line) => line !== undefined).join("; ");
  return envelope({ ...resolved, warning: warning || undefined }, result, {
    id: o.id,
    sync_id: o.sync_id,
    state: save.state,
    judgment_required: false,
    ...extra,
    ...(session.candidates.length > 0 ? { session_id: session.id, session_candidates: session.candidates } : {}),
    ...(resolved.candidates
      ? { available_projects: resolved.candidates, recovery_token: save.recoveryToken, token_ttl_seconds: TOKEN_SECONDS }
      : {}),
  });
}

/** What was unclear, and how to put it right. */
function doubts({ session, resolved, observation }: AgentSave): string[] {
  const lines: string[] = [];
  if (session.candidates.length > 0) {
    lines.push(
      `several sessions are live (${session.candidates.join(", ")}), saved without one: pass session_id to attribute a save`,
    );
  }
  if (resolved.candidates) {
    lines.push(
      `to move it, ask the user which of ${resolved.candidates.join(", ")}, then repeat this call with project, project_choice_reason=user_selected_after_ambiguous_project and recovery_token, or mem_update(id: ${observation.id}, project)`,
    );
  }
  return lines;
}

const preview = (content: string): { text: string; cut: boolean } => {
  const { text, cut } = cutCharacters(content, PREVIEW);
  return { text: cut ? `${text}... [preview]` : text, cut };
};

export const hitEntry = (hit: SearchHit | Observation, now: Date): Record<string, unknown> =>
  sorted(
    withoutEmpty({
      id: hit.id,
      sync_id: hit.sync_id,
      title: hit.title,
      type: hit.type,
      state: reviewState(hit.review_after, now),
      scope: hit.scope,
      pinned: hit.pinned,
      project: hit.project,
      topic_key: hit.topic_key,
      review_after: hit.review_after,
    }),
  );

export function searchText({ hits }: SearchAnswer, query: string, context: McpContext): string {
  if (hits.length === 0) return `No memories found for: ${quote(query)}`;
  let anyCut = false;
  const lines = hits.map((hit, index) => {
    const { text, cut } = preview(hit.content);
    anyCut ||= cut;
    const state = reviewState(hit.review_after, context.now()) === "needs_review" ? " | state: needs_review" : "";
    const project = hit.project ? ` | project: ${hit.project}` : "";
    return `[${index + 1}] #${hit.id} (${hit.type}) — ${hit.title}\n    ${text}\n    ${displayTime(hit.created_at, context.timeZone)}${project} | scope: ${hit.scope}${state}\n\n`;
  });
  const footer = anyCut
    ? "---\nResults above are previews (300 chars). To read the full content of a specific memory, call mem_get_observation(id: <ID>).\n"
    : "";
  return `Found ${hits.length} memories:\n\n${lines.join("")}${footer}`;
}

export function observationText(o: Observation, zone: string | undefined): string {
  const line = (label: string, value: string | null) => (value ? `\n${label}: ${value}` : "");
  return `#${o.id} [${o.type}] ${o.title}\n${o.content}\nSession: ${o.session_id}${line("Project", o.project)}\nScope: ${o.scope}${line("Topic", o.topic_key)}${line("Tool", o.tool_name)}\nDuplicates: ${o.duplicate_count}\nRevisions: ${o.revision_count}\nCreated: ${displayTime(o.created_at, zone)}`;
}

export function reviewText(items: ReviewItem[]): string {
  if (items.length === 0) return "No memories need review.";
  const lines = items.map(
    ({ observation: o, state }, i) =>
      `[${i + 1}] #${o.id} (${o.type}) — ${o.title}\n    state: ${state}${o.project ? ` | project: ${o.project}` : ""}${o.review_after ? ` | review_after: ${o.review_after}` : ""}\n`,
  );
  return `Found ${items.length} memories needing review:\n\n${lines.join("")}`;
}

export function nudge(context: McpContext): string {
  const minutes = context.activity.quietMinutes();
  return minutes === undefined
    ? ""
    : `\n\n⚠️ No mem_save calls for this project in ${minutes} minutes. Did you make any decisions, fix bugs, or discover something worth persisting?`;
}

const PROJECTS_SHOWN = 8;

export function statsLine(stats: { total_sessions: number; total_observations: number; projects: string[] }): string {
  const shown = stats.projects.slice(0, PROJECTS_SHOWN).join(", ") || "none";
  const more = stats.projects.length > PROJECTS_SHOWN ? `, +${stats.projects.length - PROJECTS_SHOWN} more` : "";
  return `\n---\nMemory stats: ${stats.total_sessions} sessions, ${stats.total_observations} observations across projects: ${shown}${more}`;
}

export const compactHit = (hit: SearchHit, now: Date): Record<string, unknown> => {
  const { text, cut } = cutCharacters(hit.content, PREVIEW);
  return sorted({
    ...hitEntry(hit, now),
    preview: clip(text, PREVIEW),
    truncated: cut,
    relations: { as_source: [], as_target: [] },
  });
};
