// Words of a command line against the options a command declares. Unknown options are refused, never guessed at.
import { parseArgs } from "node:util";
import { type CliArguments, type CliCommand, type CliOption, UsageError } from "../../registry/cli.ts";

/** Every command understands these. */
export const COMMON_OPTIONS: CliOption[] = [
  { name: "json", help: "print JSON" },
  { name: "help", short: "h", help: "show this help" },
];

const unshielded = (word: string): string => (word.startsWith(SHIELD) ? word.slice(SHIELD.length) : word);

/** No option has a space in its name or three dashes: text from a list or a rule does. */
const isText = (word: string): boolean => /^-{3,}/.test(word) || /^--?[^=\s]*\s/.test(word);

/** Stands before words that begin with a dash and are no option: `- first item`, `-5 degrees`. */
const SHIELD = "\u0000";

const shielded = (word: string): string =>
  isText(word) || (/^-[^-]/.test(word) && !/^-[A-Za-z]$/.test(word)) ? SHIELD + word : word;

export function parseCommandLine(command: CliCommand, words: string[]): CliArguments {
  const known = [...command.options, ...COMMON_OPTIONS];
  const options = Object.fromEntries(
    known.map(({ name, value, short }) => [
      name,
      { type: value ? ("string" as const) : ("boolean" as const), multiple: true, ...(short ? { short } : {}) },
    ]),
  );
  const { values, positionals, tokens } = parseArgs({
    args: words.map(shielded),
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const option = known.find(({ name }) => name === token.name);
    if (!option) {
      const message = command.unknownOption?.(token.rawName) ?? `unknown option ${JSON.stringify(token.rawName)}`;
      throw new UsageError(message, { verbatim: /^engram[: ]/.test(message) });
    }
    if (option.value && token.value === undefined && !command.optionalValues?.includes(option.name)) {
      const message = command.missingValue?.(token.rawName) ?? `${token.rawName} requires a value`;
      throw new UsageError(message, { verbatim: message.startsWith("engram"), showUsage: !message.startsWith("engram") });
    }
    if (!option.value && token.value !== undefined) throw new UsageError(`${token.rawName} takes no value`);
  }
  const all = (name: string): string[] =>
    ((values[name] ?? []) as unknown[]).filter((value): value is string => typeof value === "string").map(unshielded);
  return {
    words: positionals.map(unshielded),
    value: (name) => all(name).at(-1),
    values: all,
    has: (name) => values[name] !== undefined,
  };
}

/** The longest declared command that the words begin with. */
export function findCommand(commands: CliCommand[], words: string[]): { command: CliCommand; rest: string[] } | undefined {
  for (let length = Math.min(3, words.length); length > 0; length--) {
    const name = words.slice(0, length).join(" ");
    const command = commands.find((candidate) => candidate.command === name);
    if (command) return { command, rest: words.slice(length) };
  }
  return undefined;
}
