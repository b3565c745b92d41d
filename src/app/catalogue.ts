// Every operation the program offers, on every surface it is offered on. Hosts, documentation and tests read this list.

import { memoryCommands } from "../memories/wire/cli.ts";
import { doctorCommands } from "../memories/wire/cli-doctor.ts";
import { projectCommands } from "../memories/wire/cli-projects.ts";
import { memoryRoutes } from "../memories/wire/http.ts";
import type { CliCommand, CliContext } from "../registry/cli.ts";
import type { AnyHttpBinding } from "../registry/http.ts";
import { machineCommands } from "./commands/machine.ts";
import { projectSetupCommands } from "./commands/project-setup.ts";
import { selfTestCommand } from "./commands/self-test.ts";
import { serveCommands } from "./commands/serve.ts";
import { appRoutes, currentProject } from "./operations.ts";

export const routes: AnyHttpBinding[] = [...appRoutes, ...memoryRoutes];

const projectHere = async (cli: CliContext): Promise<string> => (await cli.call(currentProject, { cwd: cli.cwd })).project;

/** In the order help shows them. */
export const commands: CliCommand[] = [
  ...serveCommands,
  ...memoryCommands,
  ...projectCommands(projectHere),
  ...projectSetupCommands,
  ...doctorCommands,
  selfTestCommand,
  ...machineCommands,
];
