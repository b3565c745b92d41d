import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { openMemories, refusal, type TestMemories } from "../../../test/support/memories.ts";
import { byteLength } from "../../kernel/text.ts";
import { contentHash } from "../rules/observation.ts";
import { deleteObservation, getObservation, observationVersions } from "./observations.ts";
import { save, saveManual } from "./save.ts";
import { search } from "./search.ts";

const count = (room: TestMemories) => room.one("SELECT COUNT(*) FROM observations");

describe("a saved observation", () => {
  test("is what was given, at the time of the clock, in its session", async () => {
    using room = openMemories({ start: "2026-03-01T12:00:00Z" });
    const { kind, observation } = await room.saving({
      type: "bugfix",
      title: " Loop ",
      content: "Fixed",
      tool_name: "edit",
      project: "alpha",
    });
    expect(kind).toBe("inserted");
    expect(observation).toEqual({
      id: 1,
      sync_id: observation.sync_id,
      session_id: "s1",
      type: "bugfix",
      title: "Loop",
      content: "Fixed",
      tool_name: "edit",
      project: "alpha",
      scope: "project",
      topic_key: null,
      revision_count: 1,
      duplicate_count: 1,
      last_seen_at: "2026-03-01 12:00:00",
      pinned: false,
      review_after: null,
      created_at: "2026-03-01 12:00:00",
      updated_at: "2026-03-01 12:00:00",
      deleted_at: null,
    });
    expect(observation.sync_id).toMatch(/^obs-[0-9a-f]{16}$/);
    expect(await room.call(getObservation, { id: 1 })).toEqual(observation);
  });

  test("has project, scope and topic key in normal form", async () => {
    using room = openMemories();
    await room.session("s1", "My__Shop");
    expect(await room.saved({ project: " My__SHOP ", scope: "Personal", topic_key: " Design/Auth Model " })).toMatchObject({
      project: "my_shop",
      scope: "personal",
      topic_key: "design/auth-model",
    });
    expect(await room.saved({ project: "my_shop", title: "Other", scope: "team", topic_key: "  " })).toMatchObject({
      scope: "project",
      topic_key: null,
    });
  });

  test("has a review date where its type calls for one", async () => {
    using room = openMemories({ start: "2026-01-15T08:00:00Z" });
    const due = async (type: string) => (await room.saved({ type, title: type })).review_after;
    expect(await due("decision")).toBe("2026-07-15 08:00:00");
    expect(await due("policy")).toBe("2027-01-15 08:00:00");
    expect(await due("preference")).toBe("2026-04-15 08:00:00");
    expect(await due("bugfix")).toBeNull();
  });

  test("may be of any type, also one that is a word of the language", async () => {
    using room = openMemories();
    for (const type of ["constructor", "toString", "__proto__", "ñ 😀"])
      expect((await room.saved({ type, title: type })).type).toBe(type);
  });

  test("keeps odd characters as they are", async () => {
    using room = openMemories();
    const content = "NUL \u0000 inside, 'quotes' \"double\", \u2028 line, 😀, \\, %_";
    const { id } = await room.saved({ content });
    expect((await room.call(getObservation, { id })).content).toBe(content);
  });

  test("needs a title and a content that say something, and leaves nothing behind otherwise", async () => {
    using room = openMemories();
    await room.session();
    for (const blank of ["", "   ", "\n\t"]) {
      expect(await refusal(room.saving({ title: blank }))).toMatchObject({
        kind: "invalid",
        message: "observation title is required",
      });
      expect(await refusal(room.saving({ content: blank }))).toMatchObject({
        kind: "invalid",
        message: "observation content is required",
      });
    }
    expect(count(room)).toBe(0);
  });

  test("needs a session that exists, with a project or without", async () => {
    using room = openMemories();
    const input = { session_id: "ghost", type: "manual", title: "T", content: "C" };
    for (const project of ["alpha", undefined]) {
      expect(await refusal(room.call(save, { ...input, ...(project ? { project } : {}) }))).toMatchObject({
        kind: "not_found",
        message: "session not found",
      });
    }
    expect(count(room)).toBe(0);
  });

  test("must agree with the project of its session", async () => {
    using room = openMemories();
    await room.session("s1", "alpha");
    expect(await refusal(room.saving({ project: "beta" }))).toMatchObject({
      kind: "invalid",
      details: { code: "session_project_mismatch", project: "beta", session_project: "alpha" },
    });
    expect((await room.saved({ project: "ALPHA" })).project).toBe("alpha");
  });

  test("gives its project to a session that has none, once, and sync hears of it", async () => {
    using room = openMemories();
    room.enroll("beta");
    room.change("INSERT INTO sessions (id, project, directory) VALUES ('bare', '', '/srv')");
    const owner = () => room.one("SELECT project FROM sessions WHERE id = 'bare'");
    await room.call(save, { session_id: "bare", type: "manual", title: "T", content: "without a project" });
    expect(owner()).toBe("");
    await room.saved({ session_id: "bare", project: "Beta" });
    expect(owner()).toBe("beta");
    expect(
      room.rows("SELECT entity, entity_key, json_extract(payload, '$.project') AS project FROM sync_mutations ORDER BY seq")[0],
    ).toEqual({ entity: "session", entity_key: "bare", project: "beta" });
    expect(await refusal(room.saving({ session_id: "bare", project: "alpha", title: "Other" }))).toMatchObject({
      details: { code: "session_project_mismatch", session_project: "beta" },
    });
  });

  test("leaves a session without project alone where that holds rows of another project, or where it is refused", async () => {
    using room = openMemories();
    room.change(`INSERT INTO sessions (id, project, directory) VALUES ('mixed', '', '/srv'), ('bare', '', '/srv');
      INSERT INTO observations (session_id, type, title, content, project) VALUES ('mixed', 'manual', 'T', 'C', 'alpha')`);
    expect((await room.saved({ session_id: "mixed", project: "beta" })).project).toBe("beta");
    await refusal(room.saving({ session_id: "bare", title: " " }));
    expect(room.rows("SELECT id, project FROM sessions ORDER BY id")).toEqual([
      { id: "bare", project: "" },
      { id: "mixed", project: "" },
    ]);
  });
});

describe("private text", () => {
  test("is nowhere: not in the answer, not in the file, not in the index", async () => {
    using room = openMemories();
    const outcome = await room.saving({
      title: "Key <private>hunter2a</private>",
      content: "It is <PRIVATE>hunter2b\nhunter2c</private>!",
    });
    expect(outcome.observation).toMatchObject({ title: "Key [REDACTED]", content: "It is [REDACTED]!" });
    await room.saving({ title: "Key", content: "first <private>hunter2d</private>", topic_key: "key/one" });
    await room.saving({ title: "Key", content: "second <private>hunter2e</private>", topic_key: "key/one" });
    expect(room.dump().includes("hunter2")).toBeFalse();
    expect((await room.call(search, { query: "hunter2b" })).hits).toEqual([]);
  });

  test("is taken out before the text is hashed: other secrets are the same memory", async () => {
    using room = openMemories();
    const first = await room.saved({ content: "token <private>aaa</private>" });
    const second = await room.saving({ content: "token <private>bbb</private>" });
    expect(second).toMatchObject({ kind: "duplicate", observation: { id: first.id } });
    expect(room.one("SELECT normalized_hash FROM observations")).toBe(contentHash("token [REDACTED]"));
  });

  test("is taken out before the text is cut: no half of it stays", async () => {
    using room = openMemories();
    const { content } = await room.saved({ content: `${"x".repeat(49_990)}<private>hunter2 and more</private> tail` });
    expect(content).toBe(`${"x".repeat(49_990)}[REDACTED]... [truncated]`);
    expect(room.dump().includes("hunter2")).toBeFalse();
  });
});

describe("a long text", () => {
  test("is stored whole up to 50,000 bytes and cut at the start of a character beyond", async () => {
    using room = openMemories();
    const fits = await room.saved({ title: "fits", content: "é".repeat(25_000) });
    expect(fits.content).toBe("é".repeat(25_000));
    const cut = await room.saved({ title: "cut", content: `x${"é".repeat(25_000)}` });
    expect(cut.content).toBe(`x${"é".repeat(24_999)}... [truncated]`);
    const stored = await room.call(getObservation, { id: cut.id });
    expect(stored.content).toBe(cut.content);
    expect(byteLength(stored.content)).toBe(49_999 + 15);
  });

  test("is compared with others as it was cut", async () => {
    using room = openMemories();
    await room.saved({ content: `${"x".repeat(50_000)} one ending` });
    expect((await room.saving({ content: `${"x".repeat(50_000)} another ending` })).kind).toBe("duplicate");
  });
});

describe("the same words again", () => {
  test("are counted, not stored, for exactly fifteen minutes", async () => {
    using room = openMemories({ start: "2026-03-01T12:00:00Z" });
    const first = await room.saved({ content: "Same words" });
    room.clock.advance({ minutes: 15 });
    const again = await room.saving({ content: "same   WORDS\n" });
    expect(again.kind).toBe("duplicate");
    expect(again.observation).toMatchObject({
      id: first.id,
      content: "Same words",
      duplicate_count: 2,
      revision_count: 1,
      created_at: "2026-03-01 12:00:00",
      last_seen_at: "2026-03-01 12:15:00",
      updated_at: "2026-03-01 12:15:00",
    });
    room.clock.advance({ seconds: 1 });
    expect((await room.saving({ content: "Same words" })).kind).toBe("inserted");
    expect(count(room)).toBe(2);
  });

  test("are counted from when they were first saved, not from when they were last seen", async () => {
    using room = openMemories();
    await room.saved();
    room.clock.advance({ minutes: 10 });
    expect((await room.saving()).kind).toBe("duplicate");
    room.clock.advance({ minutes: 10 });
    expect((await room.saving()).kind).toBe("inserted");
  });

  test("count from the newest twin on", async () => {
    using room = openMemories();
    await room.saved();
    room.clock.advance({ minutes: 16 });
    const second = await room.saved();
    room.clock.advance({ minutes: 10 });
    expect(await room.saving()).toMatchObject({ kind: "duplicate", observation: { id: second.id } });
  });

  test("are another memory under another title, type, scope or project", async () => {
    using room = openMemories();
    await room.session("s1", "alpha");
    await room.session("s2", "beta");
    await room.saved();
    for (const other of [
      { title: "a title" },
      { type: "bugfix" },
      { scope: "personal" },
      { session_id: "s2", project: "beta" },
    ]) {
      expect((await room.saving(other)).kind).toBe("inserted");
    }
    expect(count(room)).toBe(5);
  });

  test("are counted across sessions of a project", async () => {
    using room = openMemories();
    const first = await room.saved();
    expect(await room.saving({ session_id: "s2" })).toMatchObject({
      kind: "duplicate",
      observation: { id: first.id, session_id: "s1" },
    });
  });

  test("are new after the first was deleted", async () => {
    using room = openMemories();
    const first = await room.saved();
    await room.call(deleteObservation, { id: first.id });
    expect((await room.saving()).kind).toBe("inserted");
  });
});

describe("a topic", () => {
  const topic = { topic_key: "design/auth" };

  test("is revised in place, and its earlier texts can be read", async () => {
    using room = openMemories({ start: "2026-03-01T12:00:00Z" });
    const first = await room.saved({ ...topic, title: "One", content: "first", tool_name: "edit" });
    room.clock.advance({ days: 30 });
    const second = await room.saving({ ...topic, session_id: "s2", type: "decision", title: "Two", content: "second" });
    expect(second).toEqual({
      kind: "revised",
      observation: {
        ...first,
        type: "decision",
        title: "Two",
        content: "second",
        tool_name: null,
        revision_count: 2,
        last_seen_at: "2026-03-31 12:00:00",
        updated_at: "2026-03-31 12:00:00",
      },
    });
    room.clock.advance({ minutes: 1 });
    await room.saved({ ...topic, title: "Three", content: "third" });
    const { observation, versions } = await room.call(observationVersions, { id: first.id });
    expect(observation).toMatchObject({ title: "Three", content: "third", revision_count: 3, created_at: "2026-03-01 12:00:00" });
    expect(versions).toEqual([
      { version: 2, title: "Two", content: "second", created_at: "2026-03-31 12:01:00" },
      { version: 1, title: "One", content: "first", created_at: "2026-03-31 12:00:00" },
    ]);
  });

  test("that says the same again counts a revision but keeps no version of it", async () => {
    using room = openMemories();
    const { id } = await room.saved(topic);
    expect(await room.saving(topic)).toMatchObject({
      kind: "revised",
      observation: { id, revision_count: 2, duplicate_count: 1 },
    });
    expect((await room.call(observationVersions, { id })).versions).toEqual([]);
  });

  test("is one per project and scope", async () => {
    using room = openMemories();
    await room.session("s2", "beta");
    await room.saved(topic);
    expect((await room.saving({ ...topic, scope: "personal" })).kind).toBe("inserted");
    expect((await room.saving({ ...topic, session_id: "s2", project: "beta" })).kind).toBe("inserted");
    expect((await room.saving({ ...topic, topic_key: " DESIGN/Auth " })).kind).toBe("revised");
    expect(count(room)).toBe(3);
  });

  test("starts anew after it was deleted", async () => {
    using room = openMemories();
    const { id } = await room.saved(topic);
    await room.call(deleteObservation, { id });
    expect(await room.saving(topic)).toMatchObject({ kind: "inserted", observation: { revision_count: 1 } });
  });

  test("that nobody has yet is counted where the same words were just saved, with another topic or none", async () => {
    using room = openMemories();
    const plain = await room.saved();
    expect(await room.saving(topic)).toMatchObject({
      kind: "duplicate",
      observation: { id: plain.id, topic_key: null, duplicate_count: 2, revision_count: 1 },
    });
    const other = await room.saved({ topic_key: "design/other", title: "Other" });
    expect(await room.saving({ ...topic, title: "Other" })).toMatchObject({
      kind: "duplicate",
      observation: { id: other.id, topic_key: "design/other", duplicate_count: 2, revision_count: 1 },
    });
    expect(count(room)).toBe(2);
  });

  test("that nobody has yet is new under another title, type or scope, and after fifteen minutes", async () => {
    using room = openMemories();
    await room.saved();
    for (const other of [{ title: "Another" }, { type: "bugfix" }, { scope: "personal" }]) {
      const key = `design/${Object.values(other)[0]}`;
      expect(await room.saving({ topic_key: key, ...other })).toMatchObject({
        kind: "inserted",
        observation: { topic_key: key.toLowerCase() },
      });
    }
    room.clock.advance({ minutes: 15, seconds: 1 });
    expect(await room.saving(topic)).toMatchObject({ kind: "inserted", observation: { topic_key: "design/auth" } });
  });

  test("that has a row is revised, not counted, also where a newer memory says the same", async () => {
    using room = openMemories();
    const { id } = await room.saved({ ...topic, title: "First" });
    await room.saved();
    expect(await room.saving(topic)).toMatchObject({
      kind: "revised",
      observation: { id, revision_count: 2, duplicate_count: 1 },
    });
  });

  test("is revised where older programs left several rows of it: the newest", async () => {
    using room = openMemories();
    const old = await room.saved({ title: "Old", content: "old" });
    room.clock.advance({ minutes: 1 });
    const newer = await room.saved({ title: "New", content: "new" });
    room.change("UPDATE observations SET topic_key = 'design/auth'");
    expect(await room.saving({ ...topic, title: "Now", content: "now" })).toMatchObject({
      kind: "revised",
      observation: { id: newer.id },
    });
    expect((await room.call(getObservation, { id: old.id })).content).toBe("old");
  });
});

describe("a save by hand", () => {
  const note = { type: "manual", title: "Note", content: "By hand" };

  test("belongs to the project of its directory, in that project's own session", async () => {
    using room = openMemories();
    const cwd = room.directory("work", "Shop");
    const { outcome, warnings } = await room.call(saveManual, { ...note, cwd });
    expect(outcome.observation).toMatchObject({ project: "shop", session_id: "manual-save-shop" });
    expect(warnings).toEqual([]);
    expect(room.rows("SELECT id, project, directory, ownership_mode FROM sessions")).toEqual([
      { id: "manual-save-shop", project: "shop", directory: cwd, ownership_mode: "project_owned" },
    ]);
  });

  test("belongs to the project that is named, one session for every spelling of it", async () => {
    using room = openMemories();
    const cwd = room.directory("work");
    await room.call(saveManual, { ...note, cwd, project: "shop" });
    const second = await room.call(saveManual, { ...note, title: "Second", cwd, project: "Shop" });
    expect(second.warnings.join()).toContain('"Shop" → "shop"');
    expect(room.rows("SELECT DISTINCT session_id, project FROM observations")).toEqual([
      { session_id: "manual-save-shop", project: "shop" },
    ]);
    expect(room.one("SELECT COUNT(*) FROM sessions")).toBe(1);
  });

  test("is never without a project, also in a directory that is none", async () => {
    using room = openMemories();
    const { outcome } = await room.call(saveManual, { ...note, cwd: room.directory("Some Folder") });
    expect(outcome.observation.project).toBe("some folder");
  });

  test("is not refused where several repositories could be meant: it is stored, and told how to choose", async () => {
    using room = openMemories();
    const cwd = room.directory("many");
    for (const name of ["one", "two"]) mkdirSync(room.path("many", name, ".git"), { recursive: true });
    const { outcome, warnings } = await room.call(saveManual, { ...note, cwd });
    expect(outcome).toMatchObject({ kind: "inserted", observation: { project: "many" } });
    expect(warnings.join()).toContain("one, two");
    expect(warnings.join()).toContain("--project");
  });

  test("says when it had to be cut", async () => {
    using room = openMemories();
    const { warnings, truncation } = await room.call(saveManual, {
      ...note,
      cwd: room.directory("work"),
      content: "x".repeat(50_001),
    });
    expect(truncation).toEqual({ original_bytes: 50_001, limit_bytes: 50_000, truncated: true });
    expect(warnings.join()).toContain("truncated from 50001 to 50000 bytes");
  });

  test("does not repeat private text in its answer", async () => {
    using room = openMemories();
    const answer = await room.call(saveManual, {
      ...note,
      title: "K <private>hunter2</private>",
      content: "<private>hunter2</private>",
      cwd: room.directory("work"),
    });
    expect(JSON.stringify(answer)).not.toContain("hunter2");
    expect(room.dump().includes("hunter2")).toBeFalse();
  });

  test("leaves no session behind when it is refused", async () => {
    using room = openMemories();
    await refusal(room.call(saveManual, { ...note, title: "  ", cwd: room.directory("work") }));
    expect(room.one("SELECT COUNT(*) FROM sessions")).toBe(0);
  });
});
