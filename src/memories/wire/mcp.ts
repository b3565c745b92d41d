// Every tool of the room. Descriptions are written for a model: when to call, what comes back, what to do next.
import type { McpTool } from "../../registry/mcp.ts";
import { projectTools } from "./mcp-projects.ts";
import { readTools } from "./mcp-reads.ts";
import { saveTools } from "./mcp-saves.ts";
import { upkeepTools } from "./mcp-upkeep.ts";

export const memoryTools: McpTool[] = [...saveTools, ...readTools, ...upkeepTools, ...projectTools];
