import { describe, expect, test } from "bun:test";
import { openMemories, refusal, type TestMemories } from "../../../test/support/memories.ts";
import { context } from "./context.ts";
import {
  deleteObservation,
  getObservation,
  listReviews,
  markReviewed,
  observationVersions,
  pinObservation,
  recentObservations,
  suggestKey,
  timeline,
  updateObservation,
} from "./observations.ts";
import { stats } from "./projects.ts";
import { search } from "./search.ts";

const titles = (observations: { title: string }[]) => observations.map((o) => o.title);
const found = async (room: TestMemories, query: string) => titles((await room.call(search, { query, matchMode: "all" })).hits);

async function several(room: TestMemories, names: string[], extra = {}): Promise<void> {
  for (const title of names) {
    await room.saved({ title, content: `about ${title}`, ...extra });
    room.clock.advance({ seconds: 1 });
  }
}

describe("one observation", () => {
  test("that is not there is not found, whatever number is asked for", async () => {
    using room = openMemories();
    await room.saved();
    for (const id of [0, -1, 2, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
      expect(await refusal(room.call(getObservation, { id }))).toMatchObject({
        kind: "not_found",
        message: "observation not found",
      });
    }
  });
});

describe("recent observations", () => {
  test("come newest first, and of one second the later saved first", async () => {
    using room = openMemories();
    await several(room, ["one", "two"]);
    await room.saved({ title: "three", content: "same second" });
    await room.saved({ title: "four", content: "same second too" });
    expect(titles((await room.call(recentObservations, {})).observations)).toEqual(["four", "three", "two", "one"]);
  });

  test("come by when they were made, not by when they arrived in this store", async () => {
    using room = openMemories();
    await several(room, ["one", "two", "three"]);
    room.change("UPDATE observations SET created_at = '2020-01-01 00:00:00' WHERE title = 'three'");
    expect(titles((await room.call(recentObservations, {})).observations)).toEqual(["two", "one", "three"]);
  });

  test("are twenty unless asked otherwise", async () => {
    using room = openMemories();
    await several(
      room,
      Array.from({ length: 25 }, (_, i) => `n${i}`),
    );
    const count = async (limit?: number) =>
      (await room.call(recentObservations, limit === undefined ? {} : { limit })).observations.length;
    expect([await count(), await count(0), await count(-3), await count(7), await count(1000)]).toEqual([20, 20, 20, 7, 25]);
  });

  test("are of one project in any spelling, of one scope, or of a directory's project", async () => {
    using room = openMemories();
    await several(room, ["mine"], { session_id: "a", project: "shop" });
    await several(room, ["private"], { session_id: "a", project: "shop", scope: "personal" });
    await several(room, ["other"], { session_id: "b", project: "blog" });
    const list = async (input: object) => titles((await room.call(recentObservations, input)).observations);
    expect(await list({ project: " SHOP " })).toEqual(["private", "mine"]);
    expect(await list({ project: "shop", scope: "personal" })).toEqual(["private"]);
    expect(await list({ cwd: room.directory("work", "blog") })).toEqual(["other"]);
    expect(await list({ cwd: room.directory("work", "blog"), allProjects: true })).toHaveLength(3);
    expect(await list({ project: "nobody" })).toEqual([]);
    expect((await room.call(recentObservations, { project: "Shop" })).project).toBe("Shop");
  });
});

describe("an update", () => {
  test("changes what it names, counts a revision and keeps the text before", async () => {
    using room = openMemories({ start: "2026-03-01T12:00:00Z" });
    const before = await room.saved({ title: "Old", content: "old words", topic_key: "a/b" });
    room.clock.advance({ minutes: 1 });
    const { observation, truncation } = await room.call(updateObservation, {
      id: before.id,
      title: " New ",
      content: "new words",
      type: "bugfix",
      scope: "GLOBAL",
      topic_key: "C d",
      project: "Beta",
    });
    expect(observation).toEqual({
      ...before,
      title: "New",
      content: "new words",
      type: "bugfix",
      scope: "global",
      topic_key: "c-d",
      project: "beta",
      revision_count: 2,
      updated_at: "2026-03-01 12:01:00",
    });
    expect(truncation?.truncated).toBeFalse();
    expect((await room.call(observationVersions, { id: before.id })).versions).toEqual([
      { version: 1, title: "Old", content: "old words", created_at: "2026-03-01 12:01:00" },
    ]);
    expect(await found(room, "old")).toEqual([]);
    expect(await found(room, "words")).toEqual(["New"]);
  });

  test("of a title alone keeps the version too, and of other fields none", async () => {
    using room = openMemories();
    const { id } = await room.saved({ title: "Old" });
    await room.call(updateObservation, { id, type: "config" });
    await room.call(updateObservation, { id, title: "New" });
    const { observation, versions } = await room.call(observationVersions, { id });
    expect(observation.revision_count).toBe(3);
    expect(versions.map((v) => [v.version, v.title])).toEqual([[2, "Old"]]);
  });

  test("of the content changes what counts as the same words", async () => {
    using room = openMemories();
    const { id } = await room.saved({ content: "before" });
    await room.call(updateObservation, { id, content: "after" });
    expect(await room.saving({ content: "AFTER" })).toMatchObject({ kind: "duplicate", observation: { id } });
    expect((await room.saving({ content: "before" })).kind).toBe("inserted");
  });

  test("needs a field, a row, and text that says something", async () => {
    using room = openMemories();
    const before = await room.saved();
    expect(await refusal(room.call(updateObservation, { id: before.id }))).toMatchObject({
      kind: "invalid",
      message: "at least one field is required",
    });
    expect(await refusal(room.call(updateObservation, { id: before.id, expected_project: "alpha" }))).toMatchObject({
      kind: "invalid",
    });
    expect(await refusal(room.call(updateObservation, { id: 99, title: "x" }))).toMatchObject({ kind: "not_found" });
    expect(await refusal(room.call(updateObservation, { id: before.id, title: " " }))).toMatchObject({
      message: "observation title is required",
    });
    expect(await refusal(room.call(updateObservation, { id: before.id, content: "\n" }))).toMatchObject({
      message: "observation content is required",
    });
    expect(await room.call(getObservation, { id: before.id })).toEqual(before);
  });

  test("stores nothing private and cuts what is too long", async () => {
    using room = openMemories();
    const { id } = await room.saved();
    const { observation, truncation } = await room.call(updateObservation, {
      id,
      title: "T <private>hunter2</private>",
      content: `<private>hunter2</private>${"y".repeat(60_000)}`,
    });
    expect(observation.title).toBe("T [REDACTED]");
    expect(observation.content).toBe(`[REDACTED]${"y".repeat(49_990)}... [truncated]`);
    expect(truncation).toEqual({ original_bytes: 60_010, limit_bytes: 50_000, truncated: true });
    await room.call(updateObservation, { id, find: "[REDACTED]", replace: "<private>hunter2</private>" });
    expect(room.dump().includes("hunter2")).toBeFalse();
  });

  test("is refused when the caller expects another owner", async () => {
    using room = openMemories();
    const before = await room.saved();
    expect(await refusal(room.call(updateObservation, { id: before.id, title: "New", expected_project: "beta" }))).toMatchObject({
      kind: "conflict",
      details: { owner_project: "alpha", expected_project: "beta" },
    });
    expect(await room.call(getObservation, { id: before.id })).toEqual(before);
    for (const expected_project of ["alpha", " ALPHA ", ""])
      await room.call(updateObservation, { id: before.id, title: "New", expected_project });
  });

  test("takes the owner's name in the spelling that it was saved under", async () => {
    using room = openMemories();
    const { id } = await room.saved({ project: "My--Shop" });
    const { observation } = await room.call(updateObservation, { id, title: "New", expected_project: "My--Shop" });
    expect(observation.title).toBe("New");
  });

  test("may replace words literally, everywhere, minding case", async () => {
    using room = openMemories();
    const { id } = await room.saved({ content: "Use a.b and a.b, not A.B or axb" });
    const { observation } = await room.call(updateObservation, { id, find: "a.b", replace: "$&c" });
    expect(observation.content).toBe("Use $&c and $&c, not A.B or axb");
    expect(observation.revision_count).toBe(2);
  });

  test("that replaces what is not there leaves the text as it was", async () => {
    using room = openMemories();
    const before = await room.saved({ content: `x${"é".repeat(30_000)}` });
    const { observation } = await room.call(updateObservation, { id: before.id, find: "missing", replace: "x" });
    expect(observation.content.slice(-30)).toBe(before.content.slice(-30));
    expect((await room.call(observationVersions, { id: before.id })).versions).toEqual([]);
  });

  test("refuses half a replacement, an empty one, and one beside a whole new text", async () => {
    using room = openMemories();
    const { id } = await room.saved({ content: "text" });
    for (const wrong of [
      { find: "t" },
      { replace: "t" },
      { find: "", replace: "x" },
      { find: "t", replace: "x", content: "y" },
      { find: "text", replace: "" },
    ]) {
      expect(await refusal(room.call(updateObservation, { id, ...wrong }))).toMatchObject({ kind: "invalid" });
    }
    expect((await room.call(getObservation, { id })).content).toBe("text");
  });

  test("does not reach a deleted row", async () => {
    using room = openMemories();
    const { id } = await room.saved();
    await room.call(deleteObservation, { id });
    expect(await refusal(room.call(updateObservation, { id, title: "x" }))).toMatchObject({ kind: "not_found" });
  });
});

describe("a pin", () => {
  test("is set and taken away, as often as wanted, and changes nothing else", async () => {
    using room = openMemories();
    const before = await room.saved();
    room.clock.advance({ minutes: 5 });
    for (const pinned of [true, true, false, false]) {
      expect(await room.call(pinObservation, { id: before.id, pinned })).toEqual({ ...before, pinned });
      expect(await room.call(getObservation, { id: before.id })).toEqual({ ...before, pinned });
    }
  });

  test("needs an observation that is there", async () => {
    using room = openMemories();
    const { id } = await room.saved();
    await room.call(deleteObservation, { id });
    for (const missing of [id, 99])
      expect(await refusal(room.call(pinObservation, { id: missing, pinned: true }))).toMatchObject({ kind: "not_found" });
  });

  test("survives an update and a revision of the topic", async () => {
    using room = openMemories();
    const { id } = await room.saved({ topic_key: "a/b" });
    await room.call(pinObservation, { id, pinned: true });
    await room.call(updateObservation, { id, content: "changed" });
    expect((await room.saved({ topic_key: "a/b", content: "again" })).pinned).toBeTrue();
  });
});

describe("reviews", () => {
  test("are due when their date has come, the oldest first", async () => {
    using room = openMemories({ start: "2026-01-01T00:00:00Z" });
    await several(room, ["decision"], { type: "decision" });
    await several(room, ["preference"], { type: "preference" });
    await several(room, ["bugfix"], { type: "bugfix" });
    const due = async (input = {}) =>
      (await room.call(listReviews, input)).items.map((item) => [item.observation.title, item.state]);
    expect(await due()).toEqual([]);
    room.clock.set("2026-04-01T00:00:00Z");
    expect(await due()).toEqual([]);
    room.clock.set("2026-04-01T00:00:01Z");
    expect(await due()).toEqual([["preference", "needs_review"]]);
    room.clock.set("2027-01-01T00:00:00Z");
    expect(await due()).toEqual([
      ["preference", "needs_review"],
      ["decision", "needs_review"],
    ]);
    expect(await due({ limit: 1 })).toHaveLength(1);
    expect(await due({ project: "ALPHA" })).toHaveLength(2);
    expect(await due({ project: "beta" })).toEqual([]);
  });

  test("that are done come back after the time of their type", async () => {
    using room = openMemories({ start: "2026-01-01T00:00:00Z" });
    const { id } = await room.saved({ type: "preference" });
    room.clock.set("2026-06-15T10:00:00Z");
    const { observation, state } = await room.call(markReviewed, { id });
    expect(observation).toMatchObject({ review_after: "2026-09-15 10:00:00", updated_at: "2026-06-15 10:00:00" });
    expect(state).toBe("active");
    expect((await room.call(listReviews, {})).items).toEqual([]);
  });

  test("of a type without a date end with it", async () => {
    using room = openMemories();
    const { id } = await room.saved({ type: "bugfix" });
    room.change("UPDATE observations SET review_after = '2020-01-01 00:00:00'");
    expect((await room.call(listReviews, {})).items).toHaveLength(1);
    expect(await room.call(markReviewed, { id })).toMatchObject({ observation: { review_after: null }, state: "active" });
  });

  test("are not asked of what is deleted or not there", async () => {
    using room = openMemories({ start: "2026-01-01T00:00:00Z" });
    const { id } = await room.saved({ type: "decision" });
    await room.call(deleteObservation, { id });
    room.clock.advance({ days: 400 });
    expect((await room.call(listReviews, {})).items).toEqual([]);
    for (const missing of [id, 99])
      expect(await refusal(room.call(markReviewed, { id: missing }))).toMatchObject({ kind: "not_found" });
  });
});

describe("a soft delete", () => {
  test("hides the row everywhere and keeps it", async () => {
    using room = openMemories();
    const gone = await room.saved({ title: "Gone", content: "disappearing words" });
    const stays = await room.saved({ title: "Stays", content: "remaining words" });
    room.clock.advance({ minutes: 1 });
    expect(await room.call(deleteObservation, { id: gone.id })).toEqual({ id: gone.id, hard: false });
    expect(await refusal(room.call(getObservation, { id: gone.id }))).toMatchObject({ kind: "not_found" });
    expect(titles((await room.call(recentObservations, {})).observations)).toEqual(["Stays"]);
    expect(await found(room, "disappearing")).toEqual([]);
    expect((await room.call(search, { query: "disappear" })).hits).toEqual([]);
    expect((await room.call(stats, {})).total_observations).toBe(1);
    expect((await room.call(context, {})).context).not.toContain("Gone");
    expect((await room.call(timeline, { id: stays.id })).before).toEqual([]);
    expect(room.rows("SELECT deleted_at, updated_at FROM observations WHERE id = ?", gone.id)).toEqual([
      { deleted_at: "2026-03-01 12:01:00", updated_at: "2026-03-01 12:01:00" },
    ]);
  });

  test("happens once", async () => {
    using room = openMemories();
    const { id } = await room.saved();
    await room.call(deleteObservation, { id });
    for (const hard of [false, true])
      expect(await refusal(room.call(deleteObservation, { id, hard }))).toMatchObject({ kind: "not_found" });
  });

  test("leaves relations as they are", async () => {
    using room = openMemories();
    const { id, sync_id } = await room.saved();
    room.change(
      `INSERT INTO memory_relations (sync_id, source_id, target_id, judgment_status) VALUES ('rel-1', '${sync_id}', 'obs-x', 'judged')`,
    );
    await room.call(deleteObservation, { id });
    expect(room.one("SELECT judgment_status FROM memory_relations")).toBe("judged");
  });
});

describe("a hard delete", () => {
  test("removes the row, its versions and its words, and leaves a tombstone", async () => {
    using room = openMemories();
    const { id, sync_id } = await room.saved({ title: "Vanishing", content: "disappearing words", topic_key: "a/b" });
    await room.saved({ title: "Vanishing too", content: "evaporating words", topic_key: "a/b" });
    room.clock.advance({ minutes: 1 });
    expect(await room.call(deleteObservation, { id, hard: true })).toEqual({ id, hard: true });
    expect(room.rows("SELECT id FROM observations UNION ALL SELECT id FROM observation_versions")).toEqual([]);
    for (const word of ["vanishing", "disappearing", "evaporating"])
      expect((await room.call(search, { query: word })).hits).toEqual([]);
    expect(
      room.rows("SELECT entity, entity_key, session_id, project, deleted_at, hard_delete, active FROM sync_delete_tombstones"),
    ).toEqual([
      {
        entity: "observation",
        entity_key: sync_id,
        session_id: "s1",
        project: "alpha",
        deleted_at: "2026-03-01 12:01:00",
        hard_delete: 1,
        active: 1,
      },
    ]);
    expect(room.one("PRAGMA foreign_key_check")).toBeUndefined();
    room.change("INSERT INTO observations_fts(observations_fts) VALUES ('integrity-check')");
  });

  test("orphans the relations of the row on either side, and no others", async () => {
    using room = openMemories();
    const [a, b, c] = [await room.saved({ title: "a" }), await room.saved({ title: "b" }), await room.saved({ title: "c" })];
    room.change(`INSERT INTO memory_relations (sync_id, source_id, target_id, relation, judgment_status) VALUES
      ('rel-1', '${a.sync_id}', '${b.sync_id}', 'related', 'judged'), ('rel-2', '${c.sync_id}', '${a.sync_id}', 'pending', 'pending'),
      ('rel-3', '${b.sync_id}', '${c.sync_id}', 'related', 'judged')`);
    await room.call(deleteObservation, { id: a.id, hard: true });
    expect(room.rows("SELECT sync_id, judgment_status FROM memory_relations ORDER BY sync_id")).toEqual([
      { sync_id: "rel-1", judgment_status: "orphaned" },
      { sync_id: "rel-2", judgment_status: "orphaned" },
      { sync_id: "rel-3", judgment_status: "judged" },
    ]);
  });

  test("is refused when the caller expects another owner", async () => {
    using room = openMemories();
    const { id } = await room.saved();
    for (const hard of [false, true]) {
      expect(await refusal(room.call(deleteObservation, { id, hard, expected_project: "beta" }))).toMatchObject({
        kind: "conflict",
      });
    }
    await room.call(deleteObservation, { id, hard: true, expected_project: "Alpha" });
  });

  test("never gives its number to another", async () => {
    using room = openMemories();
    const { id } = await room.saved();
    await room.call(deleteObservation, { id, hard: true });
    expect((await room.saved({ title: "next" })).id).toBe(id + 1);
  });
});

describe("a timeline", () => {
  test("shows the neighbours in the session, in order, deleted ones left out", async () => {
    using room = openMemories();
    await several(room, ["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
    await several(room, ["elsewhere"], { session_id: "s2" });
    await room.call(deleteObservation, { id: 4 });
    const around = await room.call(timeline, { id: 5, before: 2, after: 2 });
    expect(around.focus.title).toBe("5");
    expect(titles(around.before)).toEqual(["2", "3"]);
    expect(titles(around.after)).toEqual(["6", "7"]);
    expect(around.total).toBe(8);
    expect(around.session).toMatchObject({ id: "s1", project: "alpha" });
  });

  test("shows five on each side unless asked otherwise", async () => {
    using room = openMemories();
    await several(
      room,
      Array.from({ length: 15 }, (_, i) => String(i + 1)),
    );
    for (const input of [{}, { before: 0, after: 0 }, { before: -1, after: -9 }]) {
      const around = await room.call(timeline, { id: 8, ...input });
      expect([around.before.length, around.after.length]).toEqual([5, 5]);
    }
    const edge = await room.call(timeline, { id: 1, after: 100 });
    expect([edge.before.length, edge.after.length]).toEqual([0, 14]);
  });

  test("is not found for a row that is missing, deleted, or of another project", async () => {
    using room = openMemories();
    const { id } = await room.saved();
    expect(await refusal(room.call(timeline, { id: 99 }))).toMatchObject({ kind: "not_found" });
    expect(await refusal(room.call(timeline, { id, project: "beta" }))).toMatchObject({
      kind: "not_found",
      message: "observation not found in resolved project",
      details: { owner_project: "alpha" },
    });
    expect((await room.call(timeline, { id, project: "ALPHA" })).focus.id).toBe(id);
    await room.call(deleteObservation, { id });
    expect(await refusal(room.call(timeline, { id }))).toMatchObject({ kind: "not_found" });
  });
});

test("a topic key is suggested without touching the store", async () => {
  using room = openMemories();
  expect(await room.call(suggestKey, { type: "decision", title: "Use queues" })).toEqual({ topic_key: "decision/use-queues" });
  expect(await refusal(room.call(suggestKey, {}))).toMatchObject({ kind: "invalid" });
});
