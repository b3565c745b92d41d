// How an operation appears over HTTP. The host knows these bindings and nothing of the rooms behind them.
import type { z } from "zod";
import type { AnyOperation, Operation } from "./operation.ts";

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface HttpRequest {
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** Read whole, within the binding's limit; "" when there is none. */
  body: string;
  /** Where the server was started. */
  serverDirectory: string;
}

export interface HttpReply {
  body: unknown;
  headers?: Readonly<Record<string, string>>;
}

/** Pieces of a body that is too large to build in memory. */
export class TextStream {
  readonly pieces: Iterable<string>;

  constructor(pieces: Iterable<string>) {
    this.pieces = pieces;
  }
}

export interface HttpBinding<App, Input, Output> {
  operation: Operation<App, Input, Output>;
  method: HttpMethod;
  /** `{name}` stands for one segment. */
  path: string;
  /** On success; 200 unless said otherwise. */
  status?: number;
  /** `token`: guarded when a token is configured. `token_required`: refused while none is. */
  auth?: "token" | "token_required";
  /** Where only the body tells how much a request may do; asked besides `auth`. */
  authFor?(request: HttpRequest): "token" | "token_required" | undefined;
  bodyLimit?: number;
  docs(): { query?: z.ZodType; body?: z.ZodType; response: z.ZodType; notes?: string };
  decode(request: HttpRequest): Input;
  encode(value: Output, request: HttpRequest): HttpReply;
}

// biome-ignore lint/suspicious/noExplicitAny: the catalogue's view of a binding
export type AnyHttpBinding = Omit<HttpBinding<any, any, any>, "operation"> & { operation: AnyOperation };

export const http = <App, Input, Output>(binding: HttpBinding<App, Input, Output>): AnyHttpBinding => binding;
