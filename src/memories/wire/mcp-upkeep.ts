// Tools that correct, keep, judge and remove memories already there.
import { EngramError } from "../../kernel/errors.ts";
import { quote } from "../../kernel/text.ts";
import type { McpTool } from "../../registry/mcp.ts";
import { agentGet, agentReview, agentUpdate } from "../operations/agent-reads.ts";
import { deleteObservation, markReviewed, pinObservation } from "../operations/observations.ts";
import { compareMemories, judgeRelation } from "../operations/relations.ts";
import { bare, envelope, plain, reviewText, truncationLine } from "./mcp-render.ts";
import { ANYTHING, during, flag, needed, number, text, tool } from "./mcp-tool.ts";
import { wireReview } from "./shapes.ts";

export const upkeepTools: McpTool[] = [
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
    operations: [agentReview, markReviewed, agentGet],
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
];
