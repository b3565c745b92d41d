// The MCP host: offers the declared tools, prompts and resources through the SDK's low-level server, which speaks every revision.
import { ProtocolError, ProtocolErrorCode, Server, type Tool } from "@modelcontextprotocol/server";
import { EngramError, messageOf } from "../../kernel/errors.ts";
import { encodeJson } from "../../kernel/json.ts";
import type { McpAnswer, McpArguments, McpContext, McpPrompt, McpResource, McpTool } from "../../registry/mcp.ts";

export interface McpHost {
  version: string;
  tools: McpTool[];
  prompts: McpPrompt[];
  resources: McpResource[];
  instructions: string;
  context: McpContext;
  reportError(error: unknown): void;
}

const argumentsOf = (given: Readonly<Record<string, unknown>>): McpArguments => ({
  text: (name) => (typeof given[name] === "string" ? given[name] : undefined),
  integer: (name) => (typeof given[name] === "number" && Number.isFinite(given[name]) ? Math.trunc(given[name]) : undefined),
  decimal: (name) => (typeof given[name] === "number" && Number.isFinite(given[name]) ? given[name] : undefined),
  flag: (name) => (typeof given[name] === "boolean" ? given[name] : undefined),
});

const listed = (tool: McpTool) => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: { type: "object" as const, properties: tool.parameters as Record<string, object>, required: [...tool.required] },
  outputSchema: tool.output as { type: "object" },
  annotations: {
    title: tool.title,
    readOnlyHint: tool.readOnly,
    destructiveHint: tool.destructive,
    idempotentHint: tool.idempotent,
    openWorldHint: false,
  },
  ...(tool.deferred ? { _meta: { defer_loading: true } } : {}),
});

const content = ({ text, structured, isError }: McpAnswer) => ({
  content: [{ type: "text" as const, text: text ?? encodeJson(structured) }],
  structuredContent: structured,
  ...(isError ? { isError: true } : {}),
});

/** A failure a model can read: structured where the operation said what is valid, one sentence otherwise. */
function failure(error: unknown, reportError: (error: unknown) => void) {
  if (!(error instanceof EngramError)) reportError(error);
  const details: Readonly<Record<string, unknown>> = error instanceof EngramError ? error.details : {};
  if (details.error_code === undefined) return { content: [{ type: "text" as const, text: messageOf(error) }], isError: true };
  const body = Object.fromEntries(Object.entries({ ...details, message: messageOf(error) }).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { content: [{ type: "text" as const, text: encodeJson(body) }], isError: true };
}

/** What stands in the template's place in an address; undefined when the address is another, or nothing stands there. */
function variableOf(uri: string, template: string): string | undefined {
  const [before = "", after = ""] = template.split(/\{\w+\}/);
  if (!uri.startsWith(before) || !uri.endsWith(after) || uri.length <= before.length + after.length) return undefined;
  try {
    const variable = decodeURIComponent(uri.slice(before.length, uri.length - after.length));
    return variable.trim() === "" ? undefined : variable;
  } catch {
    return undefined;
  }
}

/** Writes of one process go one at a time, in the order they were asked for. */
function serial(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
}

export function createMcpServer(host: McpHost, inTurn = serial()): Server {
  const server = new Server(
    { name: "engram", version: host.version },
    { capabilities: { tools: { listChanged: true }, prompts: {}, resources: {} }, instructions: host.instructions },
  );
  server.setRequestHandler("tools/list", () => ({ tools: host.tools.map(listed) as Tool[] }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    const tool = host.tools.find(({ name }) => name === params.name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `tool '${params.name}' not found: tool not found`);
    const call = async () => {
      try {
        return content(await tool.call(argumentsOf(params.arguments ?? {}), host.context));
      } catch (error) {
        return failure(error, host.reportError);
      }
    };
    return tool.readOnly ? call() : inTurn(call);
  });
  server.setRequestHandler("prompts/list", () => ({
    prompts: host.prompts.map(({ name, title, description, arguments: args }) => ({
      name,
      title,
      description,
      arguments: [...args],
    })),
  }));
  server.setRequestHandler("prompts/get", ({ params }) => {
    const prompt = host.prompts.find(({ name }) => name === params.name);
    if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `prompt '${params.name}' not found`);
    const missing = prompt.arguments.find(({ name, required }) => required && !params.arguments?.[name]);
    if (missing)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `prompt '${params.name}' needs the argument ${missing.name}`);
    return {
      description: prompt.description,
      messages: [{ role: "user" as const, content: { type: "text" as const, text: prompt.render(params.arguments ?? {}) } }],
    };
  });
  server.setRequestHandler("resources/list", () => ({ resources: [] }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: host.resources.map(({ template, name, description, mimeType }) => ({
      uriTemplate: template,
      name,
      description,
      mimeType,
    })),
  }));
  server.setRequestHandler("resources/read", async ({ params }) => {
    for (const resource of host.resources) {
      const variable = variableOf(params.uri, resource.template);
      if (variable === undefined) continue;
      const text = await resource.read(variable, host.context);
      if (text !== undefined) return { contents: [{ uri: params.uri, mimeType: resource.mimeType, text }] };
    }
    throw new ProtocolError(ProtocolErrorCode.ResourceNotFound, `resource ${params.uri} not found`);
  });
  return server;
}
