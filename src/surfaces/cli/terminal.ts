// The process's three streams as commands use them: text out, notes to stderr, lines in, a bar while people wait.
import { readFileSync, writeSync } from "node:fs";

export interface Terminal {
  stdoutIsTerminal: boolean;
  stderrIsTerminal: boolean;
  print(text: string): void;
  note(text: string): void;
  readLine(): Promise<string>;
  readAll(): string;
  progress(label: string, total: number): { update(done: number): void; finish(): void };
}

/** Fewer rows than this are done before a bar could be read. */
const BAR_FROM = 2000;
const BAR_WIDTH = 30;

/** Whole and in order, whatever the pipe's mood: asynchronous writes are lost when the process exits. */
function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text, "utf8");
  let offset = 0;
  while (offset < bytes.length) {
    try {
      offset += writeSync(fd, bytes, offset);
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === "EPIPE") return;
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

async function* linesOfStdin(): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of process.stdin) {
    rest += String(chunk);
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
      yield rest.slice(0, end).replace(/\r$/, "");
      rest = rest.slice(end + 1);
    }
  }
  if (rest !== "") yield rest;
}

export function processTerminal(): Terminal {
  let lines: AsyncGenerator<string> | undefined;
  const stderrIsTerminal = process.stderr.isTTY === true;
  return {
    stdoutIsTerminal: process.stdout.isTTY === true,
    stderrIsTerminal,
    print: (text) => writeAll(1, text),
    note: (text) => writeAll(2, text),
    async readLine() {
      lines ??= linesOfStdin();
      const { value, done } = await lines.next();
      return done ? "" : value;
    },
    readAll: () => readFileSync(0, "utf8"),
    progress(label, total) {
      if (!stderrIsTerminal || total < BAR_FROM) return { update() {}, finish() {} };
      let shown = -1;
      const draw = (done: number) => {
        const percent = total === 0 ? 100 : Math.min(100, Math.floor((done / total) * 100));
        if (percent === shown) return;
        shown = percent;
        const filled = Math.round((percent / 100) * BAR_WIDTH);
        writeAll(2, `\r${label} [${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)}] ${String(percent).padStart(3)} %`);
      };
      return {
        update: draw,
        finish() {
          draw(total);
          writeAll(2, "\n");
        },
      };
    },
  };
}
