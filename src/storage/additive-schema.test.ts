import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type TempFolder, tempFolder } from "../../test/support/temp-folder.ts";
import { columnNames, planAdditions, quoteName } from "./additive-schema.ts";
import { openSqlite, type Sqlite } from "./sqlite.ts";

const WANTED = `
  CREATE TABLE owners (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', note TEXT);
  CREATE TABLE things (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL REFERENCES owners(id),
    title TEXT NOT NULL,
    size INTEGER NOT NULL DEFAULT 1,
    ratio REAL DEFAULT 0.5,
    hidden BOOLEAN NOT NULL DEFAULT 0,
    made_at TEXT NOT NULL DEFAULT (datetime('now')),
    seen_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    picture BLOB
  );
  CREATE INDEX idx_things_owner ON things(owner, made_at DESC);
  CREATE UNIQUE INDEX idx_things_title ON things(title) WHERE title <> '';
  CREATE VIRTUAL TABLE things_fts USING fts5(title, content='things', content_rowid='id');
`;

interface Database extends Disposable {
  db: Sqlite;
}

let made = 0;

function database(folder: TempFolder, sql = ""): Database {
  const db = openSqlite(folder.path(`${++made}.db`));
  db.exec(sql);
  return { db, [Symbol.dispose]: () => db.close() };
}

function upgrade(db: Sqlite, wanted = WANTED, untouched: string[] = []) {
  const plan = planAdditions(db, wanted, untouched);
  for (const statement of plan.statements) db.exec(statement);
  return plan;
}

/** What callers rely on: names, types and duties of columns, and the indexes. Defaults of added columns may differ. */
function shapeOf(db: Sqlite): unknown {
  const names = db.all("SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name");
  return names.map(({ type, name }) => ({
    type,
    name,
    columns: db
      .all(`PRAGMA table_info(${quoteName(String(name))})`)
      .map((column) => `${column.name} ${column.type} ${column.notnull} ${column.pk}`)
      .sort(),
  }));
}

const OLD = {
  "with tables that lack columns": `
    CREATE TABLE owners (id TEXT PRIMARY KEY);
    CREATE TABLE things (id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL REFERENCES owners(id), title TEXT NOT NULL);
    INSERT INTO owners VALUES ('o');
    INSERT INTO things (owner, title) VALUES ('o', 'first'), ('o', 'second');`,
  "without one of the tables": `
    CREATE TABLE owners (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', note TEXT);
    INSERT INTO owners (id) VALUES ('o');`,
  "without indexes": WANTED.replace(/CREATE (UNIQUE )?INDEX[^;]*;/g, ""),
  "without the full-text table": WANTED.replace(/CREATE VIRTUAL[^;]*;/, ""),
  "with columns in another order": `
    CREATE TABLE owners (note TEXT, id TEXT PRIMARY KEY);
    CREATE TABLE things (picture BLOB, title TEXT NOT NULL, owner TEXT NOT NULL, id INTEGER PRIMARY KEY AUTOINCREMENT);`,
  "that is empty": "",
};

describe("an older file", () => {
  for (const [which, sql] of Object.entries(OLD)) {
    test(`${which} is brought to the shape of a fresh one, and needs nothing the second time`, () => {
      using folder = tempFolder();
      using old = database(folder, sql);
      using fresh = database(folder, WANTED);
      const plan = upgrade(old.db);
      expect(plan.obstacles).toEqual([]);
      expect(shapeOf(old.db)).toEqual(shapeOf(fresh.db));
      expect(planAdditions(old.db, WANTED)).toEqual({ statements: [], obstacles: [], newTables: [] });
    });
  }

  test("keeps its rows, and they get constant defaults or a mark to fill in later", () => {
    using folder = tempFolder();
    using old = database(folder, OLD["with tables that lack columns"]);
    upgrade(old.db);
    expect(old.db.all("SELECT * FROM things ORDER BY id")).toEqual([
      { id: 1, owner: "o", title: "first", size: 1, ratio: 0.5, hidden: 0, made_at: "", seen_at: "", picture: null },
      { id: 2, owner: "o", title: "second", size: 1, ratio: 0.5, hidden: 0, made_at: "", seen_at: "", picture: null },
    ]);
  });

  test("keeps what it has beyond our needs", () => {
    using folder = tempFolder();
    using old = database(
      folder,
      `${WANTED} ALTER TABLE things ADD COLUMN theirs TEXT DEFAULT 'x'; CREATE TABLE theirs (a); CREATE INDEX idx_theirs ON things(theirs);
       CREATE TRIGGER their_trigger AFTER INSERT ON owners BEGIN SELECT 1; END;`,
    );
    const before = shapeOf(old.db);
    expect(upgrade(old.db).statements).toEqual([]);
    expect(shapeOf(old.db)).toEqual(before);
  });

  test("with any part of the schema missing ends up as a fresh one", () => {
    const tables = [
      { name: "owners", core: ["id TEXT PRIMARY KEY"], later: ["name TEXT NOT NULL DEFAULT ''", "note TEXT"] },
      {
        name: "things",
        core: ["id INTEGER PRIMARY KEY AUTOINCREMENT", "owner TEXT NOT NULL", "title TEXT NOT NULL"],
        later: [
          "size INTEGER NOT NULL DEFAULT 1",
          "ratio REAL DEFAULT 0.5",
          "hidden BOOLEAN NOT NULL DEFAULT 0",
          "made_at TEXT NOT NULL DEFAULT (datetime('now'))",
          "seen_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP",
          "picture BLOB",
        ],
      },
    ];
    const [owners, things] = tables.map(({ name, core, later }) =>
      fc.option(
        fc.shuffledSubarray(later).map((columns) => `CREATE TABLE ${name} (${[...core, ...columns].join(", ")});`),
        { nil: "" },
      ),
    ) as [fc.Arbitrary<string>, fc.Arbitrary<string>];
    using folder = tempFolder();
    using fresh = database(folder, WANTED);
    const wanted = shapeOf(fresh.db);
    fc.assert(
      fc.property(owners, things, (ownersSql, thingsSql) => {
        using old = database(folder, ownersSql + thingsSql);
        expect(upgrade(old.db).obstacles).toEqual([]);
        expect(shapeOf(old.db)).toEqual(wanted);
      }),
      { numRuns: 25 },
    );
  });
});

describe("what additions cannot bring about", () => {
  test("is said, and is not attempted: a key that is none", () => {
    using folder = tempFolder();
    using old = database(folder, "CREATE TABLE owners (id TEXT, name TEXT NOT NULL DEFAULT '', note TEXT)");
    const plan = planAdditions(old.db, WANTED);
    expect(plan.obstacles).toEqual(["owners.id is not the primary key"]);
    expect(plan.statements.join("\n")).not.toMatch(/TABLE "?owners/);
  });

  test("is said, and is not attempted: a key or a duty that is missing", () => {
    using folder = tempFolder();
    using old = database(folder, "CREATE TABLE owners (name TEXT); CREATE TABLE things (id INTEGER PRIMARY KEY, owner TEXT)");
    const plan = planAdditions(old.db, WANTED);
    expect(plan.obstacles).toEqual(["owners has no column id", "things has no column title"]);
    expect(plan.statements.join()).not.toContain('"title"');
  });

  test("is planned without touching the file", () => {
    using folder = tempFolder();
    using old = database(folder, OLD["with tables that lack columns"]);
    const before = shapeOf(old.db);
    planAdditions(old.db, WANTED);
    expect(shapeOf(old.db)).toEqual(before);
  });
});

describe("a table kept in its old shape", () => {
  const oldShape = "CREATE TABLE things (id INTEGER PRIMARY KEY, other TEXT)";

  test("gets neither columns nor indexes", () => {
    using folder = tempFolder();
    using old = database(folder, oldShape);
    expect(upgrade(old.db, WANTED, ["things"]).obstacles).toEqual([]);
    expect(columnNames((sql) => old.db.all(sql), "things")).toEqual(["id", "other"]);
    expect(old.db.all("SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'idx_%'")).toEqual([]);
  });

  test("is made in the new shape where it is missing", () => {
    using folder = tempFolder();
    using fresh = database(folder);
    expect(upgrade(fresh.db, WANTED, ["things"]).newTables).toEqual(["owners", "things", "things_fts"]);
    expect(fresh.db.all("SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'idx_%'")).toHaveLength(2);
  });
});

test("names are quoted whatever they hold", () => {
  using folder = tempFolder();
  const odd = `we"ird; DROP TABLE x`;
  using old = database(folder, `CREATE TABLE ${quoteName(odd)} (id INTEGER PRIMARY KEY)`);
  upgrade(old.db, `CREATE TABLE ${quoteName(odd)} (id INTEGER PRIMARY KEY, ${quoteName('a "b"')} TEXT)`);
  expect(columnNames((sql) => old.db.all(sql), odd)).toEqual(["id", 'a "b"']);
});
