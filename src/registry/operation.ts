// An operation: a parsed input, the slice of the app it uses, a plain value back. It knows no transport.
import type { z } from "zod";
import { invalid } from "../kernel/errors.ts";
import { once } from "../kernel/once.ts";

/** Drives read-only mode, auth, CSRF and MCP hints; never branched on inside an operation. */
export type OperationKind = "read" | "write" | "admin";

export interface Operation<App, Input, Output> {
  name: string;
  kind: OperationKind;
  summary: string;
  /** Built on first use. */
  input(): z.ZodType<Input>;
  run(app: App, input: Input): Output | Promise<Output>;
}

export function operation<App, Schema extends z.ZodType, Output>(definition: {
  name: string;
  kind: OperationKind;
  summary: string;
  input: () => Schema;
  run(app: App, input: z.output<Schema>): Output | Promise<Output>;
}): Operation<App, z.output<Schema>, Awaited<Output>> {
  return { ...definition, input: once(definition.input) } as unknown as Operation<App, z.output<Schema>, Awaited<Output>>;
}

/** A catalogue holds operations of every app slice and shape side by side. */
// biome-ignore lint/suspicious/noExplicitAny: the only place where the types of one operation are forgotten
export type AnyOperation = Operation<any, any, any>;

export const describeIssue = (error: z.ZodError): string => {
  const issue = error.issues[0];
  return issue ? `${issue.path.length > 0 ? `${issue.path.join(".")}: ` : ""}${issue.message}` : "the input is not usable";
};

/** The one way in: what no binding let through wrongly becomes a clear `invalid` here. */
export async function invoke<App, Input, Output>(op: Operation<App, Input, Output>, app: App, input: Input): Promise<Output> {
  const parsed = op.input().safeParse(input);
  if (!parsed.success) throw invalid(describeIssue(parsed.error));
  return op.run(app, parsed.data);
}
