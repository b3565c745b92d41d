import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { openMemories, refusal, type TestMemories } from "../../../test/support/memories.ts";
import {
  FIRST_GENERATION,
  makeFile,
  SECOND_GENERATION_ROWS,
  SECOND_GENERATION_TABLES,
  TRIGRAM_OBSERVATIONS,
  TRIGRAM_PROMPTS,
} from "../../../test/support/older-files.ts";
import { deleteObservation, getObservation, recentObservations, updateObservation } from "../operations/observations.ts";
import { stats } from "../operations/projects.ts";
import { recentPrompts, savePrompt } from "../operations/prompts.ts";
import { search, searchPrompts } from "../operations/search.ts";

const schema = (room: TestMemories) =>
  room.rows("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name");
const found = async (room: TestMemories, query: string, input = {}) => {
  const { hits, stage } = await room.call(search, { query, ...input });
  return { titles: hits.map((hit) => hit.title), stage };
};
const asked = async (room: TestMemories, query: string) =>
  (await room.call(searchPrompts, { query })).prompts.map((p) => p.content);
const soundIndex = (room: TestMemories, name: string) => room.change(`INSERT INTO ${name}(${name}) VALUES ('integrity-check')`);

describe("a new file", () => {
  test("is private, in the shared mode, and bears the version of the Go program", () => {
    using room = openMemories();
    void room.app.memories;
    expect(statSync(room.file).mode & 0o777).toBe(0o600);
    expect(room.one("PRAGMA journal_mode")).toBe("wal");
    expect(room.one("PRAGMA user_version")).toBe(0);
    expect(room.one("PRAGMA integrity_check")).toBe("ok");
    expect(room.rows("SELECT target_key, lifecycle FROM sync_state")).toEqual([{ target_key: "cloud", lifecycle: "idle" }]);
    expect(readdirSync(room.root).filter((name) => !name.startsWith("engram.db"))).toEqual(["engram-schema.json"]);
  });

  test("has the Go program's indexes and triggers, over words", () => {
    using room = openMemories();
    const names = (type: string) =>
      room.rows("SELECT name FROM sqlite_master WHERE type = ? ORDER BY name", type).map((row) => row.name);
    expect(names("trigger")).toEqual([
      "obs_fts_delete",
      "obs_fts_insert",
      "obs_fts_update",
      "prompt_fts_delete",
      "prompt_fts_insert",
      "prompt_fts_update",
    ]);
    expect(room.app.memories.search.index).toBe("words");
  });

  test("is as it was after being opened again, with its note and without", async () => {
    using room = openMemories();
    await room.saved();
    const before = [schema(room), room.dump()];
    room.reopen();
    expect([schema(room), room.dump()]).toEqual(before);
    writeFileSync(room.path("engram-schema.json"), "{broken");
    room.reopen();
    expect([schema(room), room.dump()]).toEqual(before);
  });

  test("may exist already as an empty one", async () => {
    using room = openMemories({ before: (file) => writeFileSync(file, "") });
    await room.saved();
    expect((await room.call(stats, {})).total_observations).toBe(1);
  });

  test("keeps its index in step with every write", async () => {
    using room = openMemories();
    for (let i = 0; i < 20; i++)
      await room.saved({ title: `T${i}`, content: `content ${i}`, ...(i % 3 === 0 ? { topic_key: "a/b" } : {}) });
    await room.call(updateObservation, { id: 2, content: "changed" });
    await room.call(deleteObservation, { id: 3 });
    await room.call(deleteObservation, { id: 4, hard: true });
    await room.call(savePrompt, { session_id: "s1", content: "asked" });
    for (const index of ["observations_fts", "prompts_fts"]) soundIndex(room, index);
  });
});

describe("a file of the first generation", () => {
  const old = () => openMemories({ before: (file) => makeFile(file, FIRST_GENERATION) });

  test("keeps every row, and gets what newer ones have", async () => {
    using room = old();
    expect(await room.call(getObservation, { id: 1 })).toMatchObject({
      title: "Login loop",
      content: "redirects on Safari",
      scope: "project",
      topic_key: null,
      revision_count: 1,
      duplicate_count: 1,
      pinned: false,
      created_at: "2025-01-01 09:00:00",
      updated_at: "2025-01-01 09:00:00",
      deleted_at: null,
    });
    expect(room.rows("SELECT DISTINCT length(sync_id) AS n FROM observations")).toEqual([{ n: 36 }]);
    expect(room.rows("SELECT id, ownership_mode FROM sessions ORDER BY id")).toEqual([
      { id: "manual-save-alpha", ownership_mode: "project_owned" },
      { id: "s1", ownership_mode: "shared" },
    ]);
    expect(await room.call(stats, {})).toMatchObject({ total_sessions: 2, total_observations: 2, total_prompts: 1 });
    expect(room.one("PRAGMA user_version")).toBe(0);
    expect(room.rows("PRAGMA foreign_key_check")).toEqual([]);
  });

  test("keeps its own index and triggers, and is searchable through them", async () => {
    using room = old();
    void room.app.memories;
    const index = schema(room).find((item) => item.name === "observations_fts");
    expect(String(index?.sql)).not.toContain("topic_key");
    expect(room.rows("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'observations'")).toHaveLength(3);
    expect(await found(room, "safari login")).toEqual({ titles: ["Login loop"], stage: "all" });
    await room.saved({ title: "New", content: "freshly made", topic_key: "a/b" });
    expect((await found(room, "freshly")).titles).toEqual(["New"]);
    expect((await found(room, "a/b")).stage).toBe("topic_key");
    soundIndex(room, "observations_fts");
  });

  test("has its old prompts found, though no index knew them", async () => {
    using room = old();
    expect(await asked(room, "login")).toEqual(["Why does the login loop?"]);
    expect((await room.call(recentPrompts, {})).prompts[0]).toMatchObject({
      project: null,
      sync_id: expect.stringMatching(/^prompt-[0-9a-f]{32}$/),
    });
    soundIndex(room, "prompts_fts");
  });

  test("keeps a table that only a rebuild could change", () => {
    using room = old();
    expect(room.rows("SELECT * FROM sync_chunks").map((row) => Object.keys(row))).toEqual([["chunk_id", "imported_at"]]);
  });

  test("has the same columns as a new one afterwards", () => {
    using room = old();
    using fresh = openMemories();
    const columns = (store: TestMemories, table: string) =>
      store.rows(`SELECT name, type FROM pragma_table_info('${table}') ORDER BY name`).map((row) => Object.values(row).join(" "));
    for (const table of ["sessions", "observations", "user_prompts", "memory_relations", "sync_mutations"])
      expect(columns(room, table)).toEqual(columns(fresh, table));
    const indexes = (store: TestMemories) =>
      store.rows("SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'idx_%' ORDER BY name");
    expect(indexes(room)).toEqual(indexes(fresh));
  });

  test("takes part in the dedupe and topics of the present", async () => {
    using room = old();
    room.change("UPDATE observations SET topic_key = 'design/queue', project = 'alpha' WHERE id = 2");
    expect((await room.saving({ topic_key: "design/queue", title: "Queue", content: "replaces cron and at" })).kind).toBe(
      "revised",
    );
  });
});

describe("rows that older programs left unfinished", () => {
  test("are filled in, and only those", async () => {
    using room = openMemories();
    const good = await room.saved({ title: "Good", scope: "personal", topic_key: "a/b" });
    room.change(`INSERT INTO observations (sync_id, session_id, type, title, content, project, scope, topic_key, revision_count, duplicate_count, created_at, updated_at)
      VALUES ('', 's1', 'manual', 'Bad', 'x', 'alpha', '', '', 0, -3, '2025-01-01 00:00:00', '')`);
    writeFileSync(room.path("engram-schema.json"), "");
    room.reopen();
    expect(
      room.rows(
        "SELECT scope, topic_key, revision_count, duplicate_count, updated_at, length(sync_id) AS id FROM observations WHERE title = 'Bad'",
      ),
    ).toEqual([
      { scope: "project", topic_key: null, revision_count: 1, duplicate_count: 1, updated_at: "2025-01-01 00:00:00", id: 36 },
    ]);
    expect(await room.call(getObservation, { id: good.id })).toEqual(good);
  });
});

describe("an index that another program left incomplete", () => {
  test("is not rebuilt, and what it misses is found all the same", async () => {
    using room = openMemories();
    await room.saved({ title: "Missed", content: "unindexed words" });
    await room.call(savePrompt, { session_id: "s1", content: "an unindexed question" });
    for (const index of ["observations_fts", "prompts_fts"]) room.change(`INSERT INTO ${index}(${index}) VALUES ('delete-all')`);
    room.reopen();
    expect(await found(room, "unindexed")).toEqual({ titles: ["Missed"], stage: "part" });
    expect(await asked(room, "unindexed")).toEqual(["an unindexed question"]);
  });
});

describe("what a file has beyond our needs", () => {
  test("stays as it is", async () => {
    using room = openMemories();
    await room.saved();
    room.change(
      "CREATE TABLE theirs (a TEXT); INSERT INTO theirs VALUES ('x'); ALTER TABLE observations ADD COLUMN theirs TEXT DEFAULT 'y'; CREATE INDEX idx_theirs ON theirs(a)",
    );
    room.reopen();
    await room.saved({ title: "After" });
    expect(room.rows("SELECT a FROM theirs")).toEqual([{ a: "x" }]);
    expect(room.rows("SELECT theirs FROM observations")).toEqual([{ theirs: "y" }, { theirs: "y" }]);
  });

  test("may bear a newer version as long as nothing we need is missing", async () => {
    using room = openMemories();
    await room.saved();
    room.change("PRAGMA user_version = 7");
    writeFileSync(room.path("engram-schema.json"), "");
    room.reopen();
    expect((await room.call(recentObservations, {})).observations).toHaveLength(1);
    expect(room.one("PRAGMA user_version")).toBe(7);
  });
});

describe("a file of the second generation", () => {
  const trigram = () =>
    openMemories({
      before: (file) => makeFile(file, SECOND_GENERATION_TABLES, TRIGRAM_OBSERVATIONS, TRIGRAM_PROMPTS, SECOND_GENERATION_ROWS),
    });

  test("is used as it is: no index rebuilt, no trigger changed, no row touched", async () => {
    using room = openMemories({
      before: (file) => makeFile(file, SECOND_GENERATION_TABLES, TRIGRAM_OBSERVATIONS, TRIGRAM_PROMPTS, SECOND_GENERATION_ROWS),
    });
    expect(room.app.memories.search.index).toBe("trigram");
    const own = schema(room).filter(
      (item) => /fts/.test(String(item.name)) && !/_(data|idx|docsize|config|content)$/.test(String(item.name)),
    );
    expect(own.map((item) => item.name)).toEqual([
      "observations_fts",
      "prompts_fts",
      "obs_fts_delete",
      "obs_fts_insert",
      "obs_fts_update",
      "obs_fts_update_insert",
      "prompt_fts_delete",
      "prompt_fts_insert",
      "prompt_fts_update",
      "prompt_fts_update_insert",
    ]);
    for (const item of own.filter((entry) => entry.type === "table")) expect(String(item.sql)).toContain("tokenize='trigram'");
    expect(room.rows("SELECT sync_id, title, updated_at FROM observations ORDER BY id")).toEqual([
      { sync_id: "obs-1", title: "Login loop", updated_at: "2026-01-01 09:00:00" },
      { sync_id: "obs-2", title: "数据库连接池", updated_at: "2026-01-02 09:00:00" },
      { sync_id: "obs-3", title: "Gone", updated_at: "2026-01-03 09:00:00" },
    ]);
  });

  test("is searched by any three characters, at once", async () => {
    using room = trigram();
    expect(await found(room, "thenticat")).toEqual({ titles: ["Login loop"], stage: "all" });
    expect(await found(room, "LOGIN forever")).toEqual({ titles: ["Login loop"], stage: "all" });
    expect(await found(room, "据库连")).toEqual({ titles: ["数据库连接池"], stage: "all" });
    expect((await found(room, "forever 数据库")).stage).toBe("any");
    expect((await found(room, "config/pool")).stage).toBe("topic_key");
    expect((await found(room, "zebra")).titles).toEqual([]);
  });

  test("is searched by shorter terms too", async () => {
    using room = trigram();
    expect(await found(room, "go")).toEqual({ titles: ["数据库连接池"], stage: "all" });
    expect(await found(room, "数据")).toEqual({ titles: ["数据库连接池"], stage: "all" });
    expect((await found(room, "go authentication")).stage).toBe("any");
    expect((await found(room, "go 1.24")).titles).toEqual(["数据库连接池"]);
    expect((await found(room, "%")).titles).toEqual([]);
    expect(await asked(room, "go")).toEqual(["Explain the authentication in Go"]);
    expect(await asked(room, "henticatio")).toEqual(["Explain the authentication in Go"]);
  });

  test("follows every change through its own triggers", async () => {
    using room = trigram();
    const { id } = await room.saved({ title: "Fresh", content: "newly written" });
    expect((await found(room, "wly writ")).titles).toEqual(["Fresh"]);
    await room.call(updateObservation, { id, content: "rewritten entirely" });
    expect((await found(room, "newly", { matchMode: "all" })).titles).toEqual([]);
    expect((await found(room, "entirely")).titles).toEqual(["Fresh"]);
    await room.call(deleteObservation, { id });
    expect((await found(room, "entirely")).titles).toEqual([]);
    await room.call(deleteObservation, { id: 1, hard: true });
    expect((await found(room, "authentication")).titles).toEqual([]);
    await room.call(savePrompt, { session_id: "s1", content: "another question" });
    expect(await asked(room, "nother")).toEqual(["another question"]);
  });

  test("stays as it is when it is opened again", () => {
    using room = trigram();
    void room.app.memories;
    const before = [schema(room), room.dump()];
    room.reopen();
    void room.app.memories;
    expect([schema(room), room.dump()]).toEqual(before);
  });

  test("whose prompts have an index of the other kind still finds them", async () => {
    using room = openMemories({
      before: (file) => makeFile(file, SECOND_GENERATION_TABLES, TRIGRAM_OBSERVATIONS, SECOND_GENERATION_ROWS),
    });
    expect(room.app.memories.search.index).toBe("trigram");
    for (const query of ["authentication", "explain go", "Go", "authenti"])
      expect(await asked(room, query)).toEqual(["Explain the authentication in Go"]);
  });
});

describe("a file that cannot be used", () => {
  interface Refused {
    message: string;
    same: boolean;
  }

  async function refused(before: (file: string) => void): Promise<Refused> {
    using room = openMemories({ before });
    const content = statSync(room.file).isFile() ? readFileSync(room.file) : undefined;
    const names = readdirSync(room.root).sort();
    const error = await refusal(() => room.app.memories);
    expect(error.kind).toBe("unavailable");
    expect(error.message).toContain(room.file);
    const same = content === undefined || readFileSync(room.file).equals(content);
    return { message: error.message, same: same && JSON.stringify(readdirSync(room.root).sort()) === JSON.stringify(names) };
  }

  test("because it only lacks a key that additions cannot bring is left byte for byte", async () => {
    const sql = FIRST_GENERATION.replace(
      "id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, type",
      "id INTEGER, session_id TEXT NOT NULL, type",
    );
    const answer = await refused((file) => makeFile(file, sql));
    expect(answer.message).toContain("observations.id is not the primary key");
    expect(answer.same).toBeTrue();
  });

  test("because it is another program's is left byte for byte", async () => {
    const answer = await refused((file) =>
      makeFile(file, "CREATE TABLE cookies (id INTEGER PRIMARY KEY, value TEXT); INSERT INTO cookies VALUES (1, 'x')"),
    );
    expect(answer.message).toContain("another program");
    expect(answer.same).toBeTrue();
  });

  test("because it is no database is left byte for byte", async () => {
    const answer = await refused((file) => writeFileSync(file, "just text, but long enough to be something".repeat(100)));
    expect(answer.message).toContain("not an SQLite database");
    expect(answer.same).toBeTrue();
  });

  test("because a part of it is missing says so", async () => {
    const answer = await refused((file) => {
      makeFile(file, FIRST_GENERATION);
      truncateSync(file, statSync(file).size - 4096);
    });
    expect(answer.message).toContain("damaged");
    expect(answer.same).toBeTrue();
  });

  test("because it is a folder says so", async () => {
    const answer = await refused((file) => mkdirSync(file));
    expect(answer.message).toContain("is not a file");
  });

  test("because a newer program wrote it and something is missing is left byte for byte", async () => {
    const answer = await refused((file) => makeFile(file, FIRST_GENERATION, "PRAGMA user_version = 9"));
    expect(answer.message).toContain("newer program");
    expect(answer.same).toBeTrue();
  });

  test("because a newer Engram wrote it last says what to do", async () => {
    using room = openMemories();
    await room.saved();
    writeFileSync(room.path("engram-schema.json"), JSON.stringify({ migration: 99, schema: "x" }));
    room.app.close();
    const before = readFileSync(room.file);
    const error = await refusal(() => room.app.memories);
    expect(error).toMatchObject({ kind: "unavailable", message: expect.stringContaining("update Engram") });
    expect(readFileSync(room.file).equals(before)).toBeTrue();
  });
});
