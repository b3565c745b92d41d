// MCP by figures: what a client waits for when it starts `engram mcp`, what the process holds then, what the tools cost a model.

import { tokensOf } from "../scripts/docs.ts";
import { selectTools } from "../src/app/mcp.ts";
import type { BenchOptions } from "./run.ts";
import { median, percentile } from "./support/measure.ts";
import { type Cell, ratio, type Table } from "./support/report.ts";
import { childEnvironment, memoryOf } from "./support/workspace.ts";

const PROFILE = "agent";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
};
const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };
const LIST = { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} };

/** The newest revision needs no handshake: every request says what it speaks. */
const LIST_AT_ONCE = {
  jsonrpc: "2.0",
  id: 2,
  method: "tools/list",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
};

interface Start {
  /** Milliseconds from the spawn to each answer. */
  initialize: number;
  list: number;
  /** From the end of standard input to the end of the process. */
  exit: number;
  resident: number;
  own: number;
}

/** Lines of a stream, one at a time. */
async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
}

async function startOnce(directory: string, handshake: boolean, { workspace }: BenchOptions): Promise<Start> {
  const start = performance.now();
  const child = workspace.track(
    Bun.spawn([workspace.program, "mcp", `--tools=${PROFILE}`], {
      env: childEnvironment(directory),
      cwd: directory,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "inherit",
    }),
  );
  const lines = linesOf(child.stdout);
  const send = (...messages: object[]) => {
    child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
    void child.stdin.flush();
  };
  const answerTo = async (id: number): Promise<number> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error("engram mcp ended before it answered");
      const elapsed = performance.now() - start;
      const answer = JSON.parse(value) as { id?: unknown; error?: unknown };
      if (answer.error !== undefined) throw new Error(`engram mcp refused: ${value}`);
      if (answer.id === id) return elapsed;
    }
  };
  let initialize = Number.NaN;
  if (handshake) {
    send(INITIALIZE);
    initialize = await answerTo(1);
    send(INITIALIZED, LIST);
  } else send(LIST_AT_ONCE);
  const list = await answerTo(2);
  const memory = memoryOf(child.pid);
  const close = performance.now();
  void child.stdin.end();
  const code = await child.exited;
  const exit = performance.now() - close;
  if (code !== 0) throw new Error(`engram mcp ended with code ${code}`);
  return { initialize, list, exit, ...memory };
}

/** The least that any command of this program costs, to read the others against. */
async function versionOnce(directory: string, { workspace }: BenchOptions): Promise<number> {
  const start = performance.now();
  const child = workspace.track(
    Bun.spawn([workspace.program, "version"], {
      env: childEnvironment(directory),
      cwd: directory,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "inherit",
    }),
  );
  const code = await child.exited;
  if (code !== 0) throw new Error(`engram version ended with code ${code}`);
  return performance.now() - start;
}

export async function measureMcp(options: BenchOptions): Promise<Table[]> {
  const rounds = options.quick ? 5 : 30;
  options.note(`starting engram mcp, ${rounds} times each way`);
  const directory = options.workspace.folder("mcp");
  const [handshake, atOnce]: [Start[], Start[]] = [[], []];
  const version: number[] = [];
  for (let round = -1; round < rounds; round++) {
    for (const starts of [handshake, atOnce]) {
      const start = await startOnce(directory, starts === handshake, options);
      if (round >= 0) starts.push(start);
    }
    const elapsed = await versionOnce(directory, options);
    if (round >= 0) version.push(elapsed);
  }
  return [answers({ handshake, atOnce, version }, rounds), memory(handshake, rounds), tokens()];
}

function answers(kinds: { handshake: Start[]; atOnce: Start[]; version: number[] }, rounds: number): Table {
  const { handshake, atOnce, version } = kinds;
  const row = (name: string, values: number[]): Cell[] => {
    const p50 = median(values);
    return [name, p50, percentile(values, 0.95), Math.min(...values), Math.max(...values), ratio(p50, median(version))];
  };
  return {
    title: "Start of a session",
    note: `Milliseconds of \`engram mcp --tools=${PROFILE}\` over its standard streams, ${rounds} starts of each kind in turn after one untimed; revision 2025-06-18 with a handshake, 2026-07-28 without.`,
    columns: ["from … to …", "p50", "p95", "fastest", "slowest", "beside `engram version`"],
    rows: [
      row(
        "spawn to the answer of `initialize`",
        handshake.map(({ initialize }) => initialize),
      ),
      row(
        "spawn to the answer of `tools/list` after it",
        handshake.map(({ list }) => list),
      ),
      row(
        "spawn to the answer of `tools/list` without a handshake",
        atOnce.map(({ list }) => list),
      ),
      row(
        "end of standard input to the end of the process",
        handshake.map(({ exit }) => exit),
      ),
      row("`engram version`, spawn to the end of the process", version),
    ],
  };
}

function memory(starts: Start[], rounds: number): Table {
  const row = (name: string, values: number[]): Cell[] => [name, median(values), percentile(values, 0.95)];
  return {
    title: "Memory of a session",
    note: `Megabytes right after the answer of \`tools/list\`, the same ${rounds} starts (Linux only). Resident counts the pages of the executable file too, which all its processes share; “own” is what this process alone holds.`,
    columns: ["megabytes", "p50", "p95"],
    rows: [
      row(
        "resident",
        starts.map(({ resident }) => resident),
      ),
      row(
        "own",
        starts.map(({ own }) => own),
      ),
    ],
  };
}

function tokens(): Table {
  const row = (name: string, list: string): Cell[] => [name, selectTools(list).length, tokensOf(selectTools(list))];
  return {
    title: "What the tools cost a model",
    note: "Names, descriptions, parameters and instructions; characters / 4.",
    columns: ["selection", "tools", "tokens"],
    rows: [row(`\`--tools=${PROFILE}\``, PROFILE), row("all", "all")],
  };
}
