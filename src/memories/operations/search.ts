// Finding observations and prompts: topic key first, then stage by stage until one answers, and saying which did.
import { z } from "zod";
import { invalid } from "../../kernel/errors.ts";
import { operation } from "../../registry/operation.ts";
import type { Prompt, SearchHit } from "../model.ts";
import { normalizeScope } from "../rules/observation.ts";
import { type MatchMode, planStages, type StageName, topicKeyOf } from "../rules/search-stages.ts";
import type { SearchFilter } from "../store.ts";
import { chooseProject, type MemoriesApp, positiveOr, requireText, selection } from "./app.ts";

const MOST_RESULTS = 20;

export interface SearchAnswer {
  hits: SearchHit[];
  /** The stage that answered; undefined when none did. */
  stage: StageName | undefined;
  tried: StageName[];
  project: string | undefined;
}

function matchMode(value: string | undefined): MatchMode | undefined {
  if (value === undefined || value === "") return undefined;
  if (value !== "all" && value !== "any") throw invalid(`invalid match_mode ${JSON.stringify(value)}: must be "all" or "any"`);
  return value;
}

export const search = operation({
  name: "memories.search",
  kind: "read",
  summary: "Find observations by words; widens from all words to any word when nothing matches.",
  input: () =>
    z.object({
      ...selection(),
      query: z.string(),
      type: z.string().optional(),
      scope: z.string().optional(),
      matchMode: z.string().optional(),
      limit: z.number().int().optional(),
    }),
  async run(app: MemoriesApp, input): Promise<SearchAnswer> {
    requireText(input.query, "q parameter is required");
    const mode = matchMode(input.matchMode);
    const project = await chooseProject(app, input);
    const store = app.memories.search;
    const filter: SearchFilter = {
      project,
      type: input.type || undefined,
      scope: input.scope ? normalizeScope(input.scope) : undefined,
      limit: positiveOr(input.limit, 10, MOST_RESULTS),
    };
    const tried: StageName[] = [];
    const key = topicKeyOf(input.query);
    const exact = key === undefined ? [] : store.byTopicKey(key, filter);
    if (key !== undefined) tried.push("topic_key");
    for (const stage of planStages(input.query, mode, store.index)) {
      // With the topic itself found, only what matches every word may follow it.
      if (exact.length > 0 && tried.includes("all")) break;
      tried.push(stage.name);
      const seen = new Set(exact.map((hit) => hit.id));
      const found = store.find(stage.lookup, filter).filter((hit) => !seen.has(hit.id));
      if (exact.length === 0 && found.length > 0) return { hits: found, stage: stage.name, tried, project };
      if (exact.length > 0) return { hits: [...exact, ...found].slice(0, filter.limit), stage: "topic_key", tried, project };
    }
    return { hits: exact, stage: exact.length > 0 ? "topic_key" : undefined, tried, project };
  },
});

export const searchPrompts = operation({
  name: "memories.prompts.search",
  kind: "read",
  summary: "Find prompts by words.",
  input: () => z.object({ ...selection(), query: z.string(), limit: z.number().int().optional() }),
  async run(
    app: MemoriesApp,
    input,
  ): Promise<{ prompts: Prompt[]; stage: StageName | undefined; tried: StageName[]; project: string | undefined }> {
    requireText(input.query, "q parameter is required");
    const project = await chooseProject(app, input);
    const filter = { project, limit: positiveOr(input.limit, 10) };
    const tried: StageName[] = [];
    for (const { name, lookup } of planStages(input.query, undefined, app.memories.search.promptIndex)) {
      tried.push(name);
      const prompts = app.memories.search.findPrompts(lookup, filter);
      if (prompts.length > 0) return { prompts, stage: name, tried, project };
    }
    return { prompts: [], stage: undefined, tried, project };
  },
});
