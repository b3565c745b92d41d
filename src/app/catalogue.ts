// Every operation the program offers, on every surface it is offered on. Hosts, documentation and tests read this.
// Lists load when asked for: a command pays for its own group, never for the others or for HTTP.
import { basename } from "node:path";
import type { CliCommand, CliContext } from "../registry/cli.ts";
import type { AnyHttpBinding } from "../registry/http.ts";

const projectHere = async (cli: CliContext): Promise<string> => {
  const { currentProject } = await import("./operations.ts");
  const { project, problem } = await cli.call(currentProject, { cwd: cli.cwd });
  return problem === undefined ? project : problem.code === "ambiguous_project" ? basename(cli.cwd) : "unknown";
};

interface CommandGroup {
  /** First words of the group's commands. */
  words: readonly string[];
  load(): Promise<CliCommand[]>;
}

/** In the order help shows them. */
export const commandGroups: readonly CommandGroup[] = [
  { words: ["serve", "serve-background"], load: async () => (await import("./commands/serve.ts")).serveCommands },
  { words: ["mcp"], load: async () => (await import("./commands/mcp.ts")).mcpCommands },
  {
    words: ["search", "save", "delete", "timeline", "context", "stats", "export", "import", "versions"],
    load: async () => (await import("../memories/wire/cli.ts")).memoryCommands,
  },
  { words: ["projects"], load: async () => (await import("../memories/wire/cli-projects.ts")).projectCommands(projectHere) },
  { words: ["init"], load: async () => (await import("./commands/project-setup.ts")).projectSetupCommands },
  { words: ["doctor"], load: async () => (await import("../memories/wire/cli-doctor.ts")).doctorCommands },
  { words: ["test"], load: async () => [(await import("./commands/self-test.ts")).selfTestCommand] },
  {
    words: ["instance-id", "protocol-mode", "hook", "completions", "version", "help"],
    load: async () => (await import("./commands/machine.ts")).machineCommands,
  },
];

export const allCommands = async (): Promise<CliCommand[]> =>
  (await Promise.all(commandGroups.map((group) => group.load()))).flat();

/** The group a first word belongs to; nothing for a word nobody knows. */
export const commandsFor = async (word: string): Promise<CliCommand[]> =>
  (await commandGroups.find(({ words }) => words.includes(word))?.load()) ?? [];

export const allRoutes = async (): Promise<AnyHttpBinding[]> => (await import("./routes.ts")).routes;
