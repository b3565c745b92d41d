// `engram doctor` and `engram doctor repair`, with the words scripts know them by.
import { EngramError } from "../../kernel/errors.ts";
import { type CliCommand, type CliOption, UsageError } from "../../registry/cli.ts";
import { doctor } from "../operations/doctor.ts";
import { repair } from "../operations/repair.ts";
import { renderDoctor } from "./render.ts";

const PROJECT: CliOption = { name: "project", value: "PROJECT", help: "only rows of this project" };
const CHECK: CliOption = { name: "check", value: "CODE", help: "one check by its name" };

const doctorCommand: CliCommand = {
  command: "doctor",
  usage: "[--json] [--project PROJECT] [--check CODE]",
  summary: "Check the store for problems (read-only)",
  options: [PROJECT, CHECK],
  operations: [doctor],
  unknownOption: (option) => `unknown doctor argument ${JSON.stringify(option)}`,
  async run(args, cli) {
    if (args.words.length > 0) throw new UsageError(`unknown doctor argument ${JSON.stringify(args.words[0])}`);
    const report = await cli.call(doctor, { project: args.value("project"), check: args.value("check"), mustExist: false });
    if (cli.json) cli.print(`${JSON.stringify(report, null, 2)}\n`);
    else if (report.checks[0]?.check_id === "invalid_check")
      throw new UsageError(`engram doctor failed: ${report.checks[0].message}`, { verbatim: true });
    else cli.print(renderDoctor(report));
    return report.status === "error" ? 1 : 0;
  },
};

const MODES = { plan: "plan", "dry-run": "dry_run", apply: "apply" } as const;
const failure = (why: string) => new UsageError(`engram doctor repair failed: ${why}`, { verbatim: true });

const repairCommand: CliCommand = {
  command: "doctor repair",
  usage: "--project PROJECT --check CODE (--plan|--dry-run|--apply)",
  summary: "Repair what a check found, after a backup",
  options: [
    PROJECT,
    CHECK,
    { name: "plan", help: "say what would be done" },
    { name: "dry-run", help: "the same, counting rows" },
    { name: "apply", help: "do it, after a backup into the backups folder" },
  ],
  operations: [repair],
  unknownOption: (option) => `engram doctor repair failed: unknown doctor repair argument ${JSON.stringify(option)}`,
  async run(args, cli) {
    if (args.words.length > 0) throw failure(`unknown doctor repair argument ${JSON.stringify(args.words[0])}`);
    const project = args.value("project");
    const check = args.value("check");
    if (!project) throw failure("--project is required");
    if (!check) throw failure("--check is required");
    const modes = (Object.keys(MODES) as (keyof typeof MODES)[]).filter((name) => args.has(name));
    if (modes.length !== 1) throw failure("exactly one of --plan, --dry-run, or --apply is required");
    try {
      const report = await cli.call(repair, { project, check, mode: MODES[modes[0] as keyof typeof MODES] });
      cli.print(`${JSON.stringify(report, null, 2)}\n`);
      return 0;
    } catch (error) {
      if (error instanceof EngramError && error.kind === "invalid") throw failure(error.message);
      throw error;
    }
  },
};

export const doctorCommands: CliCommand[] = [doctorCommand, repairCommand];
