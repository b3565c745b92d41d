// Reading at several sizes: search by kind of query, then context, timeline, lists and counts.
import type { App } from "../../src/app/open.ts";
import { context } from "../../src/memories/operations/context.ts";
import { recentObservations, timeline } from "../../src/memories/operations/observations.ts";
import { stats } from "../../src/memories/operations/projects.ts";
import { search } from "../../src/memories/operations/search.ts";
import { invoke } from "../../src/registry/operation.ts";
import type { BenchOptions } from "../run.ts";
import { type Effort, type Timing, time } from "../support/measure.ts";
import type { Cell, Table } from "../support/report.ts";
import { type FilledStore, open } from "../support/store.ts";

export interface StoreToRead {
  directory: string;
  filled: FilledStore;
}

interface Read {
  name: string;
  /** Says how it was answered, where there is more than one way. */
  call: (app: App, round: number) => Promise<string | undefined>;
  path: (round: number) => string;
}

const turn = <T>(list: readonly T[], round: number): T => list[round % list.length] as T;

function searches(filled: FilledStore): Read[] {
  const kinds: [name: string, queries: string[], project?: string | undefined][] = [
    ["one rare word", filled.rare],
    ["two words of one memory", filled.pairs],
    ["a question", filled.questions],
    ["a question, one project", filled.questions, filled.projects[0]],
    ["the beginning of a word", filled.beginnings],
    ["a word nobody wrote", filled.absent],
  ];
  return kinds.map(([name, queries, project]) => ({
    name,
    call: async (app, round) => {
      const { stage, hits } = await invoke(search, app, { query: turn(queries, round), project });
      return stage === undefined ? "nothing" : `${stage}${hits.length === 0 ? " (none)" : ""}`;
    },
    path: (round) => `/search?${new URLSearchParams({ q: turn(queries, round), ...(project ? { project } : {}) })}`,
  }));
}

function otherReads({ ids, projects }: FilledStore): Read[] {
  const project = (round: number) => turn(projects, round);
  const void_ = async (answer: Promise<unknown>) => {
    await answer;
    return undefined;
  };
  return [
    {
      name: "context of one project",
      call: (app, round) => void_(invoke(context, app, { project: project(round), compact: false })),
      path: (round) => `/context?project=${project(round)}`,
    },
    {
      name: "context of everything",
      call: (app) => void_(invoke(context, app, { compact: false })),
      path: () => "/context",
    },
    {
      name: "20 newest of one project",
      call: (app, round) => void_(invoke(recentObservations, app, { project: project(round) })),
      path: (round) => `/observations/recent?project=${project(round)}`,
    },
    {
      name: "timeline around a memory",
      // A few ids belong to deleted rows: not found is an answer too.
      call: (app, round) => void_(invoke(timeline, app, { id: turn(ids, round) }).catch(() => undefined)),
      path: (round) => `/timeline?observation_id=${turn(ids, round)}`,
    },
    { name: "stats", call: (app) => void_(invoke(stats, app, {})), path: () => "/stats" },
  ];
}

interface Measured {
  rows: number;
  local: Timing;
  answeredBy: string;
  http: Timing;
}

async function measure(reads: (filled: FilledStore) => Read[], store: StoreToRead, effort: Effort, options: BenchOptions) {
  const list = reads(store.filled);
  const app = open(store.directory);
  const local: { timing: Timing; answeredBy: string }[] = [];
  for (const read of list) {
    const stages = new Set<string>();
    const timing = await time(async (round) => {
      const stage = await read.call(app, round);
      if (stage !== undefined) stages.add(stage);
    }, effort);
    local.push({ timing, answeredBy: [...stages].join(", ") });
  }
  app.close();
  const server = await options.workspace.serve(store.directory);
  const remote: Timing[] = [];
  for (const read of list) {
    remote.push(await time(async (round) => (await fetch(server.origin + read.path(round))).arrayBuffer(), effort));
  }
  await server.stop();
  return new Map(
    list.map((read, i): [string, Measured] => [
      read.name,
      {
        rows: store.filled.rows,
        local: local[i]?.timing as Timing,
        answeredBy: local[i]?.answeredBy ?? "",
        http: remote[i] as Timing,
      },
    ]),
  );
}

export async function measureReads(stores: StoreToRead[], options: BenchOptions): Promise<Table[]> {
  const effort = options.quick ? { least: 5, most: 30, budgetMs: 300 } : { least: 20, most: 500, budgetMs: 4000 };
  const found: Map<string, Measured>[] = [];
  const read: Map<string, Measured>[] = [];
  for (const store of stores) {
    options.note(`searching and reading ${store.filled.rows.toLocaleString("en-US")} memories`);
    found.push(await measure(searches, store, effort, options));
    read.push(await measure(otherReads, store, effort, options));
  }
  const rowsOf = (measured: Map<string, Measured>[], cells: (one: Measured) => Cell[]): Cell[][] =>
    [...(measured[0]?.keys() ?? [])].flatMap((name) =>
      measured.map((bySize) => {
        const one = bySize.get(name) as Measured;
        return [name, one.rows, ...cells(one)];
      }),
    );
  const times = ({ local, http }: Measured): Cell[] => [local.p50, local.p95, local.cpu, http.p50, http.p95];
  const columns = ["in process p50", "p95", "CPU", "HTTP p50", "p95"];
  const how = `Milliseconds; each line up to ${effort.most} calls or ${effort.budgetMs / 1000} s, at least ${effort.least}, one after another, store warm`;
  return [
    {
      title: "Search",
      note: `${how}; 100 different queries of each kind over all projects unless said otherwise. “Answered by” is the stage that found something (all words, any word, beginnings, parts of words).`,
      columns: ["query", "memories", "answered by", ...columns],
      rows: rowsOf(found, (one) => [one.answeredBy, ...times(one)]),
    },
    { title: "Other reads", note: `${how}.`, columns: ["read", "memories", ...columns], rows: rowsOf(read, times) },
  ];
}
