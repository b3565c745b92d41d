import { describe, expect, test } from "bun:test";
import { openMemories, refusal, type TestMemories } from "../../../test/support/memories.ts";
import { deletePrompt, recentPrompts, savePrompt } from "./prompts.ts";
import { searchPrompts } from "./search.ts";

const contents = async (room: TestMemories, input = {}) => (await room.call(recentPrompts, input)).prompts.map((p) => p.content);
const found = async (room: TestMemories, query: string, input = {}) =>
  (await room.call(searchPrompts, { query, ...input })).prompts.map((p) => p.content);

async function ask(room: TestMemories, content: string, input = {}): Promise<number> {
  const { id } = await room.call(savePrompt, { session_id: "s1", content, ...input });
  room.clock.advance({ seconds: 1 });
  return id;
}

describe("a prompt", () => {
  test("is saved with the project of its session, or the one that is named", async () => {
    using room = openMemories({ start: "2026-03-01T12:00:00Z" });
    await room.session();
    await ask(room, " Fix the build ");
    await ask(room, "Again", { project: "ALPHA" });
    const { prompts } = await room.call(recentPrompts, {});
    expect(prompts[1]).toEqual({
      id: 1,
      sync_id: prompts[1]?.sync_id as string,
      source_inbox_id: null,
      session_id: "s1",
      content: "Fix the build",
      project: "alpha",
      created_at: "2026-03-01 12:00:00",
    });
    expect(prompts[1]?.sync_id).toMatch(/^prompt-[0-9a-f]{16}$/);
    expect(prompts[0]?.project).toBe("alpha");
  });

  test("must say something, in a session that exists and agrees", async () => {
    using room = openMemories();
    await room.session();
    for (const blank of ["", "  ", "\n"])
      expect(await refusal(ask(room, blank))).toMatchObject({ kind: "invalid", message: "prompt content is required" });
    expect(await refusal(ask(room, "x", { session_id: "ghost" }))).toMatchObject({
      kind: "not_found",
      message: "session not found",
    });
    expect(await refusal(ask(room, "x", { project: "beta" }))).toMatchObject({ details: { code: "session_project_mismatch" } });
    expect(await contents(room)).toEqual([]);
  });

  test("is stored without private parts and cut like a memory", async () => {
    using room = openMemories();
    await room.session();
    await ask(room, "Use <private>hunter2</private> now");
    await ask(room, "p".repeat(50_020));
    expect(await contents(room)).toEqual([`${"p".repeat(50_000)}... [truncated]`, "Use [REDACTED] now"]);
    expect(room.dump().includes("hunter2")).toBeFalse();
  });

  test("may be asked twice", async () => {
    using room = openMemories();
    await room.session();
    expect([await ask(room, "again"), await ask(room, "again")]).toEqual([1, 2]);
  });
});

describe("a prompt with an inbox id", () => {
  test("is saved once, whatever it says the second time", async () => {
    using room = openMemories();
    await room.session();
    const first = await ask(room, "one", { source_inbox_id: "in-1" });
    expect(await ask(room, "other words", { source_inbox_id: "in-1" })).toBe(first);
    expect(await contents(room)).toEqual(["one"]);
  });

  test("is another one in another session, and without an id", async () => {
    using room = openMemories();
    await room.session("s1");
    await room.session("s2");
    await ask(room, "one", { source_inbox_id: "in-1" });
    await ask(room, "two", { source_inbox_id: "in-1", session_id: "s2" });
    await ask(room, "three", { source_inbox_id: "" });
    await ask(room, "four", { source_inbox_id: "" });
    expect(await contents(room)).toHaveLength(4);
  });

  test("that was deleted is refused for good", async () => {
    using room = openMemories();
    await room.session("s1");
    await room.session("s2");
    const id = await ask(room, "one", { source_inbox_id: "in-1" });
    await room.call(deletePrompt, { id });
    for (let times = 0; times < 2; times++) {
      expect(await refusal(ask(room, "one", { source_inbox_id: "in-1" }))).toMatchObject({
        kind: "conflict",
        details: { code: "prompt_deleted", source_inbox_id: "in-1" },
      });
    }
    await ask(room, "elsewhere", { source_inbox_id: "in-1", session_id: "s2" });
    expect(await contents(room)).toEqual(["elsewhere"]);
  });
});

describe("deleting a prompt", () => {
  test("removes it and leaves a tombstone", async () => {
    using room = openMemories({ start: "2026-03-01T12:00:00Z" });
    await room.session();
    const id = await ask(room, "wanted words", { source_inbox_id: "in-1" });
    const { prompts } = await room.call(recentPrompts, {});
    expect(await room.call(deletePrompt, { id })).toEqual({ id });
    expect(await contents(room)).toEqual([]);
    expect(await found(room, "wanted")).toEqual([]);
    expect(room.rows("SELECT sync_id, session_id, project, deleted_at, source_inbox_id FROM prompt_tombstones")).toEqual([
      {
        sync_id: prompts[0]?.sync_id as string,
        session_id: "s1",
        project: "alpha",
        deleted_at: "2026-03-01 12:00:01",
        source_inbox_id: "in-1",
      },
    ]);
  });

  test("that is not there is not found", async () => {
    using room = openMemories();
    await room.session();
    const id = await ask(room, "once");
    await room.call(deletePrompt, { id });
    for (const missing of [id, 99, -1]) {
      expect(await refusal(room.call(deletePrompt, { id: missing }))).toMatchObject({
        kind: "not_found",
        message: `prompt not found: prompt #${missing}`,
      });
    }
  });
});

describe("recent prompts", () => {
  test("come newest first, twenty of a project unless asked otherwise", async () => {
    using room = openMemories();
    await room.session("s1", "alpha");
    await room.session("s2", "beta");
    for (let i = 1; i <= 22; i++) await ask(room, `p${i}`);
    await ask(room, "other", { session_id: "s2" });
    expect((await contents(room)).slice(0, 3)).toEqual(["other", "p22", "p21"]);
    expect(await contents(room)).toHaveLength(20);
    expect(await contents(room, { project: "ALPHA", limit: 2 })).toEqual(["p22", "p21"]);
    expect(await contents(room, { project: "none" })).toEqual([]);
  });

  test("come by when they were asked, not by when they arrived in this store", async () => {
    using room = openMemories();
    await room.session();
    for (const content of ["one", "two"]) await ask(room, content);
    room.change("UPDATE user_prompts SET created_at = '2020-01-01 00:00:00' WHERE content = 'two'");
    expect(await contents(room)).toEqual(["one", "two"]);
    expect(await contents(room, { limit: 1 })).toEqual(["one"]);
  });

  test("of one second come in the order they were asked in, as the Go program lists them", async () => {
    using room = openMemories();
    await room.session();
    for (const content of ["first", "second", "third"]) await room.call(savePrompt, { session_id: "s1", content });
    room.clock.advance({ seconds: 1 });
    await ask(room, "later");
    expect(await contents(room)).toEqual(["later", "first", "second", "third"]);
    expect(await contents(room, { limit: 3 })).toEqual(["later", "second", "third"]);
  });
});

describe("a search in prompts", () => {
  test("finds words without their accents, in a project of any spelling", async () => {
    using room = openMemories();
    await room.session();
    await ask(room, "¿Por qué la búsqueda no encuentra canción?");
    await ask(room, "Fix the login loop");
    expect(await found(room, "cancion")).toEqual(["¿Por qué la búsqueda no encuentra canción?"]);
    expect(await found(room, "login", { project: "ALPHA" })).toEqual(["Fix the login loop"]);
    expect(await found(room, "login", { project: "beta" })).toEqual([]);
  });

  test("widens from all words to any, to beginnings, to parts", async () => {
    using room = openMemories();
    await room.session();
    await ask(room, "Replace cron by a queue");
    await ask(room, "Import the CSV file");
    await ask(room, "修复数据库连接问题");
    expect(await found(room, "queue cron")).toEqual(["Replace cron by a queue"]);
    expect((await found(room, "cron import")).sort()).toEqual(["Import the CSV file", "Replace cron by a queue"]);
    expect(await found(room, "repl")).toEqual(["Replace cron by a queue"]);
    expect(await found(room, "eplac")).toEqual(["Replace cron by a queue"]);
    expect(await found(room, "数据库")).toEqual(["修复数据库连接问题"]);
    expect(await found(room, "absent")).toEqual([]);
  });

  test("needs words, and takes any sign in them", async () => {
    using room = openMemories();
    await room.session();
    await ask(room, 'say "hi" -- NEAR(a b) %_');
    for (const query of ["", "  "])
      expect(await refusal(room.call(searchPrompts, { query }))).toMatchObject({
        kind: "invalid",
        message: "q parameter is required",
      });
    for (const query of ['"', '"hi', "NEAR(", "a* OR", "content:x", "%", "-", "\u0000", "\ud800"]) await found(room, query);
    expect(await found(room, '"hi"')).toHaveLength(1);
  });
});
