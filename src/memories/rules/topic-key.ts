// Suggests a stable key under which later saves about the same subject replace this one: `<family>/<what the title says>`.
import { invalid } from "../../kernel/errors.ts";
import { words } from "../../kernel/text.ts";
import { redactPrivate } from "../../language/secrets/private-text.ts";

const FAMILY_OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  architecture: ["architecture", "design", "adr", "refactor"],
  bug: ["bug", "bugfix", "fix", "incident", "hotfix"],
  decision: ["decision"],
  pattern: ["pattern", "convention", "guideline"],
  config: ["config", "setup", "infra", "infrastructure", "ci"],
  discovery: ["discovery", "investigation", "root_cause", "root-cause"],
  learning: ["learning", "learn"],
  session: ["session_summary"],
};

/** Tried in this order when the type names no family. */
const FAMILY_OF_WORDS: readonly (readonly [family: string, hints: readonly string[]])[] = [
  ["bug", ["bug", "fix", "panic", "error", "crash", "regression", "incident", "hotfix"]],
  ["architecture", ["architecture", "design", "adr", "boundary", "hexagonal", "refactor"]],
  ["decision", ["decision", "tradeoff", "chose", "choose", "decide"]],
  ["pattern", ["pattern", "convention", "naming", "guideline"]],
  ["config", ["config", "setup", "environment", "env", "docker", "pipeline"]],
  ["discovery", ["discovery", "investigate", "investigation", "root cause", "found"]],
  ["learning", ["learned", "learning"]],
];

const CONTENT_WORDS = 8;
const SEGMENT_LENGTH = 100;

const segment = (text: string): string =>
  words(text.toLowerCase().replace(/[^a-z0-9]+/g, " "))
    .join("-")
    .slice(0, SEGMENT_LENGTH);

function familyOf(type: string, text: string): string {
  const kind = type.trim().toLowerCase();
  const named = Object.entries(FAMILY_OF_TYPE).find(([, types]) => types.includes(kind));
  if (named) return named[0];
  const hinted = FAMILY_OF_WORDS.find(([, hints]) => hints.some((hint) => text.includes(hint)));
  if (hinted) return hinted[0];
  return kind === "" || kind === "manual" ? "topic" : segment(kind) || "topic";
}

export function suggestTopicKey(input: { type: string; title: string; content: string }): string {
  const title = redactPrivate(input.title);
  const content = redactPrivate(input.content);
  if (title === "" && content === "") throw invalid("provide title or content to suggest a topic_key");
  const family = familyOf(input.type, `${title} ${content}`.toLowerCase());
  let subject = segment(title) || segment(words(content).slice(0, CONTENT_WORDS).join(" "));
  if (subject.startsWith(`${family}-`)) subject = subject.slice(family.length + 1);
  return `${family}/${subject === "" || subject === family ? "general" : subject}`;
}
