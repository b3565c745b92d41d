// Real child processes of the built program, each in a place of its own: temporary home, data folder, working folder.
// Whatever a test starts dies with its place, also when the test fails, times out, or the runner is interrupted.
import { afterEach, setDefaultTimeout } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { devNull, tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./ports.ts";

export const ROOT = join(import.meta.dir, "..", "..");
export const PROGRAM = join(ROOT, "dist", process.platform === "win32" ? "engram.exe" : "engram");
export const IS_BUILT = existsSync(PROGRAM);

/** No command and no start of a server takes longer, on any machine that is still alive. */
const PATIENCE_MS = 20_000;

/** Generous: a hung test must end, a slow machine must not fail. */
export const TEST_MS = 60_000;

export type Environment = Record<string, string | undefined>;

export interface Result {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd?: string;
  env?: Environment;
  stdin?: string;
  /** Standard input stays open until `tell`. */
  listens?: boolean;
  /** Instead of the executable: a runtime and its script, a wrapper that drops privileges. */
  program?: string[];
}

export interface Child {
  readonly pid: number;
  /** What it has said so far. */
  output(): { stdout: string; stderr: string };
  signal(name: NodeJS.Signals): void;
  /** The last (and only) words on its standard input. */
  tell(text: string): void;
  ended: Promise<Result>;
}

export interface Server extends Child {
  port: number;
  url: string;
  /** Asks politely, waits for the end, and says how it ended. */
  stop(signal?: NodeJS.Signals): Promise<Result>;
}

export interface Place {
  root: string;
  home: string;
  data: string;
  work: string;
  env(extra?: Environment): Record<string, string>;
  run(args: string[], options?: RunOptions): Promise<Result>;
  start(args: string[], options?: RunOptions): Child;
  serve(options?: RunOptions & { args?: (port: number) => string[] }): Promise<Server>;
  /** A process that somebody else started for this place. */
  adopt(pid: number): void;
  remove(): Promise<void>;
}

const everyPlace = new Set<{ killAll(): void; root: string }>();

function removeEverything(): void {
  for (const place of everyPlace) {
    place.killAll();
    for (const pid of processesOf(place)) kill(pid);
    rmSync(place.root, { recursive: true, force: true });
  }
  everyPlace.clear();
}

process.on("exit", removeEverything);
// An interrupted runner ends without the event above.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    removeEverything();
    process.exit(1);
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it has ended by itself
  }
}

/** Processes that carry the place in their environment: detached ones are found as well. Linux only. */
export function processesOf(place: Pick<Place, "root">): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/environ`, "latin1").includes(place.root);
      } catch {
        return false;
      }
    })
    .map(Number);
}

export function makePlace(): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "engram-e2e-")));
  const place = { root, home: join(root, "home"), data: join(root, "data"), work: join(root, "work") };
  for (const folder of [place.home, place.work, join(root, "tmp")]) mkdirSync(folder);
  const children = new Set<Child>();
  const adopted = new Set<number>();
  const record = {
    root,
    killAll() {
      for (const child of children) kill(child.pid);
      for (const pid of adopted) kill(pid);
    },
  };
  everyPlace.add(record);

  const env = (extra: Environment = {}): Record<string, string> => {
    const all: Environment = {
      PATH: process.env.PATH,
      SystemRoot: process.env.SystemRoot,
      HOME: place.home,
      USERPROFILE: place.home,
      USER: "tester",
      LANG: "C.UTF-8",
      TZ: "UTC",
      TMPDIR: join(root, "tmp"),
      ENGRAM_DATA_DIR: place.data,
      ENGRAM_NO_UPDATE_CHECK: "1",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: devNull,
      GIT_CEILING_DIRECTORIES: root,
      ...extra,
    };
    return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
  };

  const start = (args: string[], options: RunOptions = {}): Child => {
    const words = [...(options.program ?? [PROGRAM]), ...args];
    const child = Bun.spawn(words, {
      cwd: options.cwd ?? place.work,
      env: env(options.env),
      stdin: options.listens ? "pipe" : options.stdin === undefined ? "ignore" : Buffer.from(options.stdin),
      stdout: "pipe",
      stderr: "pipe",
    });
    const heard = { stdout: "", stderr: "" };
    const listen = async (name: "stdout" | "stderr") => {
      const decoder = new TextDecoder();
      for await (const chunk of child[name]) heard[name] += decoder.decode(chunk, { stream: true });
    };
    const streams = Promise.all([listen("stdout"), listen("stderr")]);
    const self: Child = {
      pid: child.pid,
      output: () => ({ ...heard }),
      signal: (name) => child.kill(name),
      tell(text) {
        const { stdin } = child;
        if (stdin === undefined || typeof stdin === "number") throw new Error("this process does not listen");
        stdin.write(text);
        void stdin.end();
      },
      ended: (async () => {
        await child.exited;
        await streams;
        return { code: child.exitCode, signal: child.signalCode === null ? null : String(child.signalCode), ...heard };
      })(),
    };
    children.add(self);
    void self.ended.then(() => children.delete(self));
    return self;
  };

  const run = async (args: string[], options: RunOptions = {}): Promise<Result> => {
    const child = start(args, options);
    const timer = setTimeout(() => child.signal("SIGKILL"), PATIENCE_MS);
    try {
      return await child.ended;
    } finally {
      clearTimeout(timer);
    }
  };

  const healthy = async (child: Child, url: string): Promise<boolean> => {
    let over = false;
    void child.ended.then(() => {
      over = true;
    });
    for (let left = PATIENCE_MS / 20; left > 0 && !over; left--) {
      const answer = await fetch(`${url}/health`).catch(() => undefined);
      if (answer) {
        await answer.text();
        return answer.ok;
      }
      await Bun.sleep(20);
    }
    return false;
  };

  const serve: Place["serve"] = async ({ args = (port: number) => ["serve", String(port)], ...options } = {}) => {
    for (let attempt = 1; ; attempt++) {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const child = start(args(port), options);
      if (await healthy(child, url)) {
        const stop = (signal: NodeJS.Signals = "SIGTERM") => {
          child.signal(signal);
          return child.ended;
        };
        return { ...child, port, url, stop };
      }
      child.signal("SIGKILL");
      const { stderr } = await child.ended;
      // Somebody else may have been quicker with the free port.
      if (attempt === 3 || !stderr.includes("is taken by")) throw new Error(`the server did not start: ${stderr}`);
    }
  };

  return {
    ...place,
    env,
    start,
    run,
    serve,
    adopt: (pid) => void adopted.add(pid),
    async remove() {
      const waiting = [...children].map((child) => child.ended);
      record.killAll();
      await Promise.all(waiting);
      for (const pid of processesOf(place)) kill(pid);
      rmSync(root, { recursive: true, force: true });
      everyPlace.delete(record);
    },
  };
}

/** Places that vanish after each test of the file that asks. */
export function usePlaces(): () => Place {
  const made: Place[] = [];
  setDefaultTimeout(TEST_MS);
  afterEach(async () => {
    await Promise.all(made.splice(0).map((place) => place.remove()));
  });
  return () => {
    const place = makePlace();
    made.push(place);
    return place;
  };
}
