// `engram init`: fixes a directory's project name.
import { basename } from "node:path";
import { quote } from "../../kernel/text.ts";
import { type CliCommand, command, UsageError } from "../../registry/cli.ts";
import { initProject } from "../operations.ts";

export const projectSetupCommands: CliCommand[] = [
  command({
    command: "init",
    usage: "[name] [--force]",
    summary: "Fix this directory's project name in .engram/config.json",
    options: [{ name: "force", short: "f", help: "replace an existing file" }],
    operation: initProject,
    decode(args, { cwd }) {
      if (args.words.length > 1) throw new UsageError(`unexpected argument(s): ${args.words.slice(1).map(quote).join(" ")}`);
      return { directory: cwd, name: args.words[0] ?? basename(cwd), force: args.has("force") };
    },
    render: ({ name }) => `Initialized Engram project ${quote(name)} in .engram/config.json\n`,
  }),
];
