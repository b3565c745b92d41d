// A typed client over the same bindings the server is made of. Used by commands that talk to a running server, and by tests.
import { request as httpRequest } from "node:http";
import { messageOf } from "../kernel/errors.ts";
import type { AnyHttpBinding } from "../registry/http.ts";

export interface ClientTarget {
  /** `http://127.0.0.1:7437`, or a socket path. */
  origin?: string;
  socket?: string;
  token?: string | undefined;
  timeoutMs?: number;
}

export interface Call {
  params?: Record<string, string | number>;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
}

export interface Answer {
  status: number;
  body: unknown;
  headers: Readonly<Record<string, string>>;
}

const pathOf = (binding: Pick<AnyHttpBinding, "path">, { params = {}, query = {} }: Call): string => {
  const path = binding.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name] ?? "")));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size > 0 ? `${path}?${search}` : path;
};

/** Rejects only when no answer came; a refusal is an answer. */
export function callServer(
  target: ClientTarget,
  binding: Pick<AnyHttpBinding, "method" | "path">,
  call: Call = {},
): Promise<Answer> {
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  const url = new URL(target.origin ?? "http://localhost");
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        ...(target.socket ? { socketPath: target.socket } : { host: url.hostname, port: url.port }),
        method: binding.method,
        path: pathOf(binding, call),
        headers: {
          host: target.socket ? "localhost" : url.host,
          ...(body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
          ...(target.token ? { authorization: `Bearer ${target.token}` } : {}),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          const headers = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
          try {
            resolve({ status: response.statusCode ?? 0, body: text === "" ? undefined : JSON.parse(text), headers });
          } catch (error) {
            reject(new Error(`the answer is no JSON: ${messageOf(error)}`));
          }
        });
      },
    );
    request.setTimeout(target.timeoutMs ?? 5000, () =>
      request.destroy(new Error(`no answer within ${target.timeoutMs ?? 5000} ms`)),
    );
    request.on("error", reject);
    request.end(body);
  });
}
