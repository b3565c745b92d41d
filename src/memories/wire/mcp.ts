// The room's tools. Descriptions are written for a model: when to call, what comes back, what to do next.
import { EngramError } from "../../kernel/errors.ts";
import { quote } from "../../kernel/text.ts";
import type { JsonSchema, McpAnswer, McpArguments, McpContext, McpTool } from "../../registry/mcp.ts";
import type { AnyOperation } from "../../registry/operation.ts";
import { agentCapture, agentEnd, agentMerge, agentPrompt, agentSave, agentStart, agentSummary } from "../operations/agent.ts";
import {
  agentContext,
  agentDoctor,
  agentGet,
  agentReview,
  agentSearch,
  agentStats,
  agentTimeline,
  agentUpdate,
  whereAmI,
} from "../operations/agent-reads.ts";
import { deleteObservation, markReviewed, pinObservation, suggestKey } from "../operations/observations.ts";
import { listProjects } from "../operations/projects.ts";
import { compareMemories, judgeRelation } from "../operations/relations.ts";
import { withinBudget } from "../rules/context.ts";
import {
  bare,
  compactHit,
  envelope,
  hitEntry,
  nudge,
  observationText,
  plain,
  reviewText,
  saveAnswer,
  saved,
  searchText,
  statsLine,
  truncationLine,
} from "./mcp-render.ts";
import { renderTimeline } from "./render.ts";
import { wireReview } from "./shapes.ts";

const text = (description?: string): JsonSchema => ({ type: "string", ...(description ? { description } : {}) });
const number = (description?: string): JsonSchema => ({ type: "number", ...(description ? { description } : {}) });
const flag = (description?: string): JsonSchema => ({ type: "boolean", ...(description ? { description } : {}) });

const object = (properties: Record<string, JsonSchema>, required: string[] = []): JsonSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: true,
});
const ENVELOPE = object({ project: { type: "string" }, project_source: { type: "string" }, result: { type: "string" } }, [
  "result",
]);
const ANYTHING = object({});

const PROJECT = text("a known project; default: the current one");

type Traits = "read" | "write" | "idempotent" | "destructive" | "destructive-idempotent";

function tool(definition: {
  name: string;
  title: string;
  profile?: "agent" | "admin";
  deferred?: boolean;
  traits: Traits;
  description: string;
  parameters?: Record<string, JsonSchema>;
  required?: string[];
  output?: JsonSchema;
  operations: AnyOperation[];
  call(args: McpArguments, context: McpContext): Promise<McpAnswer>;
}): McpTool {
  const { traits, profile = "agent", deferred = false, parameters = {}, required = [], output = ENVELOPE, ...rest } = definition;
  return {
    ...rest,
    profile,
    deferred,
    parameters,
    required,
    output,
    readOnly: traits === "read",
    destructive: traits.startsWith("destructive"),
    idempotent: traits === "read" || traits.endsWith("idempotent"),
  };
}

const needed = <T>(value: T | undefined, message: string): T => {
  if (value === undefined) throw new EngramError("invalid", message);
  return value;
};

/** Words before a store's sentence, so that a model knows which step failed. */
async function during<T>(prefix: string, action: Promise<T>): Promise<T> {
  try {
    return await action;
  } catch (error) {
    if (error instanceof EngramError && error.details.error_code === undefined)
      throw new EngramError(error.kind, `${prefix}${error.message}`, { ...error.details });
    throw error;
  }
}

export const memoryTools: McpTool[] = [
  tool({
    name: "mem_save",
    title: "Save Memory",
    traits: "write",
    description: `Save one thing worth knowing next time. Call it right after a decision, a fixed bug, a discovery, a convention, a configuration, without being asked.
title: short and searchable ("Fixed N+1 in user list"). content: **What** / **Why** / **Where** (files) / **Learned**.
Use topic_key for a subject that evolves: the same key revises the memory instead of adding one. <private>…</private> is never stored.
Nothing is refused for bookkeeping; what was unclear (session, project) comes back with how to fix it.`,
    parameters: {
      title: text(),
      content: text(),
      type: text("decision, architecture, bugfix, pattern, config, discovery, learning, preference, policy, manual"),
      topic_key: text("family/subject, e.g. architecture/auth-model"),
      scope: text("project (default), personal, global"),
      session_id: text(),
      project: PROJECT,
      observation: text("old name of content"),
      capture_prompt: flag(),
      project_choice_reason: text(),
      recovery_token: text(),
    },
    required: ["title"],
    operations: [agentSave],
    async call(args, context) {
      const content = args.text("content")?.trim() ? args.text("content") : args.text("observation");
      if (!content?.trim())
        throw new EngramError(
          "invalid",
          "content is required for mem_save (use content, or observation for backward-compatible clients)",
        );
      const fields = {
        title: args.text("title") ?? "",
        content,
        type: args.text("type") || "manual",
        scope: args.text("scope"),
        topic_key: args.text("topic_key"),
      };
      const save = await during(
        "Failed to save: ",
        context.call(agentSave, {
          ...fields,
          session_id: args.text("session_id") || undefined,
          project: args.text("project"),
          choiceReason: args.text("project_choice_reason"),
          recoveryToken: args.text("recovery_token"),
        }),
      );
      context.activity.saved(save.session.id);
      return saveAnswer(save);
    },
  }),
  tool({
    name: "mem_search",
    title: "Search Memory",
    traits: "read",
    description: `Find memories by words, before work that may have been done or decided before, or when the user says "remember". Searches the current project: all words first, then any, then parts of words; the answer says which. A query like "architecture/auth" finds that topic_key. Results are previews: mem_get_observation(id) reads one whole. Nothing found: try other words, or all_projects.`,
    parameters: {
      query: text(),
      type: text(),
      project: PROJECT,
      all_projects: flag(),
      scope: text(),
      limit: number("default 10, at most 20"),
      match_mode: text("all or any: forces one"),
      response_format: text("compact: entries only"),
    },
    required: ["query"],
    operations: [agentSearch],
    async call(args, context) {
      const query = args.text("query") ?? "";
      const input = {
        query,
        type: args.text("type"),
        project: args.text("project"),
        allProjects: args.flag("all_projects") ?? false,
        scope: args.text("scope"),
        matchMode: args.text("match_mode"),
        limit: args.integer("limit"),
      };
      const { resolved, answer, session } = await context.call(agentSearch, input);
      context.activity.called(session);
      const extra = { ...(answer.tried.length > 0 ? { search: { stage: answer.stage ?? "none", tried: answer.tried } } : {}) };
      if (answer.hits.length === 0) return envelope(resolved, searchText(answer, query, context) + nudge(context), extra);
      if (args.text("response_format") === "compact") {
        return envelope(resolved, `Found ${answer.hits.length} memories.`, {
          ...extra,
          results: answer.hits.map((hit) => compactHit(hit, context.now())),
        });
      }
      return envelope(resolved, searchText(answer, query, context) + nudge(context), {
        ...extra,
        results: answer.hits.map((hit) => hitEntry(hit, context.now())),
      });
    },
  }),
  tool({
    name: "mem_context",
    title: "Get Memory Context",
    traits: "read",
    description:
      "What happened before here: recent sessions, prompts, pinned and recent memories. Call it at the start of a session or after your context was compacted, before asking the user what was done.",
    parameters: { project: PROJECT, scope: text(), max_bytes: number("default 16384"), compact: flag("titles only") },
    operations: [agentContext],
    async call(args, context) {
      const {
        resolved,
        text: body,
        stats,
        session,
        limit,
      } = await context.call(agentContext, {
        project: args.text("project"),
        scope: args.text("scope"),
        maxBytes: args.integer("max_bytes"),
        compact: args.flag("compact") ?? false,
      });
      context.activity.called(session);
      const whole = body === "" ? "No previous session memories found." : `${body}${statsLine(stats)}${nudge(context)}`;
      return envelope(resolved, withinBudget(whole, limit));
    },
  }),
  tool({
    name: "mem_get_observation",
    title: "Get Observation",
    traits: "read",
    description: "One memory whole, by the id a search or timeline showed.",
    parameters: { id: number(), project: text() },
    required: ["id"],
    operations: [agentGet],
    async call(args, context) {
      const id = needed(args.integer("id"), "id is required");
      const { resolved, observation } = await context.call(agentGet, { id });
      return envelope(resolved, observationText(observation, context.timeZone));
    },
  }),
  tool({
    name: "mem_save_prompt",
    title: "Save User Prompt",
    traits: "write",
    description: "Record what the user asked, when it states a goal later sessions should know.",
    parameters: { content: text(), session_id: text(), project: text(), project_choice_reason: text(), recovery_token: text() },
    required: ["content"],
    operations: [agentPrompt],
    async call(args, context) {
      const { resolved, preview } = await context.call(agentPrompt, {
        content: args.text("content") ?? "",
        session_id: args.text("session_id") || undefined,
      });
      return envelope(resolved, `Prompt saved: ${quote(preview)}`);
    },
  }),
  tool({
    name: "mem_session_summary",
    title: "Save Session Summary",
    traits: "write",
    description:
      "Call before you end a session. content, in Markdown: ## Goal, ## Instructions (what the user wants always), ## Discoveries, ## Accomplished, ## Next Steps, ## Relevant Files. Concrete: names, paths, reasons.",
    parameters: { content: text(), session_id: text(), project: PROJECT, project_choice_reason: text(), recovery_token: text() },
    required: ["content"],
    operations: [agentSummary],
    async call(args, context) {
      const content = args.text("content");
      if (!content?.trim()) throw new EngramError("invalid", "content is required for mem_session_summary");
      const save = await during(
        "Failed to save session summary: ",
        context.call(agentSummary, {
          content,
          session_id: args.text("session_id") || undefined,
          project: args.text("project"),
          choiceReason: args.text("project_choice_reason"),
          recoveryToken: args.text("recovery_token"),
        }),
      );
      const { calls, saves } = context.activity.of(save.session.id);
      const idle = calls > 5 && saves === 0 ? " — high activity with no saves, consider persisting important decisions" : "";
      const activity =
        calls + saves > 0
          ? `\nSession activity: ${calls} tool call${calls === 1 ? "" : "s"}, ${saves} save${saves === 1 ? "" : "s"}${idle}`
          : "";
      return saved(save, `Session summary saved for project ${quote(save.resolved.project)}${activity}`);
    },
  }),
  tool({
    name: "mem_current_project",
    title: "Detect Current Project",
    traits: "read",
    description: "Which project saves and searches use here, and how that is known. Never fails.",
    output: ANYTHING,
    operations: [whereAmI],
    async call(_args, context) {
      const { project, source, path, cwd, available, warning, problem } = await context.call(whereAmI, {});
      return bare({
        available_projects: available.length > 0 ? available : null,
        cwd,
        project,
        project_path: path,
        project_source: source,
        ...(warning ? { warning } : {}),
        ...(problem ? { error_hint: problem.hint } : {}),
      });
    },
  }),
  tool({
    name: "mem_list_projects",
    title: "List Known Projects",
    traits: "read",
    description: "Every project with memories, most first.",
    output: ANYTHING,
    operations: [listProjects],
    async call(_args, context) {
      const projects = await context.call(listProjects, {});
      return bare({ count: projects.length, projects });
    },
  }),
  tool({
    name: "mem_judge",
    title: "Judge Memory Conflict",
    traits: "write",
    description:
      "Settle a pair that a save reported (judgment_required): pass that candidate's own judgment_id. relation: related, compatible, scoped, conflicts_with, supersedes, not_conflict. Ask the user first when you are less than 0.7 sure, or when supersedes or conflicts_with touches a decision, policy or architecture.",
    parameters: {
      judgment_id: text(),
      relation: text(),
      reason: text(),
      evidence: text(),
      confidence: number("0 to 1"),
      session_id: text(),
    },
    required: ["judgment_id", "relation"],
    output: ANYTHING,
    operations: [judgeRelation],
    async call(args, context) {
      const relation = await context.call(judgeRelation, {
        judgment_id: needed(args.text("judgment_id") || undefined, "judgment_id is required"),
        relation: needed(args.text("relation") || undefined, "relation is required"),
        reason: args.text("reason"),
        evidence: args.text("evidence"),
        confidence: args.decimal("confidence"),
        session_id: args.text("session_id"),
      });
      return { structured: { relation } };
    },
  }),
  tool({
    name: "mem_compare",
    title: "Compare Memory Pair (Persist Semantic Verdict)",
    traits: "idempotent",
    description: "Record your verdict on two memories you have read. Same relations as mem_judge.",
    parameters: {
      memory_id_a: number(),
      memory_id_b: number(),
      relation: text(),
      confidence: number("0 to 1"),
      reasoning: text(),
      model: text(),
    },
    required: ["memory_id_a", "memory_id_b", "relation", "confidence", "reasoning"],
    output: ANYTHING,
    operations: [compareMemories],
    async call(args, context) {
      const sync_id = await context.call(compareMemories, {
        a: needed(args.integer("memory_id_a"), "memory_id_a is required (integer observation id)"),
        b: needed(args.integer("memory_id_b"), "memory_id_b is required (integer observation id)"),
        relation: needed(args.text("relation") || undefined, "relation is required"),
        confidence: needed(args.decimal("confidence"), "confidence is required (float 0.0..1.0)"),
        reasoning: needed(args.text("reasoning")?.trim() ? args.text("reasoning") : undefined, "reasoning is required"),
        model: args.text("model"),
      });
      return bare({ sync_id });
    },
  }),
  tool({
    name: "mem_update",
    title: "Update Memory",
    deferred: true,
    traits: "write",
    description:
      "Correct a memory by id; only the fields you pass change. find + replace edit the content literally. The text before stays readable.",
    parameters: {
      id: number(),
      title: text(),
      content: text(),
      find: text(),
      replace: text(),
      type: text(),
      scope: text(),
      topic_key: text(),
      project: text("move it there"),
      expected_project: text(),
    },
    required: ["id"],
    operations: [agentUpdate],
    async call(args, context) {
      const id = needed(args.integer("id"), "id is required");
      const names = ["title", "content", "find", "replace", "type", "scope", "topic_key", "project"] as const;
      const change = Object.fromEntries(
        names.flatMap((name) => (args.text(name) === undefined ? [] : [[name, args.text(name)]])),
      );
      if (Object.keys(change).length === 0) throw new EngramError("invalid", "provide at least one field to update");
      const {
        resolved,
        observation: o,
        truncation,
      } = await during(
        "Failed to update memory: ",
        context.call(agentUpdate, { id, ...change, expected_project: args.text("expected_project") }),
      );
      return envelope(
        resolved,
        `Memory updated: #${o.id} ${quote(o.title)} (${o.type}, scope=${o.scope})${truncationLine(truncation)}`,
        truncation?.truncated ? { truncation } : {},
      );
    },
  }),
  tool({
    name: "mem_review",
    title: "Review Memories",
    deferred: true,
    traits: "write",
    description:
      "action list: decisions, policies and preferences whose review date has passed. Check one, then mark_reviewed with its id.",
    parameters: {
      action: text("list or mark_reviewed"),
      project: text(),
      limit: number(),
      observation_id: number(),
      id: number(),
    },
    required: ["action"],
    operations: [agentReview, markReviewed],
    async call(args, context) {
      const action = args.text("action");
      if (action === "list") {
        const { resolved, items } = await context.call(agentReview, {
          project: args.text("project"),
          limit: args.integer("limit"),
        });
        return envelope(resolved, reviewText(items), { observations: items.map(wireReview) });
      }
      if (action !== "mark_reviewed") throw new EngramError("invalid", "action must be one of: list, mark_reviewed");
      const id = needed(args.integer("observation_id") ?? args.integer("id"), "observation_id is required for mark_reviewed");
      const item = await during("Failed to mark reviewed: ", context.call(markReviewed, { id }));
      const { observation: o } = item;
      const { resolved } = await context.call(agentGet, { id });
      const { id: _i, title: _t, type: _y, project: _p, ...told } = wireReview(item);
      return envelope(resolved, `Memory marked reviewed: #${o.id} ${quote(o.title)} (${o.type})`, { id: o.id, ...told });
    },
  }),
  tool({
    name: "mem_suggest_topic_key",
    title: "Suggest Topic Key",
    deferred: true,
    traits: "read",
    description: "A stable topic_key for a title or text, to use in mem_save.",
    parameters: { type: text(), title: text(), content: text() },
    operations: [suggestKey],
    async call(args, context) {
      const { topic_key } = await context.call(suggestKey, {
        type: args.text("type") ?? "",
        title: args.text("title") ?? "",
        content: args.text("content") ?? "",
      });
      return plain(`Suggested topic_key: ${topic_key}`);
    },
  }),
  ...(
    [
      ["mem_pin", "Pin Memory", true, "Keep a memory in every context of its project."],
      ["mem_unpin", "Unpin Memory", false, "Undo mem_pin."],
    ] as const
  ).map(([name, title, pinned, description]) =>
    tool({
      name,
      title,
      deferred: true,
      traits: "idempotent",
      description,
      parameters: { id: number() },
      required: ["id"],
      operations: [pinObservation],
      async call(args, context) {
        const id = needed(args.integer("id"), "id is required");
        const o = await during("Failed to update pin state: ", context.call(pinObservation, { id, pinned }));
        return bare({ id: o.id, pinned, result: `Memory #${o.id} ${pinned ? "pinned" : "unpinned"}`, sync_id: o.sync_id });
      },
    }),
  ),
  tool({
    name: "mem_session_start",
    title: "Start Session",
    deferred: true,
    traits: "idempotent",
    description: "Register this session, when no plugin does it for you.",
    parameters: { id: text(), directory: text() },
    required: ["id"],
    operations: [agentStart],
    async call(args, context) {
      const { resolved, id } = await context.call(agentStart, { id: args.text("id") ?? "", directory: args.text("directory") });
      context.activity.called(id);
      return envelope(resolved, `Session ${quote(id)} started for project ${quote(resolved.project)}`);
    },
  }),
  tool({
    name: "mem_session_end",
    title: "End Session",
    deferred: true,
    traits: "idempotent",
    description: "End a session by id, with a line on what was done.",
    parameters: { id: text(), summary: text() },
    required: ["id"],
    operations: [agentEnd],
    async call(args, context) {
      const { resolved, id } = await context.call(agentEnd, { id: args.text("id") ?? "", summary: args.text("summary") });
      return envelope(resolved, `Session ${quote(id)} completed`);
    },
  }),
  tool({
    name: "mem_capture_passive",
    title: "Capture Learnings",
    deferred: true,
    traits: "idempotent",
    description: 'Save each item of a "## Key Learnings:" section in a text as a memory of its own; known ones are skipped.',
    parameters: { content: text(), session_id: text(), source: text() },
    required: ["content"],
    operations: [agentCapture],
    async call(args, context) {
      const content = args.text("content");
      if (!content) throw new EngramError("invalid", "content is required — include text with a '## Key Learnings:' section");
      const input = { content, session_id: args.text("session_id") || undefined, source: args.text("source") || "mcp-passive" };
      const { resolved, extracted, saved, duplicates } = await during(
        "Passive capture failed: ",
        context.call(agentCapture, input),
      );
      return envelope(resolved, `Passive capture complete: extracted=${extracted} saved=${saved} duplicates=${duplicates}`);
    },
  }),
  tool({
    name: "mem_doctor",
    title: "Run Engram Doctor",
    deferred: true,
    traits: "read",
    description: "Check the memory store for problems; read-only. Each finding says what to do.",
    parameters: { project: text(), check: text() },
    output: ANYTHING,
    operations: [agentDoctor],
    async call(args, context) {
      const report = await context.call(agentDoctor, { project: args.text("project"), check: args.text("check") });
      return { structured: { ...report }, ...(report.status === "error" ? { isError: true } : {}) };
    },
  }),
  tool({
    name: "mem_delete",
    title: "Delete Memory",
    profile: "admin",
    deferred: true,
    traits: "destructive",
    description: "Hide a memory (soft), or remove it for good (hard_delete). Only when the user asks for it.",
    parameters: { id: number(), hard_delete: flag(), expected_project: text() },
    required: ["id"],
    operations: [deleteObservation],
    async call(args, context) {
      const id = needed(args.integer("id"), "id is required");
      const hard = args.flag("hard_delete") ?? false;
      await during(
        "Failed to delete memory: ",
        context.call(deleteObservation, { id, hard, expected_project: args.text("expected_project") }),
      );
      return plain(`Memory #${id} ${hard ? "permanently deleted" : "soft-deleted"}`);
    },
  }),
  tool({
    name: "mem_stats",
    title: "Memory Stats",
    profile: "admin",
    deferred: true,
    traits: "read",
    description: "How much is stored, over all projects.",
    parameters: { project: text() },
    operations: [agentStats],
    async call(args, context) {
      const { resolved, stats } = await context.call(agentStats, { project: args.text("project") });
      return envelope(
        resolved,
        `Memory System Stats:\n- Sessions: ${stats.total_sessions}\n- Observations: ${stats.total_observations}\n- Prompts: ${stats.total_prompts}\n- Projects: ${stats.projects.join(", ") || "none yet"}`,
      );
    },
  }),
  tool({
    name: "mem_timeline",
    title: "Memory Timeline",
    profile: "admin",
    deferred: true,
    traits: "read",
    description: "What was saved before and after a memory in its session.",
    parameters: { observation_id: number(), before: number("default 5"), after: number("default 5"), project: text() },
    required: ["observation_id"],
    operations: [agentTimeline],
    async call(args, context) {
      const id = needed(args.integer("observation_id"), "observation_id is required");
      const input = { id, before: args.integer("before"), after: args.integer("after"), project: args.text("project") };
      const { resolved, timeline } = await during("Timeline error: ", context.call(agentTimeline, input));
      return envelope(resolved, renderTimeline(timeline, context.timeZone));
    },
  }),
  tool({
    name: "mem_merge_projects",
    title: "Merge Projects",
    profile: "admin",
    deferred: true,
    traits: "destructive-idempotent",
    description: "Move everything of some projects (from: names between commas) into one. Only when the user asks for it.",
    parameters: { from: text(), to: text() },
    required: ["from", "to"],
    operations: [agentMerge],
    async call(args, context) {
      const merged = await context.call(agentMerge, { from: args.text("from") ?? "", to: args.text("to") ?? "" });
      return plain(
        `Merged ${merged.sources} source(s) into ${quote(merged.to)}:\n  Observations moved: ${merged.observations}\n  Sessions moved:     ${merged.sessions}\n  Prompts moved:      ${merged.prompts}\n`,
      );
    },
  }),
];
