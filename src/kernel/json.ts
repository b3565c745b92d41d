// JSON as the Go program's encoder writes it: `<`, `>`, `&` and the two line separators escaped, one newline at the end.

const ESCAPES: Record<string, string> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

export function encodeJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent) ?? "null";
  return /[<>&\u2028\u2029]/.test(text) ? text.replace(/[<>&\u2028\u2029]/g, (c) => ESCAPES[c] as string) : text;
}

export const jsonLine = (value: unknown, indent?: number): string => `${encodeJson(value, indent)}\n`;

/** Leaves out what is null or undefined: optional keys of the wire are absent, never null. */
export function withoutEmpty<T extends Record<string, unknown>>(record: T): { [K in keyof T]?: Exclude<T[K], null | undefined> } {
  const out: Record<string, unknown> = {};
  for (const key in record) if (record[key] !== null && record[key] !== undefined) out[key] = record[key];
  return out as { [K in keyof T]?: Exclude<T[K], null | undefined> };
}
