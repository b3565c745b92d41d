// How a tool of the room is written down: its parameters, its traits, and the errors all of them share.
import { EngramError } from "../../kernel/errors.ts";
import type { JsonSchema, McpAnswer, McpArguments, McpContext, McpTool } from "../../registry/mcp.ts";
import type { AnyOperation } from "../../registry/operation.ts";

export const text = (description?: string): JsonSchema => ({ type: "string", ...(description ? { description } : {}) });
export const number = (description?: string): JsonSchema => ({ type: "number", ...(description ? { description } : {}) });
export const flag = (description?: string): JsonSchema => ({ type: "boolean", ...(description ? { description } : {}) });

const object = (properties: Record<string, JsonSchema>, required: string[] = []): JsonSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: true,
});
const ENVELOPE = object({ project: { type: "string" }, project_source: { type: "string" }, result: { type: "string" } }, [
  "result",
]);
export const ANYTHING = object({});

export const PROJECT = text("a known project; default: the current one");

type Traits = "read" | "write" | "idempotent" | "destructive" | "destructive-idempotent";

export function tool(definition: {
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

export const needed = <T>(value: T | undefined, message: string): T => {
  if (value === undefined) throw new EngramError("invalid", message);
  return value;
};

/** Words before a store's sentence, so that a model knows which step failed. */
export async function during<T>(prefix: string, action: Promise<T>): Promise<T> {
  try {
    return await action;
  } catch (error) {
    if (error instanceof EngramError && error.details.error_code === undefined)
      throw new EngramError(error.kind, `${prefix}${error.message}`, { ...error.details });
    throw error;
  }
}
