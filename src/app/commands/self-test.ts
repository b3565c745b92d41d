// `engram test`: the program tries itself in a store of its own and removes it again.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { saveManual } from "../../memories/operations/save.ts";
import { search } from "../../memories/operations/search.ts";
import { type CliCommand, UsageError } from "../../registry/cli.ts";
import { invoke } from "../../registry/operation.ts";
import { readConfig } from "../config.ts";
import { openApp } from "../open.ts";

interface Step {
  name: string;
  ok: boolean;
  detail: string;
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function tryOut(directory: string, rows: number, timed: boolean): Promise<Step[]> {
  const config = readConfig({ ENGRAM_DATA_DIR: directory });
  const steps: Step[] = [];
  const note = (name: string, ok: boolean, detail: string) => steps.push({ name, ok, detail });

  let app = openApp(config);
  const saves: number[] = [];
  for (let i = 0; i < rows; i++) {
    const start = performance.now();
    await invoke(saveManual, app, {
      title: `Self test ${i}`,
      content: `word${i} in the body of note ${i}`,
      type: "manual",
      project: "self-test",
      cwd: directory,
    });
    saves.push(performance.now() - start);
  }
  app.close();
  note("save", true, `${rows} memories${timed ? `, median ${median(saves).toFixed(2)} ms` : ""}`);

  app = openApp(config);
  const { total_observations } = app.memories.projects.stats();
  note("reopen", total_observations === rows, `${total_observations} of ${rows} memories are there after closing and opening`);
  note("integrity", app.memories.diagnosis.integrity() === "ok", app.memories.diagnosis.integrity());

  const finds: number[] = [];
  let missed = 0;
  for (let i = 0; i < rows; i += Math.max(1, Math.floor(rows / 50))) {
    const start = performance.now();
    const { hits } = await invoke(search, app, { query: `word${i}`, project: "self-test" });
    finds.push(performance.now() - start);
    if (hits[0]?.title !== `Self test ${i}`) missed++;
  }
  app.close();
  note(
    "search",
    missed === 0,
    `${finds.length - missed} of ${finds.length} found first${timed ? `, median ${median(finds).toFixed(2)} ms` : ""}`,
  );
  return steps;
}

export const selfTestCommand: CliCommand = {
  command: "test",
  usage: "[reliability|performance] [--quick]",
  summary: "Try this installation in a store of its own",
  options: [{ name: "quick", help: "fewer rows" }],
  hidden: true,
  operations: [],
  async run(args, cli) {
    const [kind = "reliability", ...extra] = args.words;
    if (!["reliability", "performance"].includes(kind) || extra.length > 0)
      throw new UsageError(`unknown test: ${JSON.stringify(extra[0] ?? kind)}`);
    const directory = mkdtempSync(join(tmpdir(), "engram-test-"));
    try {
      const steps = await tryOut(directory, args.has("quick") ? 100 : 1000, kind === "performance");
      const ok = steps.every((step) => step.ok);
      if (cli.json) cli.print(`${JSON.stringify({ kind, ok, steps }, null, 2)}\n`);
      else cli.print(`${steps.map((step) => `${step.ok ? "ok    " : "FAILED"} ${step.name}: ${step.detail}\n`).join("")}`);
      return ok ? 0 : 1;
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
};
