// Tools an agent writes with while it works: memories, prompts, sessions.
import { EngramError } from "../../kernel/errors.ts";
import { quote } from "../../kernel/text.ts";
import type { McpArguments, McpTool } from "../../registry/mcp.ts";
import { agentCapture, agentEnd, agentPrompt, agentSave, agentStart, agentSummary } from "../operations/agent.ts";
import { envelope, saveAnswer, saved } from "./mcp-render.ts";
import { during, flag, PROJECT, text, tool } from "./mcp-tool.ts";

const target = (args: McpArguments) => ({
  session_id: args.text("session_id") || undefined,
  project: args.text("project"),
  choiceReason: args.text("project_choice_reason"),
  recoveryToken: args.text("recovery_token"),
});

export const saveTools: McpTool[] = [
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
          ...target(args),
        }),
      );
      context.activity.saved(save.session.id);
      return saveAnswer(save);
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
          ...target(args),
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
];
