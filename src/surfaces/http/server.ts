// The HTTP host: routes every binding through the same guard, limits, decoding, encoding and error table.
import { Hono } from "hono";
import { EngramError } from "../../kernel/errors.ts";
import { jsonLine } from "../../kernel/json.ts";
import { type AnyHttpBinding, type HttpReply, type HttpRequest, TextStream } from "../../registry/http.ts";
import { invoke } from "../../registry/operation.ts";
import { errorReply } from "./errors.ts";
import { checkCaller, checkToken, type Guard } from "./guard.ts";

const DEFAULT_BODY_LIMIT = 1024 * 1024;
const JSON_TYPE = "application/json";

const honoPath = (path: string): string => path.replace(/\{(\w+)\}/g, ":$1");
const pattern = (path: string): RegExp => new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(jsonLine(body), {
    status,
    headers: { "content-type": JSON_TYPE, "x-content-type-options": "nosniff", ...headers },
  });

/** A caller that hangs up in the middle is no fault of ours. */
async function bodyOf(request: Request, limit: number): Promise<string> {
  try {
    return await readBody(request, limit);
  } catch (error) {
    throw error instanceof EngramError
      ? error
      : new EngramError("invalid", "the request ended before its body", {}, { cause: error });
  }
}

async function readBody(request: Request, limit: number): Promise<string> {
  const tooLarge = () => new EngramError("too_large", `request body is larger than ${limit} bytes`);
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  if (length > limit) throw tooLarge();
  // A declared length is kept by the server beneath: reading it whole is much cheaper than reading a stream.
  if (length >= 0) return Buffer.from(await request.arrayBuffer()).toString("utf8");
  if (!request.body) return "";
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > limit) {
      await reader.cancel();
      throw tooLarge();
    }
    chunks.push(value);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function streamed(pieces: Iterable<string>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.iterator]();
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull(controller) {
      // A few hundred rows at a time: small enough to stay out of other requests' way, large enough to be quick.
      let text = "";
      while (text.length < 64 * 1024) {
        const { done, value } = iterator.next();
        if (done) {
          if (text !== "") controller.enqueue(encoder.encode(text));
          controller.close();
          return;
        }
        text += value;
      }
      controller.enqueue(encoder.encode(text));
    },
    cancel: () => void iterator.return?.(),
  });
}

function reply(binding: AnyHttpBinding, { body, headers = {} }: HttpReply): Response {
  const status = binding.status ?? 200;
  if (body instanceof TextStream)
    return new Response(streamed(body.pieces), { status, headers: { "content-type": JSON_TYPE, ...headers } });
  return json(status, body, headers);
}

export interface HttpHost extends Guard {
  bindings: AnyHttpBinding[];
  directory: string;
  /** Made by the first request that needs it, so that a slow disk does not delay the start. */
  app: () => unknown;
  reportError(error: unknown): void;
  /** Answers requests to a path of its own, behind the same guard; the token, where one is set, is wanted for every one. */
  mounted?: { path: string; fetch(request: Request): Promise<Response> };
}

export function createHttpApp(host: HttpHost): { fetch(request: Request): Response | Promise<Response> } {
  const hono = new Hono();
  const failure = (error: unknown): Response => {
    const { status, body } = errorReply(error, host.reportError);
    return json(status, body, status === 401 ? { "www-authenticate": 'Bearer realm="engram"' } : {});
  };

  hono.use(async (c, next) => {
    try {
      // What is mounted posts even its reads, and its clients may name their origin: a foreign one is refused all the same.
      const writes = !["GET", "HEAD"].includes(c.req.method) && c.req.path !== host.mounted?.path;
      checkCaller(c.req.raw.headers, writes, host);
    } catch (error) {
      return failure(error);
    }
    return next();
  });
  for (const binding of host.bindings) {
    hono.on(binding.method, honoPath(binding.path), async (c) => {
      try {
        checkToken(c.req.raw.headers, binding.auth, host);
        const url = c.req.url;
        const mark = url.indexOf("?");
        const request: HttpRequest = {
          params: c.req.param() as Record<string, string>,
          query: new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1)),
          serverDirectory: host.directory,
          body: binding.method === "GET" ? "" : await bodyOf(c.req.raw, binding.bodyLimit ?? DEFAULT_BODY_LIMIT),
        };
        checkToken(c.req.raw.headers, binding.authFor?.(request), host);
        const value = await invoke(binding.operation, host.app(), binding.decode(request));
        return reply(binding, binding.encode(value, request));
      } catch (error) {
        return failure(error);
      }
    });
  }

  const { mounted } = host;
  if (mounted) {
    hono.all(mounted.path, (c) => {
      try {
        checkToken(c.req.raw.headers, "token", host);
        return mounted.fetch(c.req.raw);
      } catch (error) {
        return failure(error);
      }
    });
  }

  const routes = host.bindings.map((binding) => ({ method: binding.method, matches: pattern(binding.path) }));
  hono.notFound((c) => {
    const methods = new Set(
      routes
        .filter(({ matches }) => matches.test(c.req.path))
        .flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])),
    );
    if (methods.size === 0) return json(404, { error: `no route ${c.req.path}` });
    return json(405, { error: `method ${c.req.method} is not allowed here` }, { allow: [...methods].sort().join(", ") });
  });
  hono.onError(failure);
  return hono;
}
