import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { type CliArguments, type CliContext, command, UsageError } from "./cli.ts";
import { invoke, operation } from "./operation.ts";

const double = operation({
  name: "test.double",
  kind: "read",
  summary: "Doubles.",
  input: () => z.object({ n: z.number() }),
  run: (_app: object, { n }) => n * 2,
});

const doubling = command({
  command: "double",
  usage: "<n>",
  summary: "Doubles a number",
  operation: double,
  decode: (args) => ({ n: Number(args.words[0]) }),
  render: (value) => `twice is ${value}\n`,
  notes: (value) => (value > 10 ? ["that is a lot"] : []),
  json: (value) => ({ value }),
  exitCode: (value) => (value > 100 ? 3 : 0),
});

const words = (...given: string[]): CliArguments => ({
  words: given,
  value: () => undefined,
  values: () => [],
  has: () => false,
});

function terminal(json = false): CliContext & { out: string; err: string } {
  const heard = { out: "", err: "" };
  return Object.assign(heard, {
    cwd: "/srv",
    json,
    stdoutIsTerminal: false,
    stderrIsTerminal: false,
    timeZone: undefined,
    dataDirectory: "/srv/data",
    call: (op: unknown, input: unknown) => invoke(op as typeof double, {}, input as { n: number }),
    print(text: string) {
      heard.out += text;
    },
    note(text: string) {
      heard.err += text;
    },
    readLine: async () => "",
    readAll: () => "",
    progress: () => ({ update: () => undefined, finish: () => undefined }),
  }) as unknown as CliContext & { out: string; err: string };
}

describe("a command made of one operation", () => {
  test("prints its text, and notes beside it", async () => {
    const cli = terminal();
    expect(await doubling.run(words("21"), cli)).toBe(0);
    expect({ out: cli.out, err: cli.err }).toEqual({ out: "twice is 42\n", err: "that is a lot\n" });
  });

  test("prints the value itself when asked for JSON", async () => {
    const cli = terminal(true);
    await doubling.run(words("2"), cli);
    expect(cli.out).toBe('{\n  "value": 4\n}\n');
    expect(cli.err).toBe("");
  });

  test("ends with the code its value calls for", async () => {
    expect(await doubling.run(words("60"), terminal())).toBe(3);
  });

  test("prints nothing when its operation refuses", async () => {
    const cli = terminal();
    await expect(doubling.run(words("many"), cli)).rejects.toThrow("n: ");
    expect(cli.out).toBe("");
  });

  test("is listed with the operation it calls and no options unless it has some", () => {
    expect(doubling.operations.map((op) => op.name)).toEqual(["test.double"]);
    expect(doubling.options).toEqual([]);
  });
});

test("wrong usage shows the usage line unless it says otherwise", () => {
  expect(new UsageError("what?")).toMatchObject({ message: "what?", verbatim: false, showUsage: true });
  expect(new UsageError("no", { verbatim: true, showUsage: false })).toMatchObject({ verbatim: true, showUsage: false });
});
