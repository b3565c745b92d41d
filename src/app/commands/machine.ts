// Commands that other programs call: instance-id, protocol-mode, hook, completions, version.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { quote } from "../../kernel/text.ts";
import { type CliArguments, type CliCommand, UsageError } from "../../registry/cli.ts";
import { VERSION } from "../version.ts";

function onlyWords(args: CliArguments, most: number): void {
  const extra = args.words.slice(most);
  if (extra.length > 0) throw new UsageError(`unexpected argument(s): ${extra.map(quote).join(" ")}`);
}

const versionCommand: CliCommand = {
  command: "version",
  usage: "",
  summary: "Show the version",
  options: [],
  operations: [],
  async run(args, cli) {
    onlyWords(args, 0);
    cli.print(cli.json ? `${JSON.stringify({ version: VERSION })}\n` : `engram ${VERSION}\n`);
    return 0;
  },
};

const instanceIdCommand: CliCommand = {
  command: "instance-id",
  usage: "",
  summary: "Print the identity of the local store",
  options: [],
  operations: [],
  async run(args, cli) {
    onlyWords(args, 0);
    const [{ instanceId, prepareDataDirectory }, { randomIds }] = await Promise.all([
      import("../../storage/data-directory.ts"),
      import("../../kernel/ids.ts"),
    ]);
    prepareDataDirectory(cli.dataDirectory);
    const id = instanceId(cli.dataDirectory, randomIds);
    cli.print(cli.json ? `${JSON.stringify({ instance_id: id })}\n` : `${id}\n`);
    return 0;
  },
};

/** What set-up stored for an agent; anything else means the full protocol text. */
function protocolMode(dataDirectory: string, slug: string): "slim" | "full" {
  try {
    const stored = JSON.parse(readFileSync(join(dataDirectory, "protocol-mode.json"), "utf8")) as Record<string, unknown>;
    return stored[slug] === "slim" ? "slim" : "full";
  } catch {
    return "full";
  }
}

const protocolModeCommand: CliCommand = {
  command: "protocol-mode",
  usage: "<slug>",
  summary: "Print how much protocol text an agent gets: slim or full",
  options: [],
  operations: [],
  async run(args, cli) {
    onlyWords(args, 1);
    const [slug] = args.words;
    if (slug === undefined) throw new UsageError("");
    const mode = protocolMode(cli.dataDirectory, slug);
    cli.print(cli.json ? `${JSON.stringify({ slug, mode })}\n` : `${mode}\n`);
    return 0;
  },
};

/** A hook waits this long for the server at most: the agent must not notice. */
const HOOK_MS = 200;

const hookCommand: CliCommand = {
  command: "hook",
  usage: "claude-pre-tool-use|codex-user-prompt-submit",
  summary: "Answer an agent's hook: JSON on standard input, JSON on standard output",
  options: [],
  operations: [],
  async run(args, cli) {
    const [name] = args.words;
    const { answerClaudePreToolUse, promptOfHook } = await import("../../memories/wire/hooks.ts");
    if (name === "claude-pre-tool-use") {
      cli.print(`${JSON.stringify(answerClaudePreToolUse(cli.readAll()))}\n`);
      return 0;
    }
    if (name !== "codex-user-prompt-submit") throw new UsageError(name === undefined ? "" : `unknown hook: ${quote(name)}`);
    const prompt = promptOfHook(cli.readAll());
    if (prompt) {
      const [{ callServer }, { readConfig }] = await Promise.all([import("../../client/client.ts"), import("../config.ts")]);
      const config = readConfig();
      const where = config.socket === undefined ? { origin: `http://127.0.0.1:${config.port}` } : { socket: config.socket };
      await callServer({ ...where, timeoutMs: HOOK_MS }, { method: "POST", path: "/prompts" }, { body: prompt }).catch(
        () => undefined,
      );
    }
    cli.print("{}\n");
    return 0;
  },
};

const SHELLS = ["bash", "zsh", "fish"] as const;

const completionsCommand: CliCommand = {
  command: "completions",
  usage: "bash|zsh|fish",
  summary: "Print a completion script for your shell",
  usageExit: 2,
  options: [],
  operations: [],
  async run(args, cli) {
    onlyWords(args, 1);
    const shell = SHELLS.find((known) => known === args.words[0]);
    if (!shell)
      throw new UsageError(
        args.words[0] === undefined ? "" : `unknown shell ${quote(args.words[0])}: choose ${SHELLS.join(", ")}`,
      );
    const [{ allCommands }, { completionScript }] = await Promise.all([
      import("../catalogue.ts"),
      import("../../surfaces/cli/completions.ts"),
    ]);
    cli.print(completionScript(shell, await allCommands()));
    return 0;
  },
};

const helpCommand: CliCommand = {
  command: "help",
  usage: "[command]",
  summary: "Show help",
  options: [],
  operations: [],
  // The host answers it before any command is looked up; the entry makes it known to help, docs and completions.
  run: async () => 0,
};

export const machineCommands: CliCommand[] = [
  instanceIdCommand,
  protocolModeCommand,
  { ...hookCommand, hidden: true },
  completionsCommand,
  versionCommand,
  helpCommand,
];
