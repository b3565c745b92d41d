// How an operation appears on the command line. A command parses words, calls operations, prints.
import type { AnyOperation, Operation } from "./operation.ts";

export interface CliOption {
  name: string;
  short?: string;
  /** Placeholder of the value; absent: a switch. */
  value?: string;
  repeat?: boolean;
  help: string;
}

export interface CliArguments {
  words: string[];
  /** The last value given; undefined when absent. */
  value(name: string): string | undefined;
  values(name: string): string[];
  has(name: string): boolean;
}

export interface CliContext {
  cwd: string;
  /** `--json` was given. */
  json: boolean;
  stdoutIsTerminal: boolean;
  stderrIsTerminal: boolean;
  timeZone: string | undefined;
  dataDirectory: string;
  /** Calls an operation with this process's app. */
  call<Input, Output>(op: Operation<never, Input, Output>, input: Input): Promise<Output>;
  print(text: string): void;
  /** To standard error. */
  note(text: string): void;
  readLine(): Promise<string>;
  /** Standard input to its end. */
  readAll(): string;
  progress(label: string, total: number): { update(done: number): void; finish(): void };
}

export interface CliCommand {
  /** Words that select it: `delete session`. */
  command: string;
  /** What follows the words in a usage line. */
  usage: string;
  summary: string;
  details?: string;
  options: CliOption[];
  /** 1 for commands older programs know; 2 marks wrong usage of ours. */
  usageExit?: 1 | 2;
  /** Words of wrong usage where the contract has its own. */
  unknownOption?(option: string): string;
  missingValue?(option: string): string;
  hidden?: boolean;
  /** Options that may stand at the end without their value. */
  optionalValues?: string[];
  operations: AnyOperation[];
  run(args: CliArguments, context: CliContext): Promise<number>;
}

/** Wrong usage: printed as `error: …` (or as given), followed by the usage line. */
export class UsageError extends Error {
  readonly verbatim: boolean;
  readonly showUsage: boolean;

  constructor(message: string, options: { verbatim?: boolean; showUsage?: boolean } = {}) {
    super(message);
    this.verbatim = options.verbatim ?? false;
    this.showUsage = options.showUsage ?? true;
  }
}

/** The common case: one operation, one text. `render` is skipped under `--json`, which prints the value itself. */
export function command<Input, Output>(definition: {
  command: string;
  usage: string;
  summary: string;
  details?: string;
  options?: CliOption[];
  usageExit?: 1 | 2;
  operation: Operation<never, Input, Output>;
  decode(args: CliArguments, context: CliContext): Input;
  render(value: Output, context: CliContext): string;
  notes?(value: Output, context: CliContext): string[];
  json?(value: Output): unknown;
  exitCode?(value: Output): number;
}): CliCommand {
  const { operation, decode, render, notes, json, exitCode, options = [], ...rest } = definition;
  return {
    ...rest,
    options,
    operations: [operation as AnyOperation],
    async run(args, context) {
      const value = await context.call(operation, decode(args, context));
      context.print(context.json ? `${JSON.stringify(json ? json(value) : value, null, 2)}\n` : render(value, context));
      for (const note of notes?.(value, context) ?? []) context.note(`${note}\n`);
      return exitCode?.(value) ?? 0;
    },
  };
}
