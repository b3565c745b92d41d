// Reads the text of one git config file the way git does: sections, sub-sections, quoting, escapes, comments and
// continued lines. Includes are reported as ordinary keys, not followed.

const HEADER = /\[([A-Za-z0-9.-]+)(?:[ \t\r]+"([^"\\\n]*(?:\\[^\n][^"\\\n]*)*)")?\]/y;
const KEY = /([A-Za-z][A-Za-z0-9-]*)[ \t]*(=|\n|$)/y;
const ESCAPES: Readonly<Record<string, string>> = { "\n": "", n: "\n", t: "\t", b: "\b", "\\": "\\", '"': '"' };

/**
 * Values by full key (`remote.origin.url`), the last of several (of addresses the first); section and variable names are lower-cased, sub-sections
 * are not. git gives up on a file with a bad line; here everything before that line is kept.
 */
export function parseGitConfig(source: string): Map<string, string> {
  const text = source.replace(/\r\n/g, "\n");
  const values = new Map<string, string>();
  let section = "";
  let at = 0;
  while (at < text.length) {
    const char = text[at]!;
    if (isBlank(char)) {
      at++;
    } else if (char === "#" || char === ";") {
      at = endOfLine(text, at);
    } else if (char === "[") {
      const header = matchAt(HEADER, text, at);
      if (!header) break;
      section = sectionName(header[1]!, header[2]);
      at += header[0].length;
    } else {
      const key = section === "" ? null : matchAt(KEY, text, at);
      if (!key) break;
      at += key[0].length;
      const value = key[2] === "=" ? readValue(text, at) : { text: "", end: at };
      if (!value) break;
      const name = `${section}.${key[1]!.toLowerCase()}`;
      // A remote may have several addresses: the first is the one git fetches from.
      if (!name.endsWith(".url") || !values.has(name)) values.set(name, value.text);
      at = value.end;
    }
  }
  return values;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function sectionName(name: string, subsection: string | undefined): string {
  const lower = name.toLowerCase();
  return subsection === undefined ? lower : `${lower}.${subsection.replace(/\\(.)/g, "$1")}`;
}

/** The value that starts at `at` and the place after its line; undefined when git would call the line bad. */
function readValue(text: string, at: number): { text: string; end: number } | undefined {
  let value = "";
  let blanks = "";
  let quoted = false;
  for (let i = at; i < text.length; i++) {
    let char = text[i]!;
    if (char === "\n") return quoted ? undefined : { text: value, end: i + 1 };
    if (!quoted && (char === "#" || char === ";")) return { text: value, end: endOfLine(text, i) };
    if (!quoted && isBlank(char)) {
      // Blanks count only between two other characters.
      if (value !== "") blanks += char;
      continue;
    }
    if (char === '"') {
      quoted = !quoted;
      char = "";
    } else if (char === "\\") {
      // To git, the end of the file ends a line like any other.
      const meaning = ESCAPES[text[++i] ?? "\n"];
      if (meaning === undefined) return undefined;
      char = meaning;
    }
    value += blanks + char;
    blanks = "";
  }
  return quoted ? undefined : { text: value, end: text.length };
}

const isBlank = (char: string): boolean => " \t\r\n".includes(char);

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}
