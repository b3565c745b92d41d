// `<private>` parts never reach disk, log or answer. An unclosed tag is ordinary text, as in the Go program.
import { trimSpace } from "../../kernel/text.ts";

const OPEN = /<private>/gi;
const CLOSE = /<\/private>/gi;

const find = (tag: RegExp, text: string, from: number): RegExpExecArray | null => {
  tag.lastIndex = from;
  return tag.exec(text);
};

/** Linear in the text: each tag is looked at once, however many are left open. */
export function withoutPrivate(text: string): string {
  let out = "";
  let from = 0;
  for (;;) {
    const open = find(OPEN, text, from);
    const close = open && find(CLOSE, text, OPEN.lastIndex);
    if (!open || !close) break;
    out += `${text.slice(from, open.index)}[REDACTED]`;
    from = CLOSE.lastIndex;
  }
  return out + text.slice(from);
}

export const redactPrivate = (text: string): string => trimSpace(withoutPrivate(text));
