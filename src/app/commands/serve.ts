// `engram serve` and `engram serve-background`: one server per store, loopback or a private socket.
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { type ClientTarget, callServer } from "../../client/client.ts";
import { EngramError } from "../../kernel/errors.ts";
import { once } from "../../kernel/once.ts";
import type { CliArguments, CliCommand, CliContext, CliOption } from "../../registry/cli.ts";
import { openApiOf } from "../../registry/openapi.ts";
import { type Address, AddressInUse, type Listening, listen } from "../../surfaces/http/listen.ts";
import { createHttpApp } from "../../surfaces/http/server.ts";
import { DEFAULT_PORT, parsePort } from "../config.ts";
import { healthRoute } from "../operations.ts";
import { createRuntime, type Runtime, selfCommand } from "../runtime.ts";
import { VERSION } from "../version.ts";

const SOCKET: CliOption = { name: "socket", value: "PATH", help: "listen on a private socket instead of a port" };
const PROBE_MS = 1000;

function wantedAddress(args: CliArguments, runtime: Runtime): Address {
  const [word, ...rest] = args.words;
  const port = parsePort(word);
  if (rest.length > 0 || (word !== undefined && port === undefined))
    throw new EngramError("invalid", `unknown serve argument: ${rest[0] ?? word}`);
  const socket = args.value("socket");
  if (socket !== undefined && port !== undefined)
    throw new EngramError("invalid", "socket transport cannot be combined with an explicit TCP port");
  if (socket !== undefined) return { socket };
  if (port !== undefined) return { port };
  return runtime.config.socket === undefined ? { port: runtime.config.port } : { socket: runtime.config.socket };
}

const targetOf = (address: Address): ClientTarget =>
  "socket" in address
    ? { socket: address.socket, timeoutMs: PROBE_MS }
    : { origin: `http://127.0.0.1:${address.port}`, timeoutMs: PROBE_MS };

const nameOf = (address: Address): string => ("socket" in address ? address.socket : `http://127.0.0.1:${address.port}`);

async function instanceAt(address: Address): Promise<string | undefined> {
  try {
    const { body } = await callServer(targetOf(address), healthRoute);
    const id = (body as { instance_id?: unknown } | undefined)?.instance_id;
    return typeof id === "string" ? id : undefined;
  } catch {
    return undefined;
  }
}

function banner(address: Address, runtime: Runtime, dataDirectory: string, terminal: boolean): string {
  const paint = (code: number, text: string) => (terminal && runtime.config.colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  const title = (text: string) => paint(2, text.padEnd(10));
  const own = relative(process.cwd(), selfCommand().at(-1) as string);
  const self = own.startsWith("..") || isAbsolute(own) ? "engram" : own;
  return `
  ${paint(1, `engram ${VERSION}`)}  memory for coding agents

  ${title("API")}${paint(36, nameOf(address))}
  ${title("Data")}${dataDirectory}
  ${title("Connect")}${"port" in address && address.port === DEFAULT_PORT ? "plugins of the Go program (OpenCode, Claude Code) find this address by themselves;" : "plugins find another address through ENGRAM_PORT or ENGRAM_URL;"}
            any MCP client:    ${self} mcp --tools=agent   (or ${nameOf(address)}/mcp)
            a hook can ask it: ${"socket" in address ? `curl --unix-socket ${address.socket} http://localhost/context` : `curl '${nameOf(address)}/context?cwd='"$PWD"`}
            a shell can too:   ${self} save "a title" "what you learned"
  ${title("Docs")}${nameOf(address)}/openapi.json
  ${title("Stop")}Ctrl+C

`;
}

const untilStopped = (): Promise<string> =>
  new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve(signal));
  });

/** Made by the first request: most servers never speak MCP, and its library is not small. */
function mcpOverHttp(runtime: Runtime): (request: Request) => Promise<Response> {
  const handler = once(async () => {
    const [{ serveRequests }, { createMcpServer }, { mcpHost, selectTools }] = await Promise.all([
      import("../../surfaces/mcp/http.ts"),
      import("../../surfaces/mcp/server.ts"),
      import("../mcp.ts"),
    ]);
    const host = await mcpHost(runtime, selectTools(undefined), process.cwd());
    return serveRequests(() => createMcpServer(host));
  });
  return async (request) => (await handler())(request);
}

export async function startServer(
  runtime: Runtime,
  address: Address,
  routes: Parameters<typeof openApiOf>[0],
): Promise<Listening> {
  const app = await runtime.app();
  // A store that cannot be served is told now, not to the first agent.
  void app.memories;
  const served = Object.defineProperty(Object.create(app) as object, "describeApi", { value: () => openApiOf(routes, VERSION) });
  const http = createHttpApp({
    bindings: routes,
    directory: process.cwd(),
    app: () => served,
    token: runtime.config.httpToken,
    viaSocket: "socket" in address,
    reportError: runtime.reportError,
    mounted: { path: "/mcp", fetch: mcpOverHttp(runtime) },
  });
  return listen((request) => http.fetch(request), address);
}

const serve: CliCommand = {
  command: "serve",
  usage: "[port] [--socket PATH]",
  summary: "Start the HTTP API (127.0.0.1:7437)",
  options: [SOCKET],
  operations: [],
  unknownOption: (option) => `engram: unknown serve argument: ${option}`,
  async run(args, cli) {
    const runtime = createRuntime();
    const address = wantedAddress(args, runtime);
    try {
      const { allRoutes } = await import("../catalogue.ts");
      const routes = await allRoutes();
      const stopped = untilStopped();
      const server = await startServer(runtime, address, routes);
      cli.print(
        banner(
          "socket" in address ? address : { port: server.port ?? address.port },
          runtime,
          (await runtime.app()).dataDirectory,
          cli.stdoutIsTerminal,
        ),
      );
      await stopped;
      await server.stop();
      return 0;
    } catch (error) {
      if (error instanceof AddressInUse) return inUse(address, runtime, cli);
      throw error;
    } finally {
      runtime.close();
    }
  },
};

async function inUse(address: Address, runtime: Runtime, cli: CliContext): Promise<number> {
  const other = await instanceAt(address);
  if (other === (await runtime.app()).instanceId) {
    cli.note(`engram is already serving this store on ${nameOf(address)}\n`);
    return 0;
  }
  const who = other === undefined ? "another program" : "an engram with another store";
  const way = "socket" in address ? "choose another path with --socket" : `choose another port: engram serve ${address.port + 1}`;
  throw new EngramError("unavailable", `${nameOf(address)} is taken by ${who}; ${way}`);
}

const START_MS = 5000;

const serveBackground: CliCommand = {
  command: "serve-background",
  usage: "",
  summary: "Start the server in the background unless it runs already",
  options: [],
  hidden: true,
  operations: [],
  async run(args, cli) {
    const runtime = createRuntime();
    const address = wantedAddress(args, runtime);
    const { instanceId: own, dataDirectory } = await runtime.app();
    const tell = (started: boolean, pid: number | undefined) => {
      const text = started
        ? `engram is serving on ${nameOf(address)} (process ${pid})`
        : `engram is already serving on ${nameOf(address)}`;
      cli.print(cli.json ? `${JSON.stringify({ address: nameOf(address), started, pid: pid ?? null })}\n` : `${text}\n`);
      return 0;
    };
    const there = await instanceAt(address);
    if (there === own) return tell(false, undefined);
    if (there !== undefined) return inUse(address, runtime, cli);
    const log = openSync(join(dataDirectory, "serve.err.log"), "a", 0o600);
    const [program, ...words] = selfCommand();
    const child = spawn(program as string, [...words, "serve", ...args.words], {
      detached: true,
      stdio: ["ignore", "ignore", log],
    });
    child.unref();
    closeSync(log);
    for (const end = Date.now() + START_MS; Date.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      if ((await instanceAt(address)) === own) return tell(true, child.pid);
      if (child.exitCode !== null) break;
    }
    child.kill("SIGTERM");
    throw new EngramError("unavailable", `the server did not start; see ${join(dataDirectory, "serve.err.log")}`);
  },
};

export const serveCommands: CliCommand[] = [serve, serveBackground];
