// `npm run bench -- <table>`: measures and prints one set of Markdown tables (or JSON). Nothing here passes or fails.
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { describeMachine, markdown, type Table } from "./support/report.ts";
import { builtProgram, Workspace } from "./support/workspace.ts";

export interface BenchOptions {
  /** Sizes of the stores that reads are measured on. */
  rows: number[];
  quick: boolean;
  /** Says what is being done, on standard error. */
  note: (text: string) => void;
  workspace: Workspace;
}

const tables: Record<string, { summary: string; measure: () => Promise<(options: BenchOptions) => Promise<Table[]>> }> = {
  memories: {
    summary: "saves, search, context and other reads, start-up, idle memory",
    measure: async () => (await import("./memories.ts")).measureMemories,
  },
  mcp: {
    summary: "start of `engram mcp` to its answers, its memory, tokens of the tools",
    measure: async () => (await import("./mcp.ts")).measureMcp,
  },
};

const USAGE = `usage: npm run bench -- <table> [--rows 10000,100000] [--quick] [--json]

tables:
${Object.entries(tables)
  .map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`)
  .join("\n")}

  --rows   sizes of the stores that reads are measured on
  --quick  smaller stores and fewer repetitions: to see that it runs, not to quote
  --json   the same figures for programs
`;

function fail(message: string): never {
  console.error(`bench: ${message}\n\n${USAGE}`);
  process.exit(1);
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        rows: { type: "string" },
        quick: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

const { values, positionals } = readArguments();
const [name, ...others] = positionals;
if (name === undefined) {
  console.log(USAGE);
  process.exit(0);
}
const table = tables[name];
if (!table) fail(`there is no table ${JSON.stringify(name)}`);
if (others.length > 0) fail(`one table at a time; ${JSON.stringify(others[0])} is one too many`);
const rows = (values.rows ?? (values.quick ? "2000" : "10000,100000")).split(",").map(Number);
if (!rows.every((count) => Number.isInteger(count) && count >= 1000)) fail("--rows takes whole numbers of at least 1000");
if (!existsSync(builtProgram)) fail("dist/engram is missing: run `npm run build` first");

const workspace = new Workspace();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void workspace.dispose().finally(() => process.exit(130)));
try {
  const measure = await table.measure();
  const note = (text: string) => console.error(`bench: ${text} …`);
  const report = { machine: describeMachine(), tables: await measure({ rows, quick: values.quick, note, workspace }) };
  console.log(values.json ? JSON.stringify(report, null, 2) : markdown(report));
} finally {
  await workspace.dispose();
}
process.exit(0);
