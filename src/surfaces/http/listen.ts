// Puts an HTTP app on a loopback port or a private socket, on Bun and on Node.
import { chmodSync, lstatSync, rmSync } from "node:fs";
import { EngramError, messageOf } from "../../kernel/errors.ts";

export type Address = { port: number } | { socket: string };

export interface Listening {
  /** Closes after the requests in flight, or after `graceMs`. */
  stop(graceMs?: number): Promise<void>;
  port: number | undefined;
}

type Fetch = (request: Request) => Response | Promise<Response>;

const HOST = "127.0.0.1";
/** A question may be a pasted page; Go's limit for a request's head. */
const MAX_HEAD = 1024 * 1024;
/** Beyond any body: the limits that count are the routes' own, and they answer in JSON. */
const MAX_BODY = 2 ** 40;

export class AddressInUse extends Error {}

/** A socket file that nobody listens on is left over from a crash. */
async function clearStaleSocket(path: string): Promise<void> {
  let stat: ReturnType<typeof lstatSync>;
  try {
    stat = lstatSync(path);
  } catch {
    return;
  }
  if (!stat.isSocket()) throw new EngramError("unavailable", `${path} exists and is not a socket; choose another path`);
  const { connect } = await import("node:net");
  const alive = await new Promise<boolean>((resolve) => {
    const probe = connect(path, () => resolve(true)).on("error", () => resolve(false));
    probe.on("connect", () => probe.destroy());
  });
  if (alive) throw new AddressInUse(path);
  rmSync(path);
}

const isInUse = (error: unknown): boolean =>
  (error as { code?: string }).code === "EADDRINUSE" || /EADDRINUSE|in use/i.test(messageOf(error));

async function listenOnBun(fetch: Fetch, address: Address): Promise<Listening> {
  const http = (await import("node:http")).default;
  // Bun's one knob for the size of a request's head.
  (http as { maxHeaderSize: number }).maxHeaderSize = MAX_HEAD;
  const common = { fetch, maxRequestBodySize: MAX_BODY, development: false };
  const server =
    "socket" in address
      ? Bun.serve({ ...common, unix: address.socket })
      : Bun.serve({ ...common, hostname: HOST, port: address.port, reusePort: false, idleTimeout: 60 });
  return {
    port: "socket" in address ? undefined : server.port,
    async stop(graceMs = 2000) {
      const done = server.stop(false);
      await Promise.race([done, new Promise((resolve) => setTimeout(resolve, graceMs))]);
      await server.stop(true);
    },
  };
}

async function listenOnNode(fetch: Fetch, address: Address): Promise<Listening> {
  const { createAdaptorServer } = await import("@hono/node-server");
  const server = createAdaptorServer({ fetch, serverOptions: { maxHeaderSize: MAX_HEAD } });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if ("socket" in address) server.listen(address.socket, resolve);
    else server.listen(address.port, HOST, resolve);
  });
  const bound = server.address();
  return {
    port: typeof bound === "object" && bound !== null ? bound.port : undefined,
    stop: (graceMs = 2000) =>
      new Promise((resolve) => {
        const force = setTimeout(() => {
          if ("closeAllConnections" in server) server.closeAllConnections();
        }, graceMs);
        server.close(() => {
          clearTimeout(force);
          resolve();
        });
        if ("closeIdleConnections" in server) server.closeIdleConnections();
      }),
  };
}

export async function listen(fetch: Fetch, address: Address): Promise<Listening> {
  if ("socket" in address) await clearStaleSocket(address.socket);
  try {
    const listening = await (typeof Bun === "undefined" ? listenOnNode : listenOnBun)(fetch, address);
    if ("socket" in address) chmodSync(address.socket, 0o600);
    return listening;
  } catch (error) {
    if (isInUse(error)) throw new AddressInUse(messageOf(error));
    throw error;
  }
}
