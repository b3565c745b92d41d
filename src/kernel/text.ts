// Text measures and cuts that never split a character.
import { createHash } from "node:crypto";

export const byteLength = (text: string): number => Buffer.byteLength(text, "utf8");

/** The longest prefix of at most `limit` bytes that ends at a character. */
export function cutBytes(text: string, limit: number): string {
  if (text.length <= limit && byteLength(text) <= limit) return text;
  const bytes = Buffer.from(text, "utf8");
  let end = Math.min(limit, bytes.length);
  while (end > 0 && end < bytes.length && ((bytes[end] as number) & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, end);
}

/** The first `limit` characters (code points), and whether anything was left out. */
export function cutCharacters(text: string, limit: number): { text: string; cut: boolean } {
  if (text.length <= limit) return { text, cut: false };
  let end = 0;
  for (let count = 0; count < limit && end < text.length; count++) end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1;
  return { text: text.slice(0, end), cut: end < text.length };
}

export function clip(text: string, limit: number): string {
  const { text: head, cut } = cutCharacters(text, limit);
  return cut ? `${head}...` : head;
}

/** Lower case one code point at a time, so that hashes agree with programs that know no context rules (final sigma). */
export function lowerSimple(text: string): string {
  if (/^[\u0000-\u007f]*$/.test(text)) return text.toLowerCase();
  let out = "";
  for (const character of text) {
    const lower = character.toLowerCase();
    out += lower.length > character.length ? String.fromCodePoint(lower.codePointAt(0) as number) : lower;
  }
  return out;
}

/** White space as Unicode and the Go program have it; JavaScript's own set differs in two characters, and hashes must agree. */
const SPACE = "\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const SPACES = new RegExp(`[${SPACE}]+`);
const isSpace = new RegExp(`[${SPACE}]`);

export const words = (text: string): string[] => text.split(SPACES).filter((word) => word !== "");

export function trimSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace.test(text[start] as string)) start++;
  while (end > start && isSpace.test(text[end - 1] as string)) end--;
  return text.slice(start, end);
}

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

const NAMED: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

/** A quoted string for people: quotes, backslashes and what cannot be seen escaped, everything printable left alone. */
export function quote(text: string): string {
  const escaped = text.replace(/["\\\u0000-\u001f\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/g, (c) => {
    const named = NAMED[c];
    if (named !== undefined) return named;
    if (c > "\u007f") return `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;
    return `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
  return `"${escaped}"`;
}

/** Edit distance; gives up (returns limit + 1) once it exceeds `limit`. */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let best = i;
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const value = Math.min(substitution, (previous[j] as number) + 1, (row[j - 1] as number) + 1);
      row.push(value);
      best = Math.min(best, value);
    }
    if (best > limit) return limit + 1;
    previous = row;
  }
  return previous[b.length] as number;
}

/** The names, likeliest meant first. */
export function nearest(meant: string, names: readonly string[]): string[] {
  const far = (name: string) => editDistance(meant, name.toLowerCase(), Math.max(meant.length, name.length));
  return [...names].sort((a, b) => far(a) - far(b));
}

/** The one name a slip of the finger away, if there is one. */
export function didYouMean(meant: string, names: readonly string[]): string | undefined {
  const [best] = nearest(meant, names);
  return best !== undefined && editDistance(meant, best.toLowerCase(), 2) <= Math.min(2, Math.floor(meant.length / 2))
    ? best
    : undefined;
}
