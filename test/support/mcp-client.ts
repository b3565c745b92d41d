// An MCP client of a few lines, over a real child's streams or over HTTP: it keeps every line it was sent, so that a test can
// look at all of them.
import { expect } from "bun:test";
import type { Environment, Place, Result, Server } from "./process.ts";
import { PROGRAM } from "./process.ts";

export type Json = Record<string, unknown>;

export interface Answer {
  jsonrpc: string;
  id: unknown;
  result?: Json;
  error?: { code: number; message: string };
}

export interface ToolAnswer {
  isError: boolean;
  /** The one text a model reads. */
  text: string;
  structured: Json | undefined;
}

const CLIENT = { name: "test", version: "1" };

/** What every request of the newest revision carries instead of a handshake. */
export const MODERN = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
  },
};

export const hello = (protocolVersion: string): Json => ({ protocolVersion, capabilities: {}, clientInfo: CLIENT });

export function toolAnswer({ result, error }: Answer): ToolAnswer {
  if (!result) throw new Error(`refused by the protocol: ${JSON.stringify(error)}`);
  const [item, ...more] = result.content as { type: string; text: string }[];
  if (item?.type !== "text" || more.length > 0) throw new Error(`not one text: ${JSON.stringify(result)}`);
  return { isError: result.isError === true, text: item.text, structured: result.structuredContent as Json | undefined };
}

export interface McpChild {
  readonly pid: number;
  /** Everything it wrote to standard output, by line. */
  lines(): string[];
  answers(): Answer[];
  write(text: string): void;
  notify(method: string, params?: Json): void;
  /** Sends without waiting. */
  post(method: string, params?: Json): Promise<Answer>;
  request(method: string, params?: Json): Promise<Answer>;
  call(name: string, args?: Json): Promise<ToolAnswer>;
  initialize(version?: string): Promise<Json>;
  /** Standard input ends. */
  close(): void;
  signal(name: NodeJS.Signals): void;
  ended: Promise<Result>;
}

interface McpOptions {
  args?: string[];
  cwd?: string;
  env?: Environment;
  /** Instead of `engram mcp`: a program that starts it. */
  words?: string[];
}

export function startMcp(place: Place, { args = [], cwd, env, words = [PROGRAM, "mcp"] }: McpOptions = {}): McpChild {
  const child = Bun.spawn([...words, ...args], {
    cwd: cwd ?? place.work,
    env: place.env(env),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  place.adopt(child.pid);
  const lines: string[] = [];
  const waiting = new Map<unknown, { resolve(answer: Answer): void; reject(error: Error): void }>();
  let last = 0;
  let stderr = "";

  const hear = (line: string) => {
    lines.push(line);
    let message: Answer;
    try {
      message = JSON.parse(line) as Answer;
    } catch {
      return;
    }
    waiting.get(message.id)?.resolve(message);
    waiting.delete(message.id);
  };
  const listen = async () => {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of child.stdout) {
      rest += decoder.decode(chunk, { stream: true });
      const parts = rest.split("\n");
      rest = parts.pop() as string;
      for (const part of parts) hear(part);
    }
    if (rest !== "") hear(rest);
    for (const { reject } of waiting.values()) reject(new Error(`it ended without an answer: ${stderr}`));
    waiting.clear();
  };
  const complain = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) stderr += decoder.decode(chunk, { stream: true });
  };
  const streams = Promise.all([listen(), complain()]);

  const write = (text: string) => {
    child.stdin.write(text);
    void child.stdin.flush();
  };
  const post = (method: string, params: Json = {}): Promise<Answer> => {
    const id = ++last;
    const answer = new Promise<Answer>((resolve, reject) => waiting.set(id, { resolve, reject }));
    // Nobody may be waiting for this one: a test that ends its process on purpose.
    answer.catch(() => undefined);
    write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return answer;
  };
  const self: McpChild = {
    pid: child.pid,
    lines: () => [...lines],
    answers: () => lines.map((line) => JSON.parse(line) as Answer),
    write,
    notify: (method, params = {}) => write(`${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`),
    post,
    request: post,
    call: async (name, args = {}) => toolAnswer(await post("tools/call", { name, arguments: args })),
    async initialize(version = "2025-06-18") {
      const { result, error } = await post("initialize", hello(version));
      if (!result) throw new Error(JSON.stringify(error));
      self.notify("notifications/initialized");
      return result;
    },
    close: () => void child.stdin.end(),
    signal: (name) => child.kill(name),
    ended: (async () => {
      await streams;
      await child.exited;
      const signal = child.signalCode === null ? null : String(child.signalCode);
      return { code: child.exitCode, signal, stdout: lines.join("\n"), stderr };
    })(),
  };
  return self;
}

export async function connected(place: Place, options: McpOptions = {}): Promise<McpChild> {
  const mcp = startMcp(place, options);
  await mcp.initialize();
  return mcp;
}

/** Ends its input; it must end well and have complained of nothing. */
export async function closed(mcp: McpChild): Promise<void> {
  mcp.close();
  const { code, signal, stderr } = await mcp.ended;
  expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: "" });
}

/** One list of an answer, such as its `tools`. */
export function listOf<T extends object = Json>({ result, error }: Answer, key: string): T[] {
  const list = result?.[key];
  if (!Array.isArray(list)) throw new Error(`no ${key}: ${JSON.stringify(error)}`);
  return list as T[];
}

export const namesOf = (tools: { name: string }[]): string[] => tools.map(({ name }) => name);

export const toolNames = async (mcp: McpChild, params: Json = {}): Promise<string[]> =>
  namesOf(listOf<{ name: string }>(await mcp.request("tools/list", params), "tools"));

export interface HttpAnswer {
  status: number;
  headers: Headers;
  /** The JSON-RPC answer, from a JSON body or from an event stream. */
  message: Answer | undefined;
}

/** One POST to `/mcp`; the newest revision names its method in headers as well. */
export async function postMcp(
  server: Pick<Server, "url">,
  method: string,
  params: Json = {},
  { id = 1, headers = {} }: { id?: number | null; headers?: Record<string, string> } = {},
): Promise<HttpAnswer> {
  const modern: Record<string, string> =
    "_meta" in params
      ? {
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": method,
          ...(typeof params.name === "string" ? { "mcp-name": params.name } : {}),
        }
      : {};
  const answer = await fetch(`${server.url}/mcp`, {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...modern,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...(id === null ? {} : { id }), method, params }),
  });
  const text = await answer.text();
  const isStream = answer.headers.get("content-type")?.includes("text/event-stream") ?? false;
  const json = isStream ? text.match(/^data: (.+)$/m)?.[1] : text;
  return { status: answer.status, headers: answer.headers, message: json ? (JSON.parse(json) as Answer) : undefined };
}
