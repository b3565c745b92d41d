// Export and import of whole stores as JSON. Export is a stream of text; import checks everything before it writes anything.
import { z } from "zod";
import { toStamp } from "../../kernel/clock.ts";
import { invalid } from "../../kernel/errors.ts";
import { encodeJson } from "../../kernel/json.ts";
import { operation } from "../../registry/operation.ts";
import { EXPORT_VERSION, type ExportRow, exportRow, planImport } from "../rules/transfer.ts";
import type { ImportOutcome } from "../store.ts";
import { chooseProject, type MemoriesApp, selection } from "./app.ts";

export interface ExportCounts {
  sessions: number;
  observations: number;
  prompts: number;
}

export interface ExportStream {
  project: string | undefined;
  /** Rows to come, for a progress bar. */
  size: number;
  /** May be walked once; `counts` is complete afterwards. */
  pieces: Iterable<string>;
  counts: ExportCounts;
}

const LISTS = [
  ["session", "sessions"],
  ["observation", "observations"],
  ["prompt", "prompts"],
  ["relation", "relations"],
  ["tombstone", "prompt_tombstones"],
] as const;
/** Lists that readers of the older format expect even when empty. */
const ALWAYS = new Set(["sessions", "observations", "prompts"]);

function* documentOf(rows: Iterable<ExportRow>, exportedAt: string, indent: boolean, counts: ExportCounts): Generator<string> {
  const [newline, one, two] = indent ? ["\n", "  ", "    "] : ["", "", ""];
  const colon = indent ? ": " : ":";
  const encode = (value: unknown): string => (indent ? encodeJson(value, 2).replaceAll("\n", `\n${two}`) : encodeJson(value));
  yield `{${newline}${one}"version"${colon}"${EXPORT_VERSION}",${newline}${one}"exported_at"${colon}"${exportedAt}"`;
  let open = -1;
  const closeUpTo = function* (next: number): Generator<string> {
    if (open >= 0) yield `${newline}${one}]`;
    for (let i = open + 1; i < next; i++) {
      const name = LISTS[i]?.[1] as string;
      if (ALWAYS.has(name)) yield `,${newline}${one}"${name}"${colon}[]`;
    }
  };
  for (const item of rows) {
    const list = LISTS.findIndex(([kind]) => kind === item.kind);
    if (list === open) yield ",";
    else {
      yield* closeUpTo(list);
      yield `,${newline}${one}"${LISTS[list]?.[1]}"${colon}[`;
      open = list;
    }
    yield `${newline}${two}${encode(exportRow(item))}`;
    const name = LISTS[list]?.[1];
    if (name === "sessions" || name === "observations" || name === "prompts") counts[name]++;
  }
  yield* closeUpTo(LISTS.length);
  yield `${newline}}\n`;
}

export const exportMemories = operation({
  name: "memories.export",
  kind: "read",
  summary: "All rows of a project, or of every project, as one JSON document.",
  input: () => z.object({ ...selection(), indent: z.boolean().default(false) }),
  async run(app: MemoriesApp, input): Promise<ExportStream> {
    const project = await chooseProject(app, input);
    const counts: ExportCounts = { sessions: 0, observations: 0, prompts: 0 };
    const rows = app.memories.transfer.export(project);
    return {
      project,
      size: app.memories.transfer.size(project),
      counts,
      pieces: documentOf(rows, toStamp(app.clock.now()), input.indent, counts),
    };
  },
});

export const importMemories = operation({
  name: "memories.import",
  kind: "admin",
  summary: "Take in an export. Known rows are updated only by newer ones; importing twice changes nothing.",
  input: () => z.object({ data: z.unknown(), progress: z.custom<(done: number, total: number) => void>().optional() }),
  run(app: Pick<MemoriesApp, "memories" | "ids">, { data, progress }): ImportOutcome {
    const plan = planImport(data, app.ids);
    if ("problem" in plan) throw invalid(plan.problem);
    const total = plan.sessions.length + plan.observations.length + plan.prompts.length + plan.relations.length;
    return app.memories.transfer.import(plan, progress && ((done) => progress(done, total)));
  },
});
