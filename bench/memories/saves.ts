// Writing: over HTTP, in process beside the bare SQLite loop, and from eight processes at once.
import { join } from "node:path";
import autocannon from "autocannon";
import { draftObservation, save } from "../../src/memories/operations/save.ts";
import { openSession } from "../../src/memories/operations/sessions.ts";
import { invoke } from "../../src/registry/operation.ts";
import { openSqlite } from "../../src/storage/sqlite.ts";
import type { BenchOptions } from "../run.ts";
import { corpus } from "../support/corpus.ts";
import { median } from "../support/measure.ts";
import { type Cell, ratio, type Table } from "../support/report.ts";
import { open } from "../support/store.ts";
import { childEnvironment, cpuOf, type Server } from "../support/workspace.ts";

const SESSION = "bench";
const SEED = 7;
const CLIENTS = [1, 8];
const SHARED = { ownership_mode: "shared", resume: false, isolated: false } as const;

const range = (values: number[]): string =>
  `${Math.round(Math.min(...values)).toLocaleString("en-US")}–${Math.round(Math.max(...values)).toLocaleString("en-US")}`;

const times = (rounds: number): string => (rounds === 1 ? "1 round" : `${rounds} rounds`);

function memories(count: number, seed = SEED) {
  const texts = corpus(seed);
  return Array.from({ length: count }, () => ({ ...texts.memory(), session_id: SESSION, project: "bench" }));
}

const openStore = async (directory: string) => {
  const app = open(directory);
  await invoke(openSession, app, { ...SHARED, id: SESSION, project: "bench", directory });
  return app;
};

export async function measureSaves(options: BenchOptions): Promise<Table[]> {
  return [await overHttp(options), await inProcess(options), await manyProcesses(options)];
}

interface Load {
  perSecond: number;
  cpu: number;
}

async function load(server: Server, connections: number, seconds: number, bodies?: () => string): Promise<Load> {
  const before = cpuOf(server.pid);
  const result = await autocannon({
    url: server.origin,
    connections,
    duration: seconds,
    requests: [
      bodies
        ? {
            method: "POST",
            path: "/observations",
            headers: { "content-type": "application/json" },
            setupRequest: (request) => ({ ...request, body: bodies() }),
          }
        : { method: "GET", path: "/health" },
    ],
  });
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) throw new Error(`${failed} of the requests failed; the figures would mean nothing`);
  return { perSecond: result["2xx"] / result.duration, cpu: (cpuOf(server.pid) - before) / result["2xx"] };
}

async function overHttp({ quick, note, workspace }: BenchOptions): Promise<Table> {
  const rounds = quick ? 1 : 5;
  const seconds = quick ? 1 : 4;
  note(`saving over HTTP, ${times(rounds)}`);
  // Ready beforehand: making texts must not slow the client down.
  const bodies = memories(seconds * 10_000).map((memory) => JSON.stringify(memory));
  const saves = new Map(CLIENTS.map((clients) => [clients, [] as Load[]]));
  const answers = new Map(CLIENTS.map((clients) => [clients, [] as Load[]]));
  for (let round = 0; round < rounds; round++) {
    for (const clients of CLIENTS) {
      const directory = workspace.folder("http");
      (await openStore(directory)).close();
      const server = await workspace.serve(directory);
      let sent = 0;
      const next = () => bodies[sent++] ?? JSON.stringify(memories(1, sent)[0]);
      answers.get(clients)?.push(await load(server, clients, 1));
      saves.get(clients)?.push(await load(server, clients, seconds, next));
      await server.stop();
      workspace.remove(directory);
    }
  }
  const rate = (loads: Load[] = []) => loads.map(({ perSecond }) => perSecond);
  const cpu = (loads: Load[] = []) => median(loads.map((one) => one.cpu));
  const one = median(rate(saves.get(1)));
  const row = (what: string, loads: Map<number, Load[]>, clients: number): Cell[] => {
    const rates = rate(loads.get(clients));
    return [what, clients, median(rates), range(rates), cpu(loads.get(clients)), ratio(median(rates), one)];
  };
  return {
    title: "Saves over HTTP",
    note: `\`POST /observations\` on \`engram serve\`, connections kept alive, a new text of about 400 bytes each time, ${times(rounds)} of ${seconds} s on a new store each; median of the rounds. \`GET /health\` (1 s a round) is the most this host and this client can do.`,
    columns: ["request", "clients", "per second", "range", "server CPU ms each", "beside one client's saves"],
    rows: [...CLIENTS.map((n) => row("save", saves, n)), ...CLIENTS.map((n) => row("health", answers, n))],
  };
}

/** Word for word what the store runs for a new memory. */
const INSERT = `INSERT INTO observations
  (sync_id, session_id, type, title, content, tool_name, project, scope, topic_key, normalized_hash, revision_count, duplicate_count,
   last_seen_at, review_after, created_at, updated_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 1, ?, ?, ?, ?)`;

async function inProcess({ quick, note, workspace }: BenchOptions): Promise<Table> {
  const rounds = quick ? 3 : 15;
  const perRound = quick ? 200 : 1000;
  note(`saving in process, ${times(rounds)}`);
  const texts = memories(rounds * perRound);
  const [operationHome, portHome, bareHome] = ["operation", "port", "bare"].map((name) => workspace.folder(name)) as [
    string,
    string,
    string,
  ];
  const operationApp = await openStore(operationHome);
  const portApp = await openStore(portHome);
  (await openStore(bareHome)).close();
  const bare = openSqlite(join(bareHome, "engram.db"));
  const insert = bare.raw.prepare(INSERT);
  const draft = (text: (typeof texts)[number]) => draftObservation(portApp, text).draft;

  type Draft = ReturnType<typeof draft>;
  const ways: { name: string; run: (inputs: typeof texts, drafts: Draft[]) => unknown }[] = [
    {
      name: "operation, `invoke(save, …)`",
      run: async (inputs) => {
        for (const input of inputs) await invoke(save, operationApp, input);
      },
    },
    {
      name: "store alone, `observations.save(draft, …)`",
      run: (_, drafts) => {
        for (const one of drafts) portApp.memories.observations.save(one, () => ({ kind: "insert" }));
      },
    },
    {
      name: "bare loop: `BEGIN IMMEDIATE`, the insert, `COMMIT`",
      run: (_, drafts) => {
        for (const d of drafts) {
          bare.raw.exec("BEGIN IMMEDIATE");
          insert.run(
            ...[d.sync_id, d.session_id, d.type, d.title, d.content, d.tool_name, d.project, d.scope, d.topic_key, d.hash],
            ...[d.now, d.review_after, d.now, d.now],
          );
          bare.raw.exec("COMMIT");
        }
      },
    },
  ];
  const rates = ways.map(() => [] as number[]);
  const cpu = ways.map(() => [] as number[]);
  for (let round = 0; round < rounds; round++) {
    const inputs = texts.slice(round * perRound, (round + 1) * perRound);
    const drafts = inputs.map(draft);
    // Another one begins each round, so that none always meets the warmer machine.
    for (const shift of ways.keys()) {
      const index = (round + shift) % ways.length;
      const used = process.cpuUsage();
      const start = performance.now();
      await ways[index]?.run(inputs, drafts);
      rates[index]?.push((perRound * 1000) / (performance.now() - start));
      const { user, system } = process.cpuUsage(used);
      cpu[index]?.push((user + system) / 1000 / perRound);
    }
  }
  for (const app of [operationApp, portApp, bare]) app.close();
  for (const directory of [operationHome, portHome, bareHome]) workspace.remove(directory);
  const bareRate = median(rates[2] ?? []);
  const bareCpu = median(cpu[2] ?? []);
  return {
    title: "Saves in process",
    note: `${times(rounds)} of ${perRound.toLocaleString("en-US")} memories, the three ways in turn, a store each with the same schema, text index and pragmas, one transaction a row; median of the rounds. The bare loop knows hash and identifiers beforehand and checks nothing.`,
    columns: ["way", "per second", "range", "beside the bare loop", "CPU ms each", "CPU beside the bare loop"],
    rows: ways.map(({ name }, i) => {
      const [rate, spent] = [median(rates[i] ?? []), median(cpu[i] ?? [])];
      return [name, rate, range(rates[i] ?? []), ratio(rate, bareRate), spent, ratio(spent, bareCpu)];
    }),
  };
}

/** Seconds from the starting shot to the end of the last process. */
async function race(writers: number, each: number, { workspace }: BenchOptions): Promise<number> {
  const directory = workspace.folder("writers");
  (await openStore(directory)).close();
  const script = join(import.meta.dir, "..", "support", "writer.ts");
  const children = Array.from({ length: writers }, (_, i) =>
    workspace.track(
      Bun.spawn([process.execPath, script, directory, SESSION, String(i + 1), String(each)], {
        env: childEnvironment(directory),
        stdin: "pipe",
        stdout: "pipe",
        stderr: "inherit",
      }),
    ),
  );
  await Promise.all(children.map((child) => child.stdout.getReader().read()));
  const start = performance.now();
  for (const child of children) {
    child.stdin.write("go\n");
    void child.stdin.end();
  }
  const codes = await Promise.all(children.map((child) => child.exited));
  const seconds = (performance.now() - start) / 1000;
  const app = open(directory);
  const { total_observations } = app.memories.projects.stats();
  app.close();
  workspace.remove(directory);
  if (codes.some((code) => code !== 0) || total_observations !== writers * each)
    throw new Error(`${writers} writers left ${total_observations} of ${writers * each} rows, exit codes ${codes.join(" ")}`);
  return seconds;
}

async function manyProcesses(options: BenchOptions): Promise<Table> {
  const rounds = options.quick ? 1 : 5;
  const total = options.quick ? 800 : 8000;
  options.note(`saving from one and from eight processes, ${times(rounds)}`);
  const rates = new Map<number, number[]>(CLIENTS.map((writers) => [writers, []]));
  for (let round = 0; round < rounds; round++) {
    for (const writers of CLIENTS) rates.get(writers)?.push(total / (await race(writers, total / writers, options)));
  }
  const one = median(rates.get(1) ?? []);
  return {
    title: "Many processes on one store",
    note: `${total.toLocaleString("en-US")} saves in all through the operation, from the starting shot to the end of the last process; ${times(rounds)}, median. Every row was there afterwards.`,
    columns: ["processes", "rows per second in all", "range", "beside one process"],
    rows: CLIENTS.map((writers) => {
      const measured = rates.get(writers) ?? [];
      return [String(writers), median(measured), range(measured), ratio(median(measured), one)];
    }),
  };
}
