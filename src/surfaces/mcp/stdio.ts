// MCP over the process's own streams. Calls that are being answered when the input ends are still answered: an agent that
// closes the pipe right after a save must not lose it.

import { PassThrough } from "node:stream";
import type { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";

export interface LineConnection {
  /** The client closed its end. */
  closed: Promise<void>;
  /** Every request that arrived has been answered. */
  drained(): Promise<void>;
}

const isRequest = (line: string): unknown => {
  try {
    const message = JSON.parse(line) as { id?: unknown; method?: unknown };
    return message.method === undefined ? undefined : message.id;
  } catch {
    return undefined;
  }
};

export function serveLines(factory: () => Server, onError: (error: unknown) => void): LineConnection {
  const open = new Set<unknown>();
  let idle: (() => void) | undefined;
  // The transport aborts what is in flight when its input ends, so it is given one that stays open.
  const input = new PassThrough();
  let rest = "";
  const closed = new Promise<void>((resolve) => {
    process.stdin.on("data", (chunk: Buffer) => {
      rest += chunk.toString("utf8");
      for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
        const id = isRequest(rest.slice(0, end));
        if (id !== undefined) open.add(id);
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
    await send(message);
    if ("id" in message && !("method" in message)) open.delete(message.id);
    if (open.size === 0) idle?.();
  };
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
