// What a memory looks like before it may be stored: redacted, cut, hashed, classified. Pure.
import { monthsAfter, toStamp } from "../../kernel/clock.ts";
import { invalid } from "../../kernel/errors.ts";
import { byteLength, cutBytes, lowerSimple, sha256, words } from "../../kernel/text.ts";
import { redactPrivate } from "../../language/secrets/private-text.ts";
import { SCOPES, type Scope } from "../model.ts";

export const MAX_CONTENT_BYTES = 50_000;
const TRUNCATION_MARK = "... [truncated]";
const MAX_TOPIC_KEY_BYTES = 120;
export const DEDUPE_MINUTES = 15;

const REVIEW_MONTHS: ReadonlyMap<string, number> = new Map([
  ["decision", 6],
  ["policy", 12],
  ["preference", 3],
]);

export function normalizeScope(scope: string | null | undefined): Scope {
  const wanted = (scope ?? "").trim().toLowerCase();
  return SCOPES.find((known) => known === wanted) ?? "project";
}

export function normalizeTopicKey(key: string | null | undefined): string | null {
  const joined = words(lowerSimple(key ?? "")).join("-");
  return joined === "" ? null : cutBytes(joined, MAX_TOPIC_KEY_BYTES);
}

export interface Truncation {
  original_bytes: number;
  limit_bytes: number;
  truncated: boolean;
}

/** Redaction first: a private part is neither counted nor cut in half. A text that was cut before stays as it is. */
export function prepareText(text: string): { text: string; truncation: Truncation } {
  const redacted = redactPrivate(text);
  const size = byteLength(redacted);
  const room = MAX_CONTENT_BYTES + (redacted.endsWith(TRUNCATION_MARK) ? TRUNCATION_MARK.length : 0);
  const truncated = size > room;
  return {
    text: truncated ? cutBytes(redacted, MAX_CONTENT_BYTES) + TRUNCATION_MARK : redacted,
    truncation: { original_bytes: size, limit_bytes: MAX_CONTENT_BYTES, truncated },
  };
}

export function prepareTitle(title: string): string {
  const redacted = redactPrivate(title);
  if (redacted === "") throw invalid("observation title is required");
  return redacted;
}

export function prepareContent(content: string): { text: string; truncation: Truncation } {
  const prepared = prepareText(content);
  if (prepared.text === "") throw invalid("observation content is required");
  return prepared;
}

/** Equal for texts that differ only in case and white space. */
export const contentHash = (content: string): string => sha256(words(lowerSimple(content)).join(" "));

export function reviewAfter(type: string, now: Date): string | null {
  const months = REVIEW_MONTHS.get(type);
  return months === undefined ? null : toStamp(monthsAfter(now, months));
}

export type ReviewState = "active" | "needs_review";

export const reviewState = (reviewAfterStamp: string | null, now: Date): ReviewState =>
  reviewAfterStamp !== null && reviewAfterStamp !== "" && reviewAfterStamp <= toStamp(now) ? "needs_review" : "active";

export function replaceLiterally(content: string, find: string, replacement: string): string {
  return find === "" ? content : content.replaceAll(find, () => replacement);
}
