// Everyday commands of the room: save, search, delete, timeline, context, stats, export, import, versions.
import { closeSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { join, resolve } from "node:path";
import { displayTime } from "../../kernel/clock.ts";
import { EngramError, messageOf, notFound } from "../../kernel/errors.ts";
import { nearest, quote } from "../../kernel/text.ts";
import { type CliArguments, type CliCommand, type CliContext, type CliOption, command, UsageError } from "../../registry/cli.ts";
import type { Selection } from "../operations/app.ts";
import { context } from "../operations/context.ts";
import { deleteObservation, observationVersions, timeline } from "../operations/observations.ts";
import { deleteProject, listProjects, stats } from "../operations/projects.ts";
import { deletePrompt } from "../operations/prompts.ts";
import { saveManual } from "../operations/save.ts";
import { search } from "../operations/search.ts";
import { deleteSession } from "../operations/sessions.ts";
import { exportMemories, importMemories } from "../operations/transfer.ts";
import { explainSearch, renderHits, renderStats, renderTimeline } from "./render.ts";
import { wireHit, wireObservation, wireTimeline } from "./shapes.ts";

export const PROJECT: CliOption = {
  name: "project",
  value: "NAME",
  help: "only this project (default: the project of the current directory)",
};
export const ALL: CliOption = { name: "all", help: "every project" };
const SCOPE: CliOption = { name: "scope", value: "SCOPE", help: "project, personal or global" };
const HARD: CliOption = { name: "hard", help: "remove for good instead of hiding" };

export const select = (args: CliArguments, { cwd }: CliContext): Selection => ({
  project: args.value("project"),
  allProjects: args.has("all"),
  cwd,
  lenient: true,
});

/** Numbers that cannot be read count as absent, as in every older version. */
const count = (args: CliArguments, name: string): number | undefined => {
  const value = args.value(name);
  return value !== undefined && /^-?\d+$/.test(value) ? Number(value) : undefined;
};

function rowId(args: CliArguments, kind: "observation" | "prompt"): number {
  const word = args.words[0];
  if (word === undefined) throw new UsageError("", { showUsage: true });
  if (!/^\d{1,15}$/.test(word)) throw new UsageError(`invalid ${kind} id ${quote(word)}`, { showUsage: false });
  return Number(word);
}

export function noMoreWords(args: CliArguments, expected: number): void {
  const extra = args.words.slice(expected);
  if (extra.length > 0) throw new UsageError(`unexpected argument(s): ${extra.map(quote).join(" ")}`);
}

function needsWord(args: CliArguments): string {
  const word = args.words[0];
  if (word === undefined || word.trim() === "") throw new UsageError("");
  noMoreWords(args, 1);
  return word;
}

/** A name nobody knows finds nothing; naming the known ones turns a dead end into a hint. */
async function hintUnknownProject(context: CliContext, project: string | undefined): Promise<void> {
  if (project === undefined) return;
  const known = (await context.call(listProjects, {})).map((summary) => summary.name);
  if (known.length === 0 || known.some((name) => name.toLowerCase() === project.trim().toLowerCase())) return;
  context.note(
    `project ${quote(project)} is not known; known projects: ${nearest(project.toLowerCase(), known).slice(0, 20).join(", ")}\n`,
  );
}

const saveCommand = command({
  command: "save",
  usage: "<title> <content> [--type TYPE] [--project PROJECT] [--scope SCOPE] [--topic TOPIC_KEY]",
  summary: "Save a memory by hand",
  options: [
    {
      name: "type",
      value: "TYPE",
      help: "decision, architecture, bugfix, pattern, config, discovery, learning, manual, or your own",
    },
    { name: "project", value: "NAME", help: "project it belongs to (default: the project of the current directory)" },
    SCOPE,
    { name: "topic", value: "KEY", help: "a later save with the same key revises this memory" },
  ],
  operation: saveManual,
  decode(args, { cwd }) {
    const [title, content] = args.words;
    if (title === undefined || content === undefined) throw new UsageError("");
    noMoreWords(args, 2);
    const value = (name: string) => args.value(name);
    return {
      title,
      content,
      type: value("type") || "manual",
      project: value("project"),
      scope: value("scope"),
      topic_key: value("topic"),
      cwd,
    };
  },
  render: ({ outcome: { observation: o } }) => `Memory saved: #${o.id} ${quote(o.title)} (${o.type})\n`,
  notes: ({ warnings }) => warnings,
  json: ({ outcome, truncation, warnings }) => ({
    kind: outcome.kind,
    observation: wireObservation(outcome.observation),
    truncation,
    warnings,
  }),
});

const searchCommand: CliCommand = {
  command: "search",
  usage: "<query> [--type TYPE] [--project PROJECT] [--all] [--scope SCOPE] [--limit N] [--match all|any]",
  summary: "Search your memories",
  options: [
    { name: "type", value: "TYPE", help: "only memories of this type" },
    PROJECT,
    ALL,
    SCOPE,
    { name: "limit", value: "N", help: "how many at most (default 10, at most 20)" },
    { name: "match", value: "MODE", help: "all: every word must match; any: one is enough" },
  ],
  operations: [search],
  async run(args, context) {
    const query = args.words.join(" ");
    if (query.trim() === "") throw new UsageError("search query is required");
    const options = {
      type: args.value("type"),
      scope: args.value("scope"),
      matchMode: args.value("match"),
      limit: count(args, "limit"),
    };
    const answer = await context.call(search, { ...select(args, context), ...options, query });
    if (context.json) {
      const { hits, stage, tried, project } = answer;
      context.print(
        `${JSON.stringify({ query, stage: stage ?? null, tried, project: project ?? null, results: hits.map(wireHit) }, null, 2)}\n`,
      );
      return 0;
    }
    context.print(renderHits(answer, query, context.timeZone));
    // Scripts read the old, silent answers; a widened one has no older form, and people always want to know.
    const widened = answer.stage === "any" || answer.stage === "prefix" || answer.stage === "part";
    if (widened || context.stderrIsTerminal) context.note(`${explainSearch(answer)}\n`);
    if (answer.hits.length === 0) await hintUnknownProject(context, args.value("project"));
    return 0;
  },
};

const deleteCommands: CliCommand[] = [
  command({
    command: "delete",
    usage: "<observation_id> [--hard]",
    summary: "Delete an observation, session, prompt or project",
    options: [HARD],
    operation: deleteObservation,
    decode(args) {
      const id = rowId(args, "observation");
      noMoreWords(args, 1);
      return { id, hard: args.has("hard") };
    },
    render: ({ id, hard }) => `Observation #${id} ${hard ? "hard" : "soft"}-deleted\n`,
  }),
  command({
    command: "delete session",
    usage: "<id>",
    summary: "Delete a session that holds no observation",
    operation: deleteSession,
    decode: (args) => ({ id: needsWord(args) }),
    render: ({ id }) => `Session ${quote(id)} deleted\n`,
  }),
  command({
    command: "delete prompt",
    usage: "<id>",
    summary: "Delete a prompt",
    operation: deletePrompt,
    decode(args) {
      const id = rowId(args, "prompt");
      noMoreWords(args, 1);
      return { id };
    },
    render: ({ id }) => `Prompt #${id} deleted\n`,
  }),
  command({
    command: "delete project",
    usage: "<name> [--hard]",
    summary: "Delete a project's memories",
    options: [HARD],
    operation: deleteProject,
    decode: (args) => ({ name: needsWord(args), hard: args.has("hard") }),
    render: ({ name, hard, deleted }) =>
      `Project ${quote(name)} ${hard ? "hard" : "soft"}-deleted: ${deleted.observations} observation(s), ${deleted.prompts} prompt(s), ${deleted.sessions} session(s)\n`,
  }),
];

const timelineCommand = command({
  command: "timeline",
  usage: "<observation_id> [--before N] [--after N] [--project PROJECT] [--all]",
  summary: "Show what happened around an observation",
  options: [
    { name: "before", value: "N", help: "how many earlier ones (default 5)" },
    { name: "after", value: "N", help: "how many later ones (default 5)" },
    PROJECT,
    ALL,
  ],
  operation: timeline,
  decode(args, context) {
    const id = rowId(args, "observation");
    noMoreWords(args, 1);
    return { ...select(args, context), id, before: count(args, "before"), after: count(args, "after") };
  },
  render: (value, { timeZone }) => renderTimeline(value, timeZone),
  json: wireTimeline,
});

const contextCommand: CliCommand = {
  command: "context",
  usage: "[project] [--project PROJECT] [--all] [--scope SCOPE]",
  summary: "Show recent context from previous sessions",
  options: [PROJECT, ALL, SCOPE],
  operations: [context],
  async run(args, cli) {
    noMoreWords(args, 1);
    const named = args.words[0] ?? args.value("project");
    const value = await cli.call(context, {
      project: named,
      allProjects: args.has("all"),
      cwd: cli.cwd,
      scope: args.value("scope"),
      compact: false,
    });
    if (cli.json) cli.print(`${JSON.stringify({ context: value.context, project: value.project ?? null }, null, 2)}\n`);
    else cli.print(value.context === "" ? "No previous session memories found.\n" : value.context);
    if (value.context === "") await hintUnknownProject(cli, named);
    return 0;
  },
};

const statsCommand = command({
  command: "stats",
  usage: "[--project PROJECT] [--all]",
  summary: "Show memory statistics",
  options: [PROJECT, ALL],
  operation: stats,
  decode(args, context) {
    noMoreWords(args, 0);
    return select(args, context);
  },
  render: (value, { dataDirectory }) => renderStats(value, join(dataDirectory, "engram.db")),
  notes: (value, { stderrIsTerminal }) =>
    stderrIsTerminal && value.project !== undefined ? [`project ${quote(value.project)}; --all counts every project`] : [],
});

/** Written beside the target and renamed: a failure leaves what was there. */
function writeWhole(path: string, write: (append: (text: string) => void) => void): void {
  const draft = `${path}.${process.pid}.tmp`;
  let handle: number;
  try {
    handle = openSync(draft, "wx", 0o600);
  } catch (error) {
    // The system names the draft after a comma; people know only the file they asked for.
    throw new EngramError("unavailable", `open ${path}: ${messageOf(error).split(", ")[0]}`, {}, { cause: error });
  }
  try {
    write((text) => void writeSync(handle, text));
    closeSync(handle);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error instanceof EngramError
      ? error
      : new EngramError("unavailable", `write ${path}: ${messageOf(error)}`, {}, { cause: error });
  }
}

const exportCommand: CliCommand = {
  command: "export",
  usage: "[file] [--project PROJECT] [--all]",
  summary: "Export memories to a JSON file (default engram-export.json)",
  options: [PROJECT, ALL],
  operations: [exportMemories],
  async run(args, context) {
    noMoreWords(args, 1);
    const file = args.words[0] ?? "engram-export.json";
    const stream = await context.call(exportMemories, { ...select(args, context), indent: true });
    const bar = context.progress("Exporting", stream.size);
    writeWhole(resolve(context.cwd, file), (append) => {
      for (const piece of stream.pieces) {
        append(piece);
        bar.update(stream.counts.sessions + stream.counts.observations + stream.counts.prompts);
      }
    });
    bar.finish();
    const { sessions, observations, prompts } = stream.counts;
    if (context.json)
      context.print(`${JSON.stringify({ file, project: stream.project ?? null, sessions, observations, prompts }, null, 2)}\n`);
    else
      context.print(
        `Exported to ${file}\n  Sessions:     ${sessions}\n  Observations: ${observations}\n  Prompts:      ${prompts}\n`,
      );
    if (stream.project !== undefined && sessions + observations + prompts === 0) {
      const known = await context.call(listProjects, {});
      if (known.length > 0) context.note(`nothing belongs to project ${quote(stream.project)}; --all exports every project\n`);
    }
    return 0;
  },
};

const importCommand: CliCommand = {
  command: "import",
  usage: "<file.json>",
  summary: "Import memories from a JSON export",
  options: [],
  operations: [importMemories],
  async run(args, context) {
    const file = needsWord(args);
    let source: string;
    try {
      source = readFileSync(resolve(context.cwd, file), "utf8");
    } catch (error) {
      throw notFound(`read ${file}: ${messageOf(error)}`);
    }
    let data: unknown;
    try {
      data = JSON.parse(source);
    } catch (error) {
      throw new EngramError("invalid", `parse ${file}: ${messageOf(error)}`);
    }
    if (typeof data !== "object" || data === null || Array.isArray(data))
      throw new EngramError("invalid", `parse ${file}: an export is a JSON object`);
    let bar: ReturnType<CliContext["progress"]> | undefined;
    const progress = (done: number, total: number) => {
      bar ??= context.progress("Importing", total);
      bar.update(done);
    };
    const result = await context.call(importMemories, { data, progress });
    bar?.finish();
    if (context.json) {
      context.print(`${JSON.stringify({ file, ...result }, null, 2)}\n`);
      return 0;
    }
    const extra: [string, number][] = [
      ["Updated:      ", result.observations_updated],
      ["Unchanged:    ", result.observations_skipped_stale],
      ["Relations:    ", result.relations_imported],
      ["Rejected:     ", result.rejected.length],
    ];
    context.print(
      `Imported from ${file}\n  Sessions:     ${result.sessions_imported}\n  Observations: ${result.observations_imported}\n  Prompts:      ${result.prompts_imported}\n${extra
        .filter(([, n]) => n > 0)
        .map(([label, n]) => `  ${label}${n}\n`)
        .join("")}`,
    );
    for (const row of result.rejected.slice(0, 10)) context.note(`rejected ${row.kind} ${row.id}: ${row.reason}\n`);
    return 0;
  },
};

const versionsCommand = command({
  command: "versions",
  usage: "<observation_id>",
  summary: "Show earlier texts of an observation",
  usageExit: 2,
  operation: observationVersions,
  decode(args) {
    const id = rowId(args, "observation");
    noMoreWords(args, 1);
    return { id };
  },
  render({ observation: o, versions }, { timeZone }) {
    if (versions.length === 0) return `#${o.id} ${o.title}: no earlier versions\n`;
    const one = (v: (typeof versions)[number]) =>
      `\nversion ${v.version} (replaced ${displayTime(v.created_at, timeZone)})\n${v.title ?? ""}\n${v.content}\n`;
    return `#${o.id} ${o.title} (revision ${o.revision_count})\n${versions.map(one).join("")}`;
  },
  json: ({ observation, versions }) => ({ id: observation.id, revision_count: observation.revision_count, versions }),
});

export const memoryCommands: CliCommand[] = [
  searchCommand,
  saveCommand,
  ...deleteCommands,
  timelineCommand,
  contextCommand,
  statsCommand,
  exportCommand,
  importCommand,
  versionsCommand,
];
