// Picks the learnings out of an agent's closing text: the last section under a learnings heading that has usable items.
import { byteLength, cutBytes, words } from "../../kernel/text.ts";

const HEADING = /^#{2,3}[ \t]+(?:key[ \t]+learnings?|learnings?|aprendizajes(?:[ \t]+clave)?):?[ \t]*$/gim;
const NEXT_HEADING = /^#{1,3} /m;
const NUMBERED = /^[ \t]*\d+[.)][ \t]+(.+)$/gm;
const BULLET = /^[ \t]*[-*][ \t]+(.+)$/gm;
const MIN_BYTES = 20;
const MIN_WORDS = 4;
const TITLE_BYTES = 60;

const plain = (item: string): string =>
  words(
    item
      .replace(/\*\*([^*]+)\*\*/g, "$1")
      .replace(/`([^`]+)`/g, "$1")
      .replace(/\*([^*]+)\*/g, "$1"),
  ).join(" ");

const usable = (item: string): boolean => byteLength(item) >= MIN_BYTES && words(item).length >= MIN_WORDS;

function itemsOf(section: string): string[] {
  const found = (pattern: RegExp) => [...section.matchAll(pattern)].map((match) => plain(match[1] as string)).filter(usable);
  const numbered = found(NUMBERED);
  return numbered.length > 0 ? numbered : found(BULLET);
}

export function extractLearnings(text: string): string[] {
  const normal = text.replaceAll("\r\n", "\n");
  for (const heading of [...normal.matchAll(HEADING)].reverse()) {
    const rest = normal.slice(heading.index + heading[0].length);
    const end = NEXT_HEADING.exec(rest);
    const items = itemsOf(end ? rest.slice(0, end.index) : rest);
    if (items.length > 0) return items;
  }
  return [];
}

export const learningTitle = (learning: string): string =>
  byteLength(learning) > TITLE_BYTES ? `${cutBytes(learning, TITLE_BYTES)}...` : learning;
