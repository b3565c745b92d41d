// MCP over the process's own streams. Calls that are being answered when the input ends are still answered: an agent that
// closes the pipe right after a save must not lose it.

import { PassThrough } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";

export interface LineConnection {
  /** The client closed its end. */
  closed: Promise<void>;
  /** Every request that arrived has been answered. */
  drained(): Promise<void>;
}

type RequestId = string | number;
const isId = (id: unknown): id is RequestId => typeof id === "string" || typeof id === "number";

/** What a line asks for: an answer, or that one is no longer wanted. */
function readLine(line: string): { asks?: RequestId; cancels?: RequestId } {
  try {
    const { jsonrpc, id, method, params } = JSON.parse(line) as {
      jsonrpc?: unknown;
      id?: unknown;
      method?: unknown;
      params?: { requestId?: unknown };
    };
    if (jsonrpc !== "2.0" || typeof method !== "string") return {};
    if (method === "notifications/cancelled" && isId(params?.requestId)) return { cancels: params.requestId };
    return isId(id) ? { asks: id } : {};
  } catch {
    return {};
  }
}

export function serveLines(factory: () => Server, onError: (error: unknown) => void): LineConnection {
  const open = new Set<RequestId>();
  let idle: (() => void) | undefined;
  const settle = (id?: RequestId) => {
    if (id === undefined) open.clear();
    else open.delete(id);
    if (open.size === 0) idle?.();
  };
  // The transport aborts what is in flight when its input ends, so it is given one that stays open.
  const input = new PassThrough();
  const decoder = new StringDecoder("utf8");
  let rest = "";
  const closed = new Promise<void>((resolve) => {
    process.stdin.on("data", (chunk: Buffer) => {
      rest += decoder.write(chunk);
      for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
        const { asks, cancels } = readLine(rest.slice(0, end));
        if (asks !== undefined) open.add(asks);
        if (cancels !== undefined) settle(cancels);
        rest = rest.slice(end + 1);
      }
      input.write(chunk);
    });
    process.stdin.on("end", resolve);
    process.stdin.on("error", () => resolve());
  });
  const transport = new StdioServerTransport(input, process.stdout);
  const send = transport.send.bind(transport);
  transport.send = async (message) => {
    try {
      await send(message);
    } catch (error) {
      // Nobody reads any more: there is nothing left to wait for.
      settle();
      throw error;
    }
    if ("id" in message && !("method" in message) && isId(message.id)) settle(message.id);
  };
  process.stdout.on("error", () => settle());
  serveStdio(factory, { transport, onerror: onError });
  return {
    closed,
    drained: () =>
      new Promise((resolve) => {
        idle = resolve;
        if (open.size === 0) resolve();
      }),
  };
}
