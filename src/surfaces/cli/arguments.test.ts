import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type CliCommand, UsageError } from "../../registry/cli.ts";
import { findCommand, parseCommandLine } from "./arguments.ts";

const COMMAND: CliCommand = {
  command: "save",
  usage: "<title> <content>",
  summary: "Saves",
  options: [
    { name: "project", short: "p", value: "NAME", help: "a value" },
    { name: "tag", value: "TAG", repeat: true, help: "many values" },
    { name: "force", short: "f", help: "a switch" },
  ],
  operations: [],
  run: async () => 0,
};
const parse = (...words: string[]) => parseCommandLine(COMMAND, words);
function refused(...words: string[]): UsageError {
  try {
    parse(...words);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error("expected a refusal, but it went through");
}

describe("a word that begins with one dash", () => {
  test("is a word unless it is one letter alone", () => {
    expect(parse("Notes", "- first item").words).toEqual(["Notes", "- first item"]);
    expect(parse("-5 degrees").words).toEqual(["-5 degrees"]);
    const words = ["-", "-5", "-xy", "-project", "-f then more", "-\n", "-- note", "--- rule", "---"];
    expect(parse(...words).words).toEqual(words);
    expect(refused("-x").message).toBe('unknown option "-x"');
  });

  test("is an option where a letter is declared, of the command or of all", () => {
    const args = parse("-f", "word", "-p", "shop", "-h");
    expect(args.words).toEqual(["word"]);
    expect([args.has("force"), args.value("project"), args.has("help"), args.has("json")]).toEqual([true, "shop", true, false]);
  });

  test("may be the value of an option", () => {
    const args = parse("--project", "-5", "--tag=-a b", "--tag", "- c", "-p", "-last");
    expect(args.values("tag")).toEqual(["-a b", "- c"]);
    expect(args.values("project")).toEqual(["-5", "-last"]);
    expect(args.value("project")).toBe("-last");
    expect(args.words).toEqual([]);
  });

  test("stays as it was written, before and after the end of options", () => {
    const anyWord = fc.string({ unit: "binary" }).map((text) => text.replaceAll("\u0000", ""));
    const dashed = anyWord.map((text) => `-${text}`).filter((word) => !/^-(?:[A-Za-z]$|-)/.test(word));
    fc.assert(
      fc.property(fc.array(dashed), fc.array(fc.oneof(dashed, anyWord)), (before, after) => {
        expect(parse(...before, "--", ...after).words).toEqual([...before, ...after]);
      }),
    );
  });
});

describe("an option", () => {
  test("that nobody declared is refused, in the command's own words where it has some", () => {
    expect(refused("--colour")).toMatchObject({ message: 'unknown option "--colour"', verbatim: false, showUsage: true });
    const own = { ...COMMAND, unknownOption: (option: string) => `engram: unknown serve argument: ${option}` };
    expect(() => parseCommandLine(own, ["--colour"])).toThrow(
      expect.objectContaining({ message: "engram: unknown serve argument: --colour", verbatim: true, showUsage: true }),
    );
  });

  test("must have its value, and a switch none", () => {
    expect(refused("--project").message).toBe("--project requires a value");
    expect(refused("--force=yes").message).toBe("--force takes no value");
  });
});

test("a command is the longest that the words begin with", () => {
  const commands = ["delete", "delete session"].map((command) => ({ ...COMMAND, command }));
  expect(findCommand(commands, ["delete", "session", "s1"])).toMatchObject({
    command: { command: "delete session" },
    rest: ["s1"],
  });
  expect(findCommand(commands, ["delete", "5"])).toMatchObject({ command: { command: "delete" }, rest: ["5"] });
  expect(findCommand(commands, ["remove"])).toBeUndefined();
});
