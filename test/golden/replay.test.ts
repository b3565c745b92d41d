// The recorded behaviour of the Go program, replayed against the built executable. What differs on purpose stands in
// differences.json with its reason; an entry that names nothing, or nothing that still differs, fails too.
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM, ROOT, usePlaces } from "../support/process.ts";
import { describeUnless, NOT_BUILT } from "../support/skip.ts";

const GOLDEN = join(ROOT, "..", "shared", "golden");
const REPLAY = join(GOLDEN, "replay.mjs");
const DIFFERENCES = join(import.meta.dir, "differences.json");
const NO_RECORDINGS = existsSync(REPLAY) ? undefined : "shared/golden is not beside the repository";
const FOLDERS = ["memories", "db"];
const REPLAY_MS = 240_000;
const place = usePlaces();

interface Scenario {
  name: string;
  steps: unknown[];
  informational?: boolean;
}

const scenarios = (): Map<string, Scenario> =>
  new Map(
    FOLDERS.flatMap((folder) => readdirSync(join(GOLDEN, folder)).map((name) => join(GOLDEN, folder, name)))
      .filter((path) => path.endsWith(".json"))
      .map((path) => JSON.parse(readFileSync(path, "utf8")) as Partial<Scenario>)
      .filter((scenario): scenario is Scenario => Array.isArray(scenario.steps) && typeof scenario.name === "string")
      .map((scenario) => [scenario.name, scenario]),
  );

const readDifferences = () => JSON.parse(readFileSync(DIFFERENCES, "utf8")) as Record<string, unknown>;

interface Outcome {
  verdict: string;
  /** Its own line and those below it. */
  lines: string[];
  differingSteps: Set<number>;
}

/** A scenario's line begins with its verdict; what follows belongs to it, quoted output included. */
function readReport(report: string): Map<string, Outcome> {
  const outcomes = new Map<string, Outcome>();
  let current: Outcome | undefined;
  for (const line of report.split("\n")) {
    const [, verdict, name] = /^(ok|FAIL|defect) +([^ :]+)/.exec(line) ?? [];
    if (verdict !== undefined && name !== undefined) {
      current = { verdict, lines: [], differingSteps: new Set() };
      outcomes.set(name, current);
    }
    current?.lines.push(line);
    const step = /^ +(?:\(defect\) )?step (\d+) /.exec(line)?.[1];
    if (step !== undefined) current?.differingSteps.add(Number(step));
  }
  return outcomes;
}

describeUnless(NOT_BUILT ?? NO_RECORDINGS, "the recordings of the Go program", () => {
  const outcomes = new Map<string, Outcome>();

  for (const folder of FOLDERS) {
    test(
      `are reproduced: ${folder}`,
      async () => {
        const words = ["--bin", PROGRAM, "--dir", folder, "--differences", DIFFERENCES, "--verbose"];
        const { code, stdout, stderr } = await place().start(words, { program: ["node", REPLAY], cwd: GOLDEN }).ended;
        const found = readReport(stdout);
        for (const [name, outcome] of found) outcomes.set(name, outcome);
        const failed = [...found.values()].filter(({ verdict }) => verdict === "FAIL");
        expect(failed.flatMap(({ lines }) => lines).join("\n")).toBe("");
        expect({ code, stderr, passed: /^[1-9]\d* passed, 0 failed$/m.test(stdout) }).toEqual({
          code: 0,
          stderr: "",
          passed: true,
        });
      },
      REPLAY_MS,
    );
  }

  test("differ only for a reason, and every reason names a scenario and step that exist", () => {
    const known = scenarios();
    expect(known.size).toBeGreaterThan(100);
    const lost = Object.keys(readDifferences()).filter((key) => {
      const [name = "", step, ...rest] = key.split("#");
      const scenario = known.get(name);
      if (!scenario || scenario.informational || rest.length > 0) return true;
      return step !== undefined && !(/^[1-9]\d*$/.test(step) && Number(step) <= scenario.steps.length);
    });
    expect(lost).toEqual([]);
    const mute = Object.entries(readDifferences()).filter(([, reason]) => typeof reason !== "string" || reason.trim().length < 8);
    expect(mute).toEqual([]);
  });

  test("no longer need a reason where nothing differs any more", () => {
    const settled = Object.keys(readDifferences()).filter((key) => {
      const [name = "", step] = key.split("#");
      const outcome = outcomes.get(name);
      if (outcome === undefined) return false;
      return step === undefined ? outcome.verdict === "ok" : !outcome.differingSteps.has(Number(step));
    });
    expect(settled).toEqual([]);
  });
});
