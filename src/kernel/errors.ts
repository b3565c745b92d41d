// The closed set of ways an operation can fail. Each surface maps every kind once (status, exit code, hint).
// `details` are extra keys an answer carries beside the sentence; they never hold secrets.

export type ErrorKind =
  | "invalid" // the caller sent something that cannot be used
  | "not_found"
  | "conflict" // the request is well formed but the stored state forbids it
  | "unauthorized"
  | "forbidden"
  | "too_large"
  | "unavailable" // the store or a dependency cannot serve now
  | "internal";

export class EngramError extends Error {
  readonly kind: ErrorKind;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(kind: ErrorKind, message: string, details: Record<string, unknown> = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = "EngramError";
    this.kind = kind;
    this.details = details;
  }
}

export const invalid = (message: string, details?: Record<string, unknown>) => new EngramError("invalid", message, details);
export const notFound = (message: string, details?: Record<string, unknown>) => new EngramError("not_found", message, details);
export const conflict = (message: string, details?: Record<string, unknown>) => new EngramError("conflict", message, details);

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
