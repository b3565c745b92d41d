// Temporary folders and child processes of one run. Whatever was started is stopped, whatever was written is removed.
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FILE = process.platform === "win32" ? "engram.exe" : "engram";

export const builtProgram = join(import.meta.dir, "..", "..", "dist", FILE);

const START_LIMIT_MS = 10_000;
const STOP_LIMIT_MS = 5_000;

export interface Server {
  origin: string;
  pid: number;
  /** From spawn to the first 200 of /health. */
  readyMs: number;
  stop(): Promise<void>;
}

/** Nothing of the caller's settings reaches the measured program. */
export const childEnvironment = (directory: string): Record<string, string> => ({
  PATH: process.env.PATH ?? "",
  HOME: directory,
  ENGRAM_DATA_DIR: directory,
});

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

const ok = async (url: string): Promise<boolean> => {
  try {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    return false;
  }
};

export class Workspace {
  private readonly root = mkdtempSync(join(tmpdir(), "engram-bench-"));
  private readonly children = new Set<Bun.Subprocess>();
  /** A copy: a build that happens meanwhile does not change what is measured. */
  readonly program = join(this.root, FILE);

  constructor() {
    copyFileSync(builtProgram, this.program);
  }

  folder(name: string): string {
    return mkdtempSync(join(this.root, `${name}-`));
  }

  remove(folder: string): void {
    rmSync(folder, { recursive: true, force: true });
  }

  track<Child extends Bun.Subprocess>(child: Child): Child {
    this.children.add(child);
    void child.exited.then(() => this.children.delete(child));
    return child;
  }

  async serve(directory: string): Promise<Server> {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const start = performance.now();
    const child = this.track(
      Bun.spawn([this.program, "serve", String(port)], {
        env: childEnvironment(directory),
        cwd: directory,
        stdin: "ignore",
        stdout: "ignore",
        stderr: "inherit",
      }),
    );
    while (!(await ok(`${origin}/health`))) {
      if (child.exitCode !== null) throw new Error(`the server ended with code ${child.exitCode} before it answered`);
      if (performance.now() - start > START_LIMIT_MS) throw new Error(`the server did not answer within ${START_LIMIT_MS} ms`);
      await Bun.sleep(1);
    }
    const readyMs = performance.now() - start;
    return { origin, pid: child.pid, readyMs, stop: () => this.stop(child) };
  }

  private async stop(child: Bun.Subprocess): Promise<void> {
    child.kill("SIGTERM");
    const force = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
    await child.exited;
    clearTimeout(force);
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.children].map((child) => this.stop(child)));
    rmSync(this.root, { recursive: true, force: true });
  }
}

const TICKS_PER_SECOND = 100;

/** Processor time a process has used so far, in milliseconds; NaN where /proc does not tell. */
export function cpuOf(pid: number): number {
  try {
    // The program's name stands in brackets and may hold anything; the fields after it are plain.
    const [, rest = ""] = /^\d+ \(.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    const fields = rest.split(" ");
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
  } catch {
    return Number.NaN;
  }
}

/** Megabytes in memory: all, and the part no other process could share; NaN where /proc does not tell. */
export function memoryOf(pid: number): { resident: number; own: number } {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? Number.NaN);
    return { resident: kilobytes("VmRSS") / 1024, own: kilobytes("RssAnon") / 1024 };
  } catch {
    return { resident: Number.NaN, own: Number.NaN };
  }
}
