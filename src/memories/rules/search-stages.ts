// How a query is tried, strictest reading first. Pure: says what to ask the index, never asks it.
// A stage runs only when the one before found nothing; `match_mode` forces one.
import { cutCharacters, words } from "../../kernel/text.ts";
import { isStopWord } from "../../language/search/stop-words.ts";

export type MatchMode = "all" | "any";
export type IndexKind = "words" | "trigram";

export type StageName = "topic_key" | "all" | "any" | "prefix" | "part";

export type Lookup =
  | { by: "match"; expression: string }
  /** Plain substring comparison, for what the index cannot hold: short terms in a trigram index, parts of words. */
  | { by: "part"; terms: string[]; mode: MatchMode; newest?: number };

export interface Stage {
  name: Exclude<StageName, "topic_key">;
  lookup: Lookup;
}

/** More terms than this add cost and no precision; a pasted page must not become a ten-thousand-fold join. */
const MAX_TERMS = 64;
const MAX_TERM_LENGTH = 200;
const TRIGRAM = 3;
const PART_MIN = 2;
/** Looking inside words reads every row it is allowed to: enough of the newest, so that a word nobody wrote is told soon. */
const PART_ROWS = 20_000;

function stripQuotes(term: string): string {
  let start = 0;
  let end = term.length;
  while (start < end && term[start] === '"') start++;
  while (end > start && term[end - 1] === '"') end--;
  return term.slice(start, end);
}
const phrase = (term: string): string => `"${term.replaceAll('"', '""')}"`;

export function queryTerms(query: string): string[] {
  const clean = query.toWellFormed().replaceAll("\u0000", " ");
  return words(clean)
    .map((term) => cutCharacters(stripQuotes(term), MAX_TERM_LENGTH).text)
    .filter((t) => t !== "")
    .slice(0, MAX_TERMS);
}

export const topicKeyOf = (query: string): string | undefined => (query.includes("/") ? query.trim() : undefined);

const lookup = (terms: string[], mode: MatchMode, index: IndexKind): Lookup =>
  index === "trigram" && terms.some((term) => [...term].length < TRIGRAM)
    ? { by: "part", terms, mode }
    : { by: "match", expression: terms.map(phrase).join(mode === "all" ? " " : " OR ") };

export function planStages(query: string, mode: MatchMode | undefined, index: IndexKind): Stage[] {
  const terms = queryTerms(query);
  if (terms.length === 0) return [];
  if (mode) return [{ name: mode, lookup: lookup(terms, mode, index) }];
  const stages: Stage[] = [{ name: "all", lookup: lookup(terms, "all", index) }];
  const telling = terms.filter((term) => !isStopWord(term));
  const wider = telling.length > 0 ? telling : terms;
  if (terms.length > 1) stages.push({ name: "any", lookup: lookup(wider, "any", index) });
  // Whole words are all a word index knows: `logi`, or a word inside a run of Chinese, is found only by looking inside.
  const parts = wider
    .map((term) => term.replace(/\*+$/, ""))
    .filter((term) => /[\p{L}\p{N}]/u.test(term) && [...term].length >= PART_MIN);
  if (index === "words" && parts.length > 0) {
    stages.push({ name: "prefix", lookup: { by: "match", expression: parts.map((term) => `${phrase(term)} *`).join(" ") } });
    stages.push({ name: "part", lookup: { by: "part", terms: parts, mode: "all", newest: PART_ROWS } });
  }
  return stages;
}
