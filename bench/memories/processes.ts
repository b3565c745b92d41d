// What a process costs: until the server answers, until a command is done, and how much memory an idle server holds.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BenchOptions } from "../run.ts";
import { median, percentile } from "../support/measure.ts";
import { type Cell, ratio, type Table } from "../support/report.ts";
import { childEnvironment, memoryOf, type Workspace } from "../support/workspace.ts";
import type { StoreToRead } from "./reads.ts";

const IDLE_MS = 2000;

/** The least that any program made with this runtime costs. */
async function emptyProgram(workspace: Workspace): Promise<string> {
  const folder = workspace.folder("empty");
  const [source, outfile] = [join(folder, "empty.ts"), join(folder, "empty")];
  writeFileSync(source, "export {};\n");
  const result = await Bun.build({ entrypoints: [source], compile: { outfile }, bytecode: true, format: "esm" });
  if (!result.success) throw new Error("the empty program could not be built");
  return outfile;
}

interface Cost {
  wall: number;
  cpu: number;
}

function runOnce(command: string[], directory: string): Cost {
  const start = performance.now();
  const { exitCode, resourceUsage } = Bun.spawnSync(command, {
    env: childEnvironment(directory),
    cwd: directory,
    stdout: "ignore",
    stderr: "ignore",
  });
  const wall = performance.now() - start;
  if (exitCode !== 0) throw new Error(`${command.slice(1).join(" ")} ended with code ${exitCode}`);
  return { wall, cpu: Number(resourceUsage.cpuTime.total) / 1000 };
}

export async function measureProcesses(stores: StoreToRead[], options: BenchOptions): Promise<Table[]> {
  return [await commands(stores, options), await startUp(stores, options), await idleMemory(stores, options)];
}

async function commands(stores: StoreToRead[], { quick, note, workspace }: BenchOptions): Promise<Table> {
  const rounds = quick ? 3 : 20;
  note(`running commands, ${rounds} times each`);
  const home = workspace.folder("commands");
  const lines: { name: string; command: string[]; directory: string }[] = [
    { name: "an empty program, compiled alike", command: [await emptyProgram(workspace)], directory: home },
    { name: "`engram version`", command: [workspace.program, "version"], directory: home },
    ...stores.map(({ directory, filled }) => ({
      name: `\`engram search\`, one rare word, ${filled.rows.toLocaleString("en-US")} memories`,
      command: [workspace.program, "search", filled.rare[0] ?? "", "--all"],
      directory,
    })),
  ];
  const costs = lines.map(() => [] as Cost[]);
  for (let round = -1; round < rounds; round++) {
    for (const [i, { command, directory }] of lines.entries()) {
      const cost = runOnce(command, directory);
      if (round >= 0) costs[i]?.push(cost);
    }
  }
  const of = (i: number, key: keyof Cost) => (costs[i] ?? []).map((cost) => cost[key]);
  return {
    title: "Commands",
    note: `Milliseconds from spawn to exit, ${rounds} times in turn after one untimed round.`,
    columns: ["command", "median", "p95", "beside the empty program", "CPU median", "CPU beside the empty program"],
    rows: lines.map(({ name }, i): Cell[] => {
      const [wall, cpu] = [median(of(i, "wall")), median(of(i, "cpu"))];
      return [
        name,
        wall,
        percentile(of(i, "wall"), 0.95),
        ratio(wall, median(of(0, "wall"))),
        cpu,
        ratio(cpu, median(of(0, "cpu"))),
      ];
    }),
  };
}

async function startUp(stores: StoreToRead[], { quick, note, workspace }: BenchOptions): Promise<Table> {
  const rounds = quick ? 2 : 10;
  note(`starting the server, ${rounds} times each`);
  const kinds = [
    { name: "new store", directory: () => workspace.folder("new") },
    ...stores.map(({ directory, filled }) => ({
      name: `${filled.rows.toLocaleString("en-US")} memories`,
      directory: () => directory,
    })),
  ];
  const waits = kinds.map(() => [] as number[]);
  for (let round = 0; round < rounds; round++) {
    for (const [i, kind] of kinds.entries()) {
      const server = await workspace.serve(kind.directory());
      waits[i]?.push(server.readyMs);
      await server.stop();
    }
  }
  return {
    title: "Start-up to /health",
    note: `Milliseconds from the spawn of \`engram serve\` to the first 200, asked every millisecond; ${rounds} starts.`,
    columns: ["store", "median", "fastest", "slowest"],
    rows: kinds.map(({ name }, i): Cell[] => {
      const measured = waits[i] ?? [];
      return [name, median(measured), Math.min(...measured), Math.max(...measured)];
    }),
  };
}

async function idleMemory(stores: StoreToRead[], { note, workspace }: BenchOptions): Promise<Table> {
  note("letting servers idle");
  const rows: Cell[][] = [];
  const look = async (name: string, pid: number) => {
    await Bun.sleep(IDLE_MS);
    const { resident, own } = memoryOf(pid);
    rows.push([name, resident, own]);
  };
  const fresh = await workspace.serve(workspace.folder("idle"));
  await look("new store", fresh.pid);
  await fresh.stop();
  for (const { directory, filled } of stores) {
    const server = await workspace.serve(directory);
    for (const query of filled.questions) await (await fetch(`${server.origin}/search?q=${encodeURIComponent(query)}`)).text();
    await look(`${filled.rows.toLocaleString("en-US")} memories, after ${filled.questions.length} searches`, server.pid);
    await server.stop();
  }
  return {
    title: "Idle memory",
    note: `Megabytes of \`engram serve\` after ${IDLE_MS / 1000} s without a request (Linux only). Resident counts the pages of the executable file too, which all its processes share; “own” is what this process alone holds.`,
    columns: ["server", "resident", "own"],
    rows,
  };
}
