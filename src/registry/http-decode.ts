// Reading requests the way the Go program does: numbers and booleans that cannot be read count as absent,
// `null` counts as absent, a body that is no JSON object is `invalid json: …`.
import type { z } from "zod";
import { type EngramError, invalid, messageOf } from "../kernel/errors.ts";
import type { HttpRequest } from "./http.ts";
import { describeIssue } from "./operation.ts";

export const text = (query: URLSearchParams, name: string): string | undefined => query.get(name) ?? undefined;

export function integer(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  return value !== null && /^[+-]?\d{1,15}$/.test(value) ? Number(value) : undefined;
}

const TRUE = ["1", "t", "T", "TRUE", "true", "True"];
const FALSE = ["0", "f", "F", "FALSE", "false", "False"];

export function boolean(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name) ?? "";
  return TRUE.includes(value) ? true : FALSE.includes(value) ? false : undefined;
}

/** An id in a path: 64-bit in Go, so anything longer is no id. */
export const pathId = (request: HttpRequest, problem: string): number => rowId(request.params.id ?? "", problem);

export function rowId(value: string, problem: string): number {
  if (!/^[+-]?\d{1,19}$/.test(value) || BigInt(value) > 9_223_372_036_854_775_807n) throw invalid(problem);
  // No row has an id below zero, nor one beyond what a number holds exactly.
  const id = Number(value);
  return Number.isSafeInteger(id) ? Math.max(id, -1) : -1;
}

export function parseJson(source: string): unknown {
  if (source.trim() === "") throw invalid("invalid json: EOF");
  try {
    return JSON.parse(source);
  } catch (error) {
    throw invalid(`invalid json: ${messageOf(error)}`);
  }
}

/** Keys that are null are dropped before the schema sees them. */
export function jsonBody<Schema extends z.ZodType>(request: HttpRequest, schema: Schema): z.output<Schema> {
  const value = parseJson(request.body) ?? {};
  if (typeof value !== "object" || Array.isArray(value)) throw invalid("invalid json: expected an object");
  const present = Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
  const parsed = schema.safeParse(present);
  if (!parsed.success) throw invalid(`invalid json: ${describeIssue(parsed.error)}`) as EngramError;
  return parsed.data;
}
