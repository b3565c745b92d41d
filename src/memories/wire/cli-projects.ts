// `engram projects …`: list, consolidate, merge, prune, rescue-ownership. The interactive ones ask on standard input.
import { quote } from "../../kernel/text.ts";
import { normalizeProjectName } from "../../project/name.ts";
import { type CliCommand, type CliContext, type CliOption, command, UsageError } from "../../registry/cli.ts";
import type { ProjectSummary } from "../model.ts";
import { listProjects, mergeProjects, pruneProjects, rescueOwnership } from "../operations/projects.ts";
import { noMoreWords } from "./cli.ts";
import { padCount, padName, renderProjects } from "./render.ts";

const DRY_RUN: CliOption = { name: "dry-run", help: "only say what would happen" };

const list = (word: "projects" | "projects list") =>
  command({
    command: word,
    usage: "",
    summary: word === "projects" ? "List, merge and tidy projects" : "List projects with their counts",
    operation: listProjects,
    decode(args) {
      const [unknown] = args.words;
      if (word === "projects" && unknown !== undefined)
        throw new UsageError(`unknown projects subcommand: ${unknown}`, { verbatim: true });
      noMoreWords(args, 0);
      return {};
    },
    render: renderProjects,
    json: (projects) => ({ projects, count: projects.length }),
  });

/** `all`, `none`, or numbers between commas; undefined after a wrong number, which has been complained about. */
function selected<T>(answer: string, items: T[], cli: CliContext): T[] | "none" | undefined {
  const word = answer.trim().toLowerCase();
  if (word === "" || word === "none" || word === "skip") return "none";
  if (word === "all") return items;
  const numbers = word.split(",").map((part) => part.trim());
  const wrong = numbers.find((part) => !/^\d+$/.test(part) || Number(part) < 1 || Number(part) > items.length);
  if (wrong !== undefined) {
    cli.note(`Invalid selection: ${quote(wrong)} (expected 1-${items.length})\n`);
    return undefined;
  }
  return [...new Set(numbers.map(Number))].map((n) => items[n - 1] as T);
}

const sameName = (a: string, b: string): boolean => normalizeProjectName(a) === normalizeProjectName(b);

const similarGroups = (projects: ProjectSummary[]): ProjectSummary[][] =>
  [...Map.groupBy(projects, (p) => normalizeProjectName(p.name)).values()].filter((group) => group.length > 1);

async function consolidateOne(cli: CliContext, current: string, projects: ProjectSummary[], dryRun: boolean): Promise<void> {
  const variants = projects.filter((p) => p.name !== current && sameName(p.name, current));
  if (!projects.some((p) => p.name === current && p.observation_count > 0)) {
    cli.print(`Note: ${quote(current)} has no existing memories. Merging will move memories into this new project name.\n`);
  }
  if (variants.length === 0) {
    cli.print(`No similar project names found for ${quote(current)}. Nothing to consolidate.\n`);
    return;
  }
  const lines = variants.map((p, i) => `  [${i + 1}] ${padName(p.name)} ${padCount(p.observation_count)} obs  (same name)\n`);
  cli.print(`Detected project: ${quote(current)}\n\nFound similar project names:\n${lines.join("")}\n`);
  if (dryRun) {
    cli.print(`[dry-run] Would merge ${variants.length} project(s) into ${quote(current)}\n`);
    return;
  }
  cli.print(`Select which to merge into ${quote(current)} (comma-separated numbers, 'all', or 'none'): `);
  const chosen = selected(await cli.readLine(), variants, cli);
  if (chosen === "none") cli.print("Cancelled.\n");
  if (chosen === "none" || chosen === undefined) return;
  cli.print(`\nMerging ${chosen.length} project(s) into ${quote(current)}...\n`);
  const { moved } = await cli.call(mergeProjects, { from: chosen.map((p) => p.name), to: current, apply: true });
  cli.print(
    `Done! Merged into ${quote(current)}:\n  Observations: ${moved.observations}\n  Sessions:     ${moved.sessions}\n  Prompts:      ${moved.prompts}\n`,
  );
}

async function consolidateGroup(cli: CliContext, group: ProjectSummary[], number: number, dryRun: boolean): Promise<void> {
  const sorted = [...group].sort((a, b) => (a.name < b.name ? -1 : 1));
  let canonical = normalizeProjectName((sorted[0] as ProjectSummary).name);
  const lines = sorted.map(
    (p, i) => `  ${p.name === canonical ? "→" : " "} [${i + 1}] ${padName(p.name)} ${padCount(p.observation_count)} obs\n`,
  );
  cli.print(`Group ${number}:\n${lines.join("")}  Suggested canonical: ${quote(canonical)} (→)\n`);
  if (dryRun) {
    cli.print(`  [dry-run] Would merge into ${quote(canonical)}\n\n`);
    return;
  }
  cli.print(`
  Options:
    all     — merge everything into ${quote(canonical)}
    1,3,... — merge only selected numbers into ${quote(canonical)}
    rename  — choose a different canonical name
    skip    — don't touch this group
  Choice: `);
  let answer = (await cli.readLine()).trim();
  if (answer === "rename") {
    cli.print("  New name: ");
    canonical = normalizeProjectName(await cli.readLine());
    answer = canonical === "" ? "skip" : "all";
  }
  const chosen = selected(answer, sorted, cli);
  if (chosen === undefined || chosen === "none") {
    cli.print("  Skipped.\n\n");
    return;
  }
  const { moved } = await cli.call(mergeProjects, { from: chosen.map((p) => p.name), to: canonical, apply: true });
  cli.print(`  Merged: ${moved.observations} obs, ${moved.sessions} sessions, ${moved.prompts} prompts\n\n`);
}

const consolidate = (currentProject: (cli: CliContext) => Promise<string>): CliCommand => ({
  command: "projects consolidate",
  usage: "[--all] [--dry-run]",
  summary: "Merge spellings of one name (My-App and my-app)",
  options: [{ name: "all", help: "look at every project, not only the current one" }, DRY_RUN],
  operations: [mergeProjects],
  async run(args, cli) {
    noMoreWords(args, 0);
    const projects = await cli.call(listProjects, {});
    const here = args.has("all") ? "" : normalizeProjectName(await currentProject(cli));
    if (cli.json) {
      // Nobody can be asked: what would be offered is the answer.
      const groups = args.has("all")
        ? similarGroups(projects)
        : similarGroups(projects).filter((group) => sameName(group[0]?.name ?? "", here));
      cli.print(
        `${JSON.stringify({ groups: groups.map((group) => ({ canonical: normalizeProjectName(group[0]?.name ?? ""), projects: group })) }, null, 2)}\n`,
      );
      return 0;
    }
    if (!args.has("all")) {
      await consolidateOne(cli, here, projects, args.has("dry-run"));
      return 0;
    }
    const groups = similarGroups(projects);
    if (groups.length === 0) {
      cli.print("No similar project names found. Nothing to consolidate.\n");
      return 0;
    }
    cli.print(`Found ${groups.length} group(s) of similar project names:\n\n`);
    for (const [index, group] of groups.entries()) await consolidateGroup(cli, group, index + 1, args.has("dry-run"));
    return 0;
  },
});

const comparable = (name: string): string => normalizeProjectName(name).replaceAll("_", "-");

const merge: CliCommand = {
  command: "projects merge",
  usage: "--from A --to B (--dry-run|--apply)",
  summary: "Merge a name that differs only in case, spaces, or - and _",
  options: [
    { name: "from", value: "NAME", help: "the name as it is stored" },
    { name: "to", value: "NAME", help: "the name to keep" },
    DRY_RUN,
    { name: "apply", help: "do it" },
  ],
  operations: [mergeProjects],
  async run(args, cli) {
    noMoreWords(args, 0);
    const [from, to] = [args.value("from"), args.value("to")];
    if (!from?.trim() || !to?.trim()) throw new UsageError("--from and --to are required");
    if (args.has("dry-run") === args.has("apply")) throw new UsageError("exactly one of --dry-run or --apply is required");
    if (comparable(from) !== comparable(to)) {
      throw new UsageError(`${quote(from)} and ${quote(to)} are different names; only case, spaces and - versus _ may differ`, {
        showUsage: false,
      });
    }
    const apply = args.has("apply");
    const { to: target, moved } = await cli.call(mergeProjects, { from: [from], to, apply });
    if (cli.json) cli.print(`${JSON.stringify({ from, to: target, applied: apply, ...moved }, null, 2)}\n`);
    else {
      cli.print(
        `${apply ? "Merged" : "[dry-run] Would merge"} ${quote(from)} into ${quote(target)}:\n  Observations: ${moved.observations}\n  Sessions:     ${moved.sessions}\n  Prompts:      ${moved.prompts}\n`,
      );
    }
    return 0;
  },
};

const prune: CliCommand = {
  command: "projects prune",
  usage: "[--dry-run] [--paths-only]",
  summary: "Remove projects that hold no observation",
  options: [DRY_RUN, { name: "paths-only", help: "only names that are paths" }],
  operations: [pruneProjects],
  async run(args, cli) {
    noMoreWords(args, 0);
    const empty = (await cli.call(listProjects, {})).filter(
      (p) => p.observation_count === 0 && (!args.has("paths-only") || /[/\\]/.test(p.name)),
    );
    if (cli.json) {
      cli.print(`${JSON.stringify({ projects: empty }, null, 2)}\n`);
      return 0;
    }
    if (empty.length === 0) {
      cli.print("No empty projects to prune.\n");
      return 0;
    }
    const lines = empty.map(
      (p, i) => `  [${i + 1}] ${padName(p.name)} ${padCount(p.session_count)} sessions  ${padCount(p.prompt_count)} prompts\n`,
    );
    cli.print(`Found ${empty.length} project(s) with 0 observations:\n\n${lines.join("")}\n`);
    if (args.has("dry-run")) {
      cli.print(`[dry-run] Would prune ${empty.length} project(s)\n`);
      return 0;
    }
    cli.print("Select which to prune (comma-separated numbers, 'all', or 'none'): ");
    const chosen = selected(await cli.readLine(), empty, cli);
    if (chosen === "none") cli.print("Cancelled.\n");
    if (chosen === "none" || chosen === undefined) return 0;
    const gone = await cli.call(pruneProjects, { names: chosen.map((p) => p.name) });
    cli.print(`\nPruned ${chosen.length} project(s): ${gone.sessions} sessions, ${gone.prompts} prompts removed.\n`);
    return 0;
  },
};

const numbers = (values: string[], name: string): number[] =>
  values.map((value) => {
    if (!/^\d{1,15}$/.test(value)) throw new UsageError(`--${name} takes a number, got ${quote(value)}`);
    return Number(value);
  });

const rescue = command({
  command: "projects rescue-ownership",
  usage: "--project NAME [--session ID]... [--observation ID]... [--prompt ID]...",
  summary: "Give an owner to rows that have none",
  options: [
    { name: "project", value: "NAME", help: "the new owner" },
    { name: "session", value: "ID", repeat: true, help: "a session without project" },
    { name: "observation", value: "ID", repeat: true, help: "an observation without project" },
    { name: "prompt", value: "ID", repeat: true, help: "a prompt without project" },
  ],
  operation: rescueOwnership,
  decode(args) {
    noMoreWords(args, 0);
    const project = args.value("project");
    if (!project?.trim()) throw new UsageError("--project is required");
    return {
      project,
      sessions: args.values("session"),
      observations: numbers(args.values("observation"), "observation"),
      prompts: numbers(args.values("prompt"), "prompt"),
    };
  },
  render: ({ project, observations, sessions, prompts, blocked }) =>
    `Rescued into ${quote(project)}: ${observations} observation(s), ${sessions} session(s), ${prompts} prompt(s)\n${blocked
      .map(
        (row) =>
          `  left alone: ${row.kind} ${row.id} (${row.reason === "not_found" ? "not found" : `belongs to ${quote(row.owned_by)}`})\n`,
      )
      .join("")}`,
  exitCode: ({ blocked }) => (blocked.length > 0 ? 1 : 0),
});

export const projectCommands = (currentProject: (cli: CliContext) => Promise<string>): CliCommand[] => [
  list("projects"),
  list("projects list"),
  consolidate(currentProject),
  merge,
  prune,
  rescue,
];
