import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { refusal } from "../../test/support/memories.ts";
import { type TempFolder, tempFolder } from "../../test/support/temp-folder.ts";
import { EngramError } from "../kernel/errors.ts";
import { fileProblem, isBusy, openSqlite, type Sqlite, withRetry } from "./sqlite.ts";

interface Opened extends Disposable {
  db: Sqlite;
}

function open(folder: TempFolder): Opened {
  const db = openSqlite(folder.path("test.db"));
  db.useWal();
  db.exec("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)");
  return { db, [Symbol.dispose]: () => db.close() };
}

const notes = (db: Sqlite) => db.all("SELECT text FROM notes ORDER BY id").map((row) => row.text);
const add = (db: Sqlite, text: string) => db.run("INSERT INTO notes (text) VALUES (?)", text);
const busy = () => Object.assign(new Error("database is locked"), { errcode: 5 });

describe("an open database", () => {
  test("has every setting said aloud", () => {
    using folder = tempFolder();
    using opened = open(folder);
    const setting = (name: string) => Object.values(opened.db.get(`PRAGMA ${name}`) ?? {})[0];
    expect({
      mode: setting("journal_mode"),
      keys: setting("foreign_keys"),
      wait: setting("busy_timeout"),
      sync: setting("synchronous"),
    }).toEqual({
      mode: "wal",
      keys: 1,
      wait: 5000,
      sync: 1,
    });
  });

  test("answers with rows, one row or none, and what a change did", () => {
    using folder = tempFolder();
    using opened = open(folder);
    expect(add(opened.db, "a")).toEqual({ changes: 1, id: 1 });
    expect(add(opened.db, "b")).toEqual({ changes: 1, id: 2 });
    expect(opened.db.get("SELECT text FROM notes WHERE id = ?", 2)).toEqual({ text: "b" });
    expect(opened.db.get("SELECT text FROM notes WHERE id = 9")).toBeUndefined();
    expect([...opened.db.iterate("SELECT text FROM notes ORDER BY id DESC")]).toEqual([{ text: "b" }, { text: "a" }]);
    expect(opened.db.run("DELETE FROM notes").changes).toBe(2);
  });

  test("keeps any text as it was given", () => {
    using folder = tempFolder();
    using opened = open(folder);
    const texts = ["", "a\u0000b", "😀 ñ 漢", "'; DROP TABLE notes; --", "\u2028"];
    for (const text of texts) add(opened.db, text);
    expect(notes(opened.db)).toEqual(texts);
  });

  test("refuses to write when opened for reading", () => {
    using folder = tempFolder();
    using opened = open(folder);
    add(opened.db, "a");
    const reader = openSqlite(folder.path("test.db"), { readOnly: true });
    try {
      expect(notes(reader)).toEqual(["a"]);
      expect(() => add(reader, "b")).toThrow();
    } finally {
      reader.close();
    }
  });

  test("may be closed twice", () => {
    using folder = tempFolder();
    const { db } = open(folder);
    db.close();
    db.close();
  });

  test("that cannot be opened is one sentence", async () => {
    using folder = tempFolder();
    const missing = await refusal(() => openSqlite(folder.path("no", "such", "folder.db")));
    expect(missing.kind).toBe("unavailable");
    expect(missing.message).toContain("folder.db");
    const directory = await refusal(() => openSqlite(folder.root));
    expect(directory.kind).toBe("unavailable");
  });

  test("that is no database is one sentence, at the latest when it is first read", async () => {
    using folder = tempFolder();
    writeFileSync(folder.path("text.db"), "this is not a database, it only looks long enough to be one".repeat(40));
    const error = await refusal(() => {
      const db = openSqlite(folder.path("text.db"));
      try {
        db.get("SELECT name FROM sqlite_master");
      } finally {
        db.close();
      }
    });
    expect(error.message).toContain("is not an SQLite database");
  });
});

describe("a transaction", () => {
  test("keeps everything and answers what the body answers", () => {
    using folder = tempFolder();
    using opened = open(folder);
    const answer = opened.db.transaction(() => {
      add(opened.db, "a");
      add(opened.db, "b");
      return 42;
    });
    expect(answer).toBe(42);
    expect(notes(opened.db)).toEqual(["a", "b"]);
  });

  test("keeps nothing when its body fails, and the next one works", () => {
    using folder = tempFolder();
    using opened = open(folder);
    const fail = () =>
      opened.db.transaction(() => {
        add(opened.db, "a");
        throw new Error("stop here");
      });
    expect(fail).toThrow("stop here");
    expect(notes(opened.db)).toEqual([]);
    opened.db.transaction(() => add(opened.db, "b"));
    expect(notes(opened.db)).toEqual(["b"]);
  });

  test("keeps nothing when a constraint ends it", () => {
    using folder = tempFolder();
    using opened = open(folder);
    const twice = () =>
      opened.db.transaction(() => {
        add(opened.db, "same");
        add(opened.db, "same");
      });
    expect(twice).toThrow();
    expect(notes(opened.db)).toEqual([]);
  });

  test("inside another joins it: both are kept or neither", () => {
    using folder = tempFolder();
    using opened = open(folder);
    const { db } = opened;
    db.transaction(() => {
      add(db, "outer");
      db.transaction(() => add(db, "inner"));
    });
    expect(notes(db)).toEqual(["outer", "inner"]);
    const failing = () =>
      db.transaction(() => {
        db.transaction(() => add(db, "second inner"));
        throw new Error("outer fails after inner");
      });
    expect(failing).toThrow("outer fails after inner");
    expect(notes(db)).toEqual(["outer", "inner"]);
  });

  test("that met another writer is repeated as a whole", () => {
    using folder = tempFolder();
    using opened = open(folder);
    let attempts = 0;
    opened.db.transaction(() => {
      attempts++;
      add(opened.db, `attempt ${attempts}`);
      if (attempts < 3) throw busy();
    });
    expect(attempts).toBe(3);
    expect(notes(opened.db)).toEqual(["attempt 3"]);
  });

  test("is not repeated for any other error", () => {
    using folder = tempFolder();
    using opened = open(folder);
    let attempts = 0;
    const failing = () =>
      opened.db.transaction(() => {
        attempts++;
        throw new EngramError("conflict", "no");
      });
    expect(failing).toThrow("no");
    expect(attempts).toBe(1);
  });

  test("waits for another process that holds the file, also past the engine's own patience", async () => {
    using folder = tempFolder();
    using opened = open(folder);
    const script = `
      import { DatabaseSync } from "node:sqlite";
      const db = new DatabaseSync(${JSON.stringify(folder.path("test.db"))});
      db.exec("BEGIN IMMEDIATE; INSERT INTO notes (text) VALUES ('theirs')");
      process.stdout.write("held");
      await Bun.sleep(200);
      db.exec("COMMIT");
      db.close();`;
    const child = Bun.spawn([process.execPath, "-e", script], { env: {}, stdout: "pipe" });
    const reader = child.stdout.getReader();
    await reader.read();
    opened.db.exec("PRAGMA busy_timeout = 0");
    opened.db.transaction(() => add(opened.db, "ours"));
    expect(await child.exited).toBe(0);
    expect(notes(opened.db)).toEqual(["theirs", "ours"]);
  });

  test("gives up with one sentence when the file never becomes free", async () => {
    using folder = tempFolder();
    using opened = open(folder);
    const holder = new DatabaseSync(folder.path("test.db"));
    try {
      holder.exec("BEGIN IMMEDIATE");
      opened.db.exec("PRAGMA busy_timeout = 0");
      const error = await refusal(() => opened.db.transaction(() => add(opened.db, "never")));
      expect(error.kind).toBe("unavailable");
      expect(error.message).toContain("in use by another program");
    } finally {
      holder.close();
    }
    opened.db.transaction(() => add(opened.db, "at last"));
    expect(notes(opened.db)).toEqual(["at last"]);
  });
});

describe("a retry", () => {
  test("ends with the first success", () => {
    let calls = 0;
    const answer = withRetry(() => {
      calls++;
      if (calls < 2) throw busy();
      return calls;
    });
    expect(answer).toBe(2);
  });

  test("is made only for a busy file", () => {
    expect(isBusy(busy())).toBeTrue();
    expect(isBusy(Object.assign(new Error("snapshot"), { errcode: 517 }))).toBeTrue();
    expect(isBusy(Object.assign(new Error("table"), { errcode: 6 }))).toBeTrue();
    expect(isBusy(new Error("database is locked"))).toBeTrue();
    expect(isBusy(Object.assign(new Error("constraint"), { errcode: 19 }))).toBeFalse();
    expect(isBusy("database is lost")).toBeFalse();
    let calls = 0;
    const failing = () =>
      withRetry(() => {
        calls++;
        throw new Error("something else");
      });
    expect(failing).toThrow("something else");
    expect(calls).toBe(1);
  });
});

test("trouble with a file is told as what to do, everything else is left alone", () => {
  const told = (errcode: number) => fileProblem(Object.assign(new Error("engine words"), { errcode }), "/data/engram.db");
  expect(told(8)).toContain("read-only");
  expect(told(10)).toContain("disk failed");
  expect(told(11)).toContain("damaged");
  expect(told(13)).toContain("disk is full");
  expect(told(14)).toContain("cannot be opened");
  expect(told(26)).toContain("not an SQLite database");
  expect(told(5)).toContain("in use by another program");
  expect(told(19)).toBeUndefined();
  expect(fileProblem(new Error("anything"), "/data/engram.db")).toBeUndefined();
  for (const code of [8, 10, 11, 13, 14, 26, 5]) expect(told(code)).toContain("/data/engram.db");
});
