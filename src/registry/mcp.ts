// How operations appear to agents over MCP: tools with guidance for a model, prompts, resources.
import type { AnyOperation, Operation } from "./operation.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface McpArguments {
  /** Values of another type count as absent, as in the Go program. */
  text(name: string): string | undefined;
  integer(name: string): number | undefined;
  decimal(name: string): number | undefined;
  flag(name: string): boolean | undefined;
}

/** What one process saw of one agent: for the save nudge and the closing line of a session. */
export interface McpActivity {
  called(session: string): void;
  saved(session: string): void;
  of(session: string): { calls: number; saves: number };
  /** Whole minutes since the last save (or the start), when a reminder is due. */
  quietMinutes(): number | undefined;
}

export interface McpContext {
  call<Input, Output>(op: Operation<never, Input, Output>, input: Input): Promise<Output>;
  activity: McpActivity;
  timeZone: string | undefined;
  now(): Date;
}

export interface McpAnswer {
  /** For the model; JSON text of `structured` when absent. */
  text?: string;
  structured: Record<string, unknown>;
  isError?: boolean;
}

export interface McpTool {
  name: string;
  title: string;
  /** Names a client may select by: `agent`, `admin`. */
  profile: string;
  /** Loaded by clients with tool search only when asked for. */
  deferred: boolean;
  readOnly: boolean;
  destructive: boolean;
  idempotent: boolean;
  description: string;
  parameters: Readonly<Record<string, JsonSchema>>;
  required: readonly string[];
  output: JsonSchema;
  operations: AnyOperation[];
  call(args: McpArguments, context: McpContext): Promise<McpAnswer>;
}

export interface McpPrompt {
  name: string;
  title: string;
  description: string;
  arguments: readonly { name: string; description: string; required: boolean }[];
  render(args: Readonly<Record<string, string>>): string;
}

export interface McpResource {
  /** `engram://observation/{id}` */
  template: string;
  name: string;
  description: string;
  mimeType: string;
  /** undefined: there is none. */
  read(variable: string, context: McpContext): Promise<string | undefined>;
}
