// Tools about projects and the health of the store.
import { quote } from "../../kernel/text.ts";
import type { McpTool } from "../../registry/mcp.ts";
import { agentMerge } from "../operations/agent.ts";
import { agentDoctor, whereAmI } from "../operations/agent-reads.ts";
import { listProjects } from "../operations/projects.ts";
import { bare, plain } from "./mcp-render.ts";
import { ANYTHING, text, tool } from "./mcp-tool.ts";

export const projectTools: McpTool[] = [
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
];
