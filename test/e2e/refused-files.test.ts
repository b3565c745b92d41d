// An engram.db that cannot be used is refused with one sentence and left exactly as it was, and so is everything beside it.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { freePort } from "../support/ports.ts";
import { makePlace, type Place, PROGRAM, type RunOptions, usePlaces } from "../support/process.ts";
import { describeUnless, NOT_BUILT, testUnless } from "../support/skip.ts";
import { fingerprint, integrity } from "../support/sqlite-file.ts";

const place = usePlaces();

/** A place whose data folder holds something of its own beside the store. */
function prepare(fill: (store: string, here: Place) => void): Place {
  const here = place();
  mkdirSync(here.data, { mode: 0o700 });
  writeFileSync(join(here.data, "notes.txt"), "not yours");
  fill(join(here.data, "engram.db"), here);
  return here;
}

function makeDatabase(path: string, sql: string): void {
  const db = new Database(path);
  db.exec(sql);
  db.close();
}

/** What the program makes of a few rows: its files without WAL. Made once, copied for every test. */
let made: Promise<Map<string, Buffer>> | undefined;

async function makeStore(): Promise<Map<string, Buffer>> {
  const here = makePlace();
  try {
    const observations = Array.from({ length: 200 }, (_, i) => ({
      sync_id: `obs-${i}`,
      session_id: "s",
      title: `Title ${i}`,
      content: `text ${i} `.repeat(20),
      project: "p",
    }));
    const source = join(here.work, "rows.json");
    writeFileSync(source, JSON.stringify({ version: "0.2.0", sessions: [{ id: "s", project: "p" }], observations }));
    expect(await here.run(["import", source])).toMatchObject({ code: 0, stderr: "" });
    const store = join(here.data, "engram.db");
    const db = new Database(store);
    db.exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE;");
    db.close();
    return new Map(readdirSync(here.data).map((name) => [name, readFileSync(join(here.data, name))]));
  } finally {
    await here.remove();
  }
}

async function ownStore(): Promise<{ here: Place; store: string }> {
  made ??= makeStore();
  const here = place();
  mkdirSync(here.data, { mode: 0o700 });
  for (const [name, bytes] of await made) writeFileSync(join(here.data, name), bytes, { mode: 0o600 });
  return { here, store: join(here.data, "engram.db") };
}

/** Where the schema is: of each page of its tree the head with the cell pointers, and the beginning and end of the cells. */
function schemaAreas(file: Buffer): [from: number, to: number][] {
  const pageSize = file.readUInt16BE(16);
  const pages = [1];
  const head = 100;
  if (file[head] === 5) {
    pages.push(file.readUInt32BE(head + 8));
    const cells = file.readUInt16BE(head + 3);
    for (let i = 0; i < cells; i++) pages.push(file.readUInt32BE(file.readUInt16BE(head + 12 + 2 * i)));
  }
  return pages.flatMap((page): [number, number][] => {
    const start = (page - 1) * pageSize;
    const top = start + (page === 1 ? head : 0);
    const content = start + file.readUInt16BE(top + 5);
    return [
      [top, top + 8],
      [top + 3, top + 12],
      [content, Math.min(content + 400, start + pageSize)],
      [Math.max(content, start + pageSize - 400), start + pageSize],
    ];
  });
}

/** One line for a person on standard error, nothing on standard output, exit 1. */
function expectOneSentence({ code, stdout, stderr }: Awaited<ReturnType<Place["run"]>>, mentions?: string | RegExp): void {
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^engram: [^\n]{10,500}\n$/);
  expect(stderr).not.toMatch(/\bat \S+:\d+|\bat \S+ \(|node:internal|\/\$bunfs|Error:/);
  if (mentions !== undefined) expect(stderr).toMatch(mentions);
}

async function expectRefusal(here: Place, mentions?: string | RegExp, options: RunOptions = {}): Promise<void> {
  const before = fingerprint(here.root);
  const port = String(await freePort());
  for (const words of [["stats"], ["save", "t", "c", "--project", "p"], ["search", "x"], ["serve", port], ["doctor"]]) {
    expectOneSentence(await here.run(words, options), mentions);
    expect({ words, files: fingerprint(here.root) }).toEqual({ words, files: before });
  }
}

describeUnless(NOT_BUILT, "an engram.db that cannot be used", () => {
  test("because it is a text file", async () => {
    await expectRefusal(
      prepare((store) => writeFileSync(store, "These are my notes.\n".repeat(400))),
      /not an SQLite database/,
    );
  });

  test("because it is a very short text file", async () => {
    await expectRefusal(
      prepare((store) => writeFileSync(store, "x")),
      /not an SQLite database/,
    );
  });

  test("because it is another program's database", async () => {
    const here = prepare((store) => makeDatabase(store, "CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('a')"));
    await expectRefusal(here, /another program/);
  });

  test("because it is another program's database in WAL mode", async () => {
    const here = prepare((store) =>
      makeDatabase(store, "PRAGMA journal_mode = WAL; CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('a')"),
    );
    await expectRefusal(here, /another program/);
  });

  test("because it is another program's database, with writes still waiting in its WAL", async () => {
    const here = prepare((store) => {
      // Copied while open, as a crash would leave it.
      const origin = join(dirname(store), "..", "bookmarks.db");
      const db = new Database(origin);
      db.exec("PRAGMA journal_mode = WAL; CREATE TABLE bookmarks (url TEXT)");
      db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      db.exec("INSERT INTO bookmarks VALUES ('a')");
      for (const suffix of ["", "-wal"]) copyFileSync(`${origin}${suffix}`, `${store}${suffix}`);
      db.close();
    });
    expect(statSync(join(here.data, "engram.db-wal")).size).toBeGreaterThan(0);
    await expectRefusal(here, /another program/);
  });

  test("because only one of the two tables it must have is there", async () => {
    await expectRefusal(prepare((store) => makeDatabase(store, "CREATE TABLE sessions (id TEXT PRIMARY KEY, user TEXT)")));
  });

  test("because observations.id is not the primary key", async () => {
    const here = prepare((store) =>
      makeDatabase(
        store,
        `CREATE TABLE sessions (id TEXT PRIMARY KEY, project TEXT NOT NULL, directory TEXT NOT NULL, started_at TEXT, ended_at TEXT, summary TEXT);
         CREATE TABLE observations (id INT, session_id TEXT, type TEXT, title TEXT, content TEXT, tool_name TEXT, project TEXT, created_at TEXT);
         INSERT INTO sessions VALUES ('s', 'p', '/', '2025-01-01 00:00:00', NULL, NULL);
         INSERT INTO observations VALUES (1, 's', 'manual', 't', 'c', NULL, 'p', '2025-01-01 00:00:00'), (1, 's', 'manual', 'u', 'd', NULL, 'p', '');`,
      ),
    );
    await expectRefusal(here, /primary key/);
  });

  test("because a newer Engram wrote it", async () => {
    const { here } = await ownStore();
    const note = join(here.data, "engram-schema.json");
    expect(existsSync(note)).toBe(true);
    const stored = JSON.parse(readFileSync(note, "utf8")) as object;
    writeFileSync(note, JSON.stringify({ ...stored, migration: 9999 }));
    await expectRefusal(here, /newer/);
  });

  test("because it was cut off, wherever the cut is", async () => {
    const { here, store } = await ownStore();
    const whole = readFileSync(store);
    for (const size of [50, 100, 1024, 4096, 4097, Math.floor(whole.length / 2), whole.length - 4096, whole.length - 1]) {
      writeFileSync(store, whole);
      truncateSync(store, size);
      await expectRefusal(here, /damaged|not an SQLite database|not a database/);
    }
    writeFileSync(store, whole);
    expect((await here.run(["stats"])).code).toBe(0);
  });

  test("because bytes in its schema are flipped", async () => {
    const { here, store } = await ownStore();
    const whole = readFileSync(store);
    for (const [from, to] of schemaAreas(whole)) {
      const bytes = Buffer.from(whole);
      for (let i = from; i < to; i++) bytes[i] = (bytes[i] as number) ^ 0xff;
      writeFileSync(store, bytes);
      await expectRefusal(here, /damaged|malformed|not a database/);
    }
  });

  test("because its file header is flipped", async () => {
    const { here, store } = await ownStore();
    const bytes = readFileSync(store);
    for (let i = 16; i < 24; i++) bytes[i] = (bytes[i] as number) ^ 0xff;
    writeFileSync(store, bytes);
    await expectRefusal(here);
  });

  test("because it is a folder", async () => {
    const here = prepare((store) => {
      mkdirSync(store);
      writeFileSync(join(store, "inside.txt"), "still here");
    });
    await expectRefusal(here, /not a file/);
  });

  test("because the data folder is a file", async () => {
    const here = place();
    writeFileSync(here.data, "a file");
    await expectRefusal(here);
    expect(readFileSync(here.data, "utf8")).toBe("a file");
  });

  test("because ENGRAM_DATA_DIR is relative: nothing is made anywhere", async () => {
    const here = place();
    await expectRefusal(here, /ENGRAM_DATA_DIR must be an absolute path/, { env: { ENGRAM_DATA_DIR: "relative/engram" } });
    expect(existsSync(here.data)).toBe(false);
    expect(fingerprint(here.work)).toEqual({});
    expect(fingerprint(here.home)).toEqual({});
  });

  test("a blank ENGRAM_DATA_DIR counts as none: the store is in the home folder", async () => {
    const here = place();
    const { code, stdout } = await here.run(["stats"], { env: { ENGRAM_DATA_DIR: "  " } });
    expect(code).toBe(0);
    expect(stdout).toContain(join(here.home, ".engram", "engram.db"));
    expect(existsSync(join(here.home, ".engram", "engram.db"))).toBe(true);
  });

  test("an empty file is no obstacle: the store is made in it", async () => {
    const here = prepare((store) => writeFileSync(store, "", { mode: 0o600 }));
    expect(await here.run(["save", "t", "c", "--project", "p"])).toMatchObject({ code: 0, stderr: "" });
    expect(integrity(join(here.data, "engram.db"))).toBe("ok");
  });
});

const NOBODY = 65_534;
const AS_NOBODY = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", PROGRAM];

/** Root may write everything: to see a refusal, somebody else must ask. */
function withoutPrivileges(): { program?: string[] } | string {
  if (process.platform === "win32") return "no POSIX permissions here";
  if (process.getuid?.() !== 0) return {};
  const [command = "", ...args] = [...AS_NOBODY, "version"];
  const trial = spawnSync(command, args, { encoding: "utf8", env: { PATH: process.env.PATH, HOME: "/" } });
  return trial.status === 0 ? { program: AS_NOBODY } : "root cannot become nobody here (setpriv, or the folder is closed)";
}

const asOther = NOT_BUILT === undefined ? withoutPrivileges() : NOT_BUILT;
const REASON = typeof asOther === "string" ? asOther : undefined;
const options: RunOptions = typeof asOther === "string" ? {} : asOther;

/** The place as the one sees it who will be refused. */
function giveAway(here: Place): void {
  chmodSync(here.root, 0o755);
  if (options.program === undefined) return;
  const files = readdirSync(here.data).map((name) => join(here.data, name));
  for (const path of [here.work, here.home, here.data, ...files]) chownSync(path, NOBODY, NOBODY);
}

describeUnless(REASON, "an engram.db without permission", () => {
  test("to write it", async () => {
    const { here, store } = await ownStore();
    giveAway(here);
    chmodSync(store, 0o400);
    await expectRefusal(here, /read-only/, options);
  });

  test("to read it", async () => {
    const { here, store } = await ownStore();
    giveAway(here);
    chmodSync(store, 0o000);
    const port = String(await freePort());
    for (const words of [["stats"], ["serve", port]]) expectOneSentence(await here.run(words, options), store);
  });

  test("to write its folder", async () => {
    const { here } = await ownStore();
    giveAway(here);
    chmodSync(here.data, 0o500);
    await expectRefusal(here, here.data, options);
    chmodSync(here.data, 0o700);
  });

  test("to make the data folder", async () => {
    const here = place();
    const closed = join(here.root, "closed");
    mkdirSync(closed, { mode: 0o555 });
    chmodSync(here.root, 0o755);
    chmodSync(here.work, 0o777);
    expectOneSentence(await here.run(["stats"], { ...options, env: { ENGRAM_DATA_DIR: join(closed, "data") } }), closed);
    expect(fingerprint(closed)).toEqual({});
  });
});

testUnless(NOT_BUILT, "a copy of a healthy store is accepted as it is", async () => {
  const { here, store } = await ownStore();
  const there = prepare((path) => copyFileSync(store, path));
  const { stdout } = await there.run(["stats", "--all"]);
  expect(stdout).toBe((await here.run(["stats", "--all"])).stdout.replaceAll(here.data, there.data));
});
