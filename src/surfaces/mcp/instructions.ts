// What a client tells its model about the server: short, and only about tools that are really offered.
import type { McpTool } from "../../registry/mcp.ts";

/** One line each; tools without one explain themselves by their description. */
const LINES: Readonly<Record<string, string>> = {
  mem_save: "save what is worth knowing next time, right when you learn it",
  mem_search: "look before you redo or ask",
  mem_context: "what happened before, at the start and after compaction",
  mem_session_summary: "before you end",
};

export function instructionsFor(tools: McpTool[]): string {
  const names = new Set(tools.map((tool) => tool.name));
  const core = Object.entries(LINES).filter(([name]) => names.has(name));
  const deferred = tools.filter((tool) => tool.deferred).map((tool) => tool.name);
  const parts = ["Engram is your memory across sessions."];
  if (core.length > 0) parts.push(core.map(([name, line]) => `- ${name}: ${line}`).join("\n"));
  if (names.has("mem_save"))
    parts.push(
      "Save without being asked: decisions, fixed bugs, discoveries, conventions, configuration, what the user prefers.",
    );
  if (names.has("mem_judge"))
    parts.push("When a save answers judgment_required, call mem_judge once per candidate with its own judgment_id.");
  if (deferred.length > 0) parts.push(`More through tool search: ${deferred.join(", ")}.`);
  parts.push("Memory is bookkeeping: your full answer to the user is still your last message.");
  return parts.join("\n\n");
}
