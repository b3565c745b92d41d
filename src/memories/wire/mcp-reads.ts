// Tools that find and read memories.
import type { McpTool } from "../../registry/mcp.ts";
import { agentContext, agentGet, agentSearch, agentStats, agentTimeline } from "../operations/agent-reads.ts";
import { suggestKey } from "../operations/observations.ts";
import { withinBudget } from "../rules/context.ts";
import { compactHit, envelope, hitEntry, nudge, observationText, plain, searchText, statsLine } from "./mcp-render.ts";
import { during, flag, needed, number, PROJECT, text, tool } from "./mcp-tool.ts";
import { renderTimeline } from "./render.ts";

export const readTools: McpTool[] = [
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
];
