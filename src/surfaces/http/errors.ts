// One table: what a kind of failure means over HTTP. Unexpected errors say nothing of the engine beneath.
import { EngramError, type ErrorKind } from "../../kernel/errors.ts";

const STATUS = {
  invalid: 400,
  not_found: 404,
  conflict: 409,
  unauthorized: 401,
  forbidden: 403,
  too_large: 413,
  unavailable: 503,
  internal: 500,
} as const satisfies Record<ErrorKind, number>;

export interface ErrorReply {
  status: number;
  body: { error: string; [detail: string]: unknown };
}

export function errorReply(error: unknown, report: (error: unknown) => void): ErrorReply {
  if (error instanceof EngramError) return { status: STATUS[error.kind], body: { error: error.message, ...error.details } };
  report(error);
  return { status: STATUS.internal, body: { error: "internal error; the server's log has the details" } };
}
