// The memories room over a real file in a temporary folder, with a clock and ids that the test owns.
// `using room = openMemories()` closes the store and removes the folder when the test is over.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { readConfig } from "../../src/app/config.ts";
import { type App, openApp } from "../../src/app/open.ts";
import { EngramError } from "../../src/kernel/errors.ts";
import type { Ids } from "../../src/kernel/ids.ts";
import type { Observation } from "../../src/memories/model.ts";
import { save } from "../../src/memories/operations/save.ts";
import { openSession } from "../../src/memories/operations/sessions.ts";
import type { SaveOutcome } from "../../src/memories/store.ts";
import { invoke, type Operation } from "../../src/registry/operation.ts";
import { makeClock, type TestClock } from "./clock.ts";
import { tempFolder } from "./temp-folder.ts";

type Value = string | number | null;
type Row = Record<string, Value>;

/** 1, 2, 3 … in hex: every id differs, and each run makes the same ones. */
export function countingIds(start = 0): Ids {
  let last = start;
  return {
    hex(bytes) {
      last++;
      return last
        .toString(16)
        .padStart(bytes * 2, "0")
        .slice(-bytes * 2);
    },
  };
}

interface Saving {
  session_id?: string;
  type?: string;
  title?: string;
  content?: string;
  tool_name?: string;
  project?: string;
  scope?: string;
  topic_key?: string;
}

export interface TestMemories extends Disposable {
  readonly app: App;
  readonly clock: TestClock;
  readonly root: string;
  readonly file: string;
  path(...parts: string[]): string;
  /** Left-out fields get the operation's defaults. */
  call<Input extends object, Output>(op: Operation<never, Input, Output>, input: Partial<Input>): Promise<Output>;
  session(id?: string, project?: string, directory?: string): Promise<string>;
  saving(input?: Saving): Promise<SaveOutcome>;
  /** Saves into session `s1` of project `alpha` unless told otherwise; that session is made when missing. */
  saved(input?: Saving): Promise<Observation>;
  /** Through a connection of its own, as another program would. */
  rows(sql: string, ...values: Value[]): Row[];
  one(sql: string, ...values: Value[]): Value | undefined;
  change(sql: string): void;
  enroll(project: string): void;
  /** Every value of every table, indexes included: to show that something is nowhere. */
  dump(): string;
  /** A working directory inside the temporary folder; with a name it is that project. */
  directory(path: string, project?: string): string;
  reopen(): void;
}

interface MemoriesOptions {
  /** Runs before the store is first opened, with the path of the file it will find. */
  before?: (file: string) => void;
  start?: string;
}

export function openMemories({ before, start }: MemoriesOptions = {}): TestMemories {
  const folder = tempFolder();
  const file = folder.path("engram.db");
  const clock = makeClock(start);
  const config = readConfig({ ENGRAM_DATA_DIR: folder.root, HOME: folder.root, GIT_CEILING_DIRECTORIES: folder.root });
  const ids = countingIds();
  before?.(file);
  let app = openApp(config, { clock, ids });

  const otherProgram = <T>(work: (db: DatabaseSync) => T): T => {
    void app.memories;
    const db = new DatabaseSync(file);
    try {
      db.exec("PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = OFF");
      return work(db);
    } finally {
      db.close();
    }
  };

  const room: TestMemories = {
    get app() {
      return app;
    },
    clock,
    file,
    root: folder.root,
    path: folder.path,
    call: <Input extends object, Output>(op: Operation<never, Input, Output>, input: Partial<Input>) =>
      invoke(op as Operation<App, Input, Output>, app, input as Input),
    async session(id = "s1", project = "alpha", directory = "") {
      return (await room.call(openSession, { id, project, directory })).id;
    },
    async saving(input = {}) {
      const session_id = input.session_id ?? "s1";
      if (app.memories.sessions.get(session_id) === null) await room.session(session_id, input.project ?? "alpha");
      return room.call(save, {
        type: "manual",
        title: "A title",
        content: "Some content",
        project: "alpha",
        ...input,
        session_id,
      });
    },
    saved: async (input) => (await room.saving(input)).observation,
    rows: (sql, ...values) => otherProgram((db) => db.prepare(sql).all(...values) as Row[]),
    one: (sql, ...values) => Object.values(room.rows(sql, ...values)[0] ?? {})[0],
    change: (sql) => otherProgram((db) => db.exec(sql)),
    enroll: (project) => room.change(`INSERT INTO sync_enrolled_projects (project) VALUES ('${project}')`),
    dump() {
      const tables = room.rows("SELECT name FROM sqlite_master WHERE type = 'table'").map((row) => String(row.name));
      const shown = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : String(value));
      return tables
        .flatMap((table) => room.rows(`SELECT * FROM "${table}"`).flatMap((row) => Object.values(row).map(shown)))
        .join("\n");
    },
    directory(path, project) {
      const made = folder.path(path);
      mkdirSync(made, { recursive: true });
      if (project !== undefined) {
        const config = folder.path(path, ".engram", "config.json");
        mkdirSync(dirname(config), { recursive: true });
        writeFileSync(config, JSON.stringify({ project_name: project }));
      }
      return made;
    },
    reopen() {
      app.close();
      app = openApp(config, { clock, ids });
    },
    [Symbol.dispose]() {
      app.close();
      folder[Symbol.dispose]();
    },
  };
  return room;
}

/** The error an action ends in; fails the test when it does not end in one of ours. */
export async function refusal(action: Promise<unknown> | (() => unknown)): Promise<EngramError> {
  try {
    await (typeof action === "function" ? action() : action);
  } catch (error) {
    if (error instanceof EngramError) return error;
    throw error;
  }
  throw new Error("expected a refusal, but it went through");
}
