// MCP put together: which tools a selection means, and the server that offers them.
import { keepRecoveries } from "../memories/operations/recovery.ts";
import { memoryTools } from "../memories/wire/mcp.ts";
import { memoryPrompts, memoryResources } from "../memories/wire/mcp-prompts.ts";
import type { McpContext, McpTool } from "../registry/mcp.ts";
import { type AnyOperation, invoke, type Operation } from "../registry/operation.ts";
import { watchActivity } from "../surfaces/mcp/activity.ts";
import { instructionsFor } from "../surfaces/mcp/instructions.ts";
import type { McpHost } from "../surfaces/mcp/server.ts";
import type { Runtime } from "./runtime.ts";
import { VERSION } from "./version.ts";

/** Every tool of every room, by name: lists must not change their order from call to call. */
export const allTools: McpTool[] = [...memoryTools].sort((a, b) => (a.name < b.name ? -1 : 1));

/** Profiles and names between commas; `all` or nothing means everything; unknown names select nothing. */
export function selectTools(list: string | undefined): McpTool[] {
  const wanted = new Set(
    (list ?? "")
      .split(",")
      .map((word) => word.trim())
      .filter((word) => word !== ""),
  );
  if (wanted.size === 0 || wanted.has("all")) return allTools;
  return allTools.filter((tool) => wanted.has(tool.name) || wanted.has(tool.profile));
}

export async function mcpHost(runtime: Runtime, tools: McpTool[], cwd: string): Promise<McpHost> {
  const app = await runtime.app();
  const seen = Object.defineProperties(Object.create(app) as typeof app, {
    cwd: { value: cwd },
    recoveries: { value: keepRecoveries(app.clock, app.ids) },
  });
  const context: McpContext = {
    call: <Input, Output>(op: Operation<never, Input, Output>, input: Input) =>
      invoke(op as AnyOperation as Operation<object, Input, Output>, seen, input),
    activity: watchActivity(app.clock),
    timeZone: app.timeZone,
    now: () => app.clock.now(),
  };
  return {
    version: VERSION,
    tools,
    prompts: memoryPrompts,
    resources: memoryResources,
    instructions: instructionsFor(tools),
    context,
    reportError: runtime.reportError,
  };
}
