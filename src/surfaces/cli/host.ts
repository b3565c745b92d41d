// The command-line host: finds the command, parses its words, runs it, and turns every failure into one sentence.
import { EngramError, type ErrorKind, messageOf } from "../../kernel/errors.ts";
import { didYouMean } from "../../kernel/text.ts";
import { type CliCommand, type CliContext, UsageError } from "../../registry/cli.ts";
import { type AnyOperation, invoke, type Operation } from "../../registry/operation.ts";
import { findCommand, parseCommandLine } from "./arguments.ts";
import { commandHelp, overview, usageLine } from "./help.ts";
import type { Terminal } from "./terminal.ts";

/** The Go program knows 0 and 1 only. */
const EXIT = {
  invalid: 1,
  not_found: 1,
  conflict: 1,
  unauthorized: 1,
  forbidden: 1,
  too_large: 1,
  unavailable: 1,
  internal: 1,
} as const satisfies Record<ErrorKind, number>;

export interface CliHost {
  commandsFor(word: string): Promise<CliCommand[]>;
  allCommands(): Promise<CliCommand[]>;
  version: string;
  app: () => Promise<object>;
  terminal: Terminal;
  cwd: string;
  timeZone: string | undefined;
  dataDirectory: () => string;
  reportError(error: unknown): void;
}

export async function runCli(argv: string[], host: CliHost): Promise<number> {
  const { terminal } = host;
  const first = argv[0] === "--version" || argv[0] === "-v" ? "version" : argv[0];
  if (first === undefined) {
    terminal.print(overview(await host.allCommands(), host.version));
    return 1;
  }
  if (first === "help" || first === "--help" || first === "-h") {
    const commands = await host.allCommands();
    const found = findCommand(commands, argv.slice(1));
    terminal.print(found ? commandHelp(found.command, commands) : overview(commands, host.version));
    return 0;
  }
  const found = findCommand(await host.commandsFor(first), [first, ...argv.slice(1)]);
  if (found) return runCommand(found.command, found.rest, host);
  const commands = await host.allCommands();
  const words = new Set(commands.filter((command) => !command.hidden).map((command) => command.command.split(" ")[0] as string));
  const meant = didYouMean(first, [...words]);
  terminal.note(`unknown command: ${first}\n${meant === undefined ? "" : `did you mean: engram ${meant}\n`}\n`);
  terminal.print(overview(commands, host.version));
  return 1;
}

async function runCommand(command: CliCommand, rest: string[], host: CliHost): Promise<number> {
  const { terminal } = host;
  try {
    const args = parseCommandLine(command, rest);
    if (args.has("help")) {
      terminal.print(commandHelp(command, await host.allCommands()));
      return 0;
    }
    const context: CliContext = {
      cwd: host.cwd,
      json: args.has("json"),
      stdoutIsTerminal: terminal.stdoutIsTerminal,
      stderrIsTerminal: terminal.stderrIsTerminal,
      timeZone: host.timeZone,
      get dataDirectory() {
        return host.dataDirectory();
      },
      call: async <Input, Output>(op: Operation<never, Input, Output>, input: Input) =>
        invoke(op as AnyOperation as Operation<object, Input, Output>, await host.app(), input),
      print: terminal.print,
      note: terminal.note,
      readLine: terminal.readLine,
      readAll: terminal.readAll,
      progress: terminal.progress,
    };
    return await command.run(args, context);
  } catch (error) {
    if (error instanceof UsageError) {
      const usage = error.showUsage ? `${usageLine(command)}\n` : "";
      const message = error.message === "" ? "" : `${error.verbatim ? "" : "error: "}${error.message}\n`;
      terminal.note(`${message}${usage}`);
      return command.usageExit ?? 1;
    }
    if (error instanceof EngramError) {
      terminal.note(`engram: ${error.message}\n`);
      return EXIT[error.kind];
    }
    host.reportError(error);
    terminal.note(`engram: ${messageOf(error)}\n`);
    return 1;
  }
}
