// The journal that cloud sync reads: who writes into it, and what it says.
import { describe, expect, test } from "bun:test";
import { openMemories, refusal, type TestMemories } from "../../../test/support/memories.ts";
import { deleteObservation, updateObservation } from "./observations.ts";
import { deleteProject, mergeProjects, migrateProject, pruneProjects, rescueOwnership } from "./projects.ts";
import { deletePrompt, savePrompt } from "./prompts.ts";
import { capturePassive } from "./save.ts";
import { deleteSession, endSession } from "./sessions.ts";
import { importMemories } from "./transfer.ts";

const journal = (room: TestMemories) =>
  room.rows("SELECT entity, op, entity_key, project, payload FROM sync_mutations ORDER BY seq").map((row) => ({
    entity: row.entity,
    op: row.op,
    entity_key: row.entity_key,
    project: row.project,
    payload: JSON.parse(String(row.payload)) as Record<string, unknown>,
  }));
const told = (room: TestMemories) => journal(room).map((row) => `${row.entity} ${row.op}`);

async function everything(room: TestMemories, project: string): Promise<void> {
  await room.session("a", project, "/srv");
  const first = await room.saved({ session_id: "a", project, title: "One", topic_key: "a/b" });
  await room.saved({ session_id: "a", project, title: "Two", topic_key: "a/b" });
  await room.call(updateObservation, { id: first.id, content: "changed" });
  await room.call(capturePassive, {
    session_id: "a",
    project,
    content: "## Learnings\n1. Retries need full jitter to avoid storms",
  });
  const { id } = await room.call(savePrompt, { session_id: "a", content: "asked" });
  await room.call(deletePrompt, { id });
  await room.call(deleteObservation, { id: first.id });
  await room.call(deleteObservation, { id: first.id + 1, hard: true });
  await room.call(endSession, { id: "a" });
  await room.session("b", project);
  await room.call(deleteSession, { id: "b" });
  await room.call(migrateProject, { from: project, to: "elsewhere" });
  await room.call(deleteProject, { name: "elsewhere", hard: true });
}

describe("the journal", () => {
  test("stays empty for projects that nobody enrolled, whatever happens to them", async () => {
    using room = openMemories();
    room.enroll("other");
    await everything(room, "alpha");
    expect(journal(room)).toEqual([]);
    expect(room.rows("SELECT target_key, lifecycle FROM sync_state")).toEqual([{ target_key: "cloud", lifecycle: "idle" }]);
  });

  test("tells every change of an enrolled project in order, in the change's own transaction", async () => {
    using room = openMemories();
    room.enroll("alpha");
    await room.session("a", "alpha", "/srv");
    const first = await room.saved({ session_id: "a", project: "alpha", title: "One", content: "text" });
    await room.saved({ session_id: "a", project: "alpha", title: "One", content: "text" });
    await room.call(updateObservation, { id: first.id, content: "changed" });
    const { id } = await room.call(savePrompt, { session_id: "a", content: "asked" });
    await room.call(deletePrompt, { id });
    await room.call(deleteObservation, { id: first.id });
    await room.call(endSession, { id: "a", summary: "done" });
    expect(told(room)).toEqual([
      "session upsert",
      "observation upsert",
      "observation upsert",
      "observation upsert",
      "prompt upsert",
      "prompt delete",
      "observation delete",
      "session upsert",
    ]);
    expect(new Set(journal(room).map((row) => row.project))).toEqual(new Set(["alpha"]));
    expect(room.rows("SELECT target_key, lifecycle, last_enqueued_seq FROM sync_state ORDER BY target_key")).toEqual([
      { target_key: "cloud", lifecycle: "pending", last_enqueued_seq: 8 },
      { target_key: "cloud:alpha", lifecycle: "pending", last_enqueued_seq: 8 },
    ]);
  });

  test("says what a receiver needs, and nothing that is absent", async () => {
    using room = openMemories({ start: "2026-03-01T12:00:00Z" });
    room.enroll("alpha");
    await room.session("a", "alpha", "/srv");
    const { sync_id, id } = await room.saved({
      session_id: "a",
      project: "alpha",
      title: "One",
      content: "text <private>hunter2</private>",
      type: "decision",
    });
    await room.call(deleteObservation, { id, hard: true });
    const [session, observation, gone] = journal(room);
    expect(session?.payload).toEqual({
      id: "a",
      project: "alpha",
      ownership_mode: "shared",
      directory: "/srv",
      started_at: "2026-03-01 12:00:00",
    });
    expect(observation?.payload).toEqual({
      sync_id,
      session_id: "a",
      type: "decision",
      title: "One",
      content: "text [REDACTED]",
      project: "alpha",
      scope: "project",
      revision_count: 1,
      duplicate_count: 1,
      last_seen_at: "2026-03-01 12:00:00",
      created_at: "2026-03-01 12:00:00",
      updated_at: "2026-03-01 12:00:00",
    });
    expect(gone).toMatchObject({
      entity_key: sync_id,
      op: "delete",
      payload: { sync_id, deleted: true, hard_delete: true, deleted_at: "2026-03-01 12:00:00" },
    });
    expect(room.one("SELECT last_mutation_seq FROM sync_delete_tombstones")).toBe(3);
  });

  test("says nothing of what was refused or changed nothing", async () => {
    using room = openMemories();
    room.enroll("alpha");
    await room.session("a", "alpha", "/srv");
    const { id } = await room.saved({ session_id: "a", project: "alpha" });
    const before = journal(room).length;
    await refusal(room.saving({ session_id: "a", project: "alpha", title: " " }));
    await refusal(room.saving({ session_id: "a", project: "beta" }));
    await refusal(room.call(updateObservation, { id, title: "x", expected_project: "beta" }));
    await refusal(room.call(deleteObservation, { id: 99 }));
    await refusal(room.call(deleteSession, { id: "a" }));
    await room.session("a", "alpha", "/srv");
    await room.call(endSession, { id: "ghost" });
    expect(journal(room)).toHaveLength(before);
  });
});

describe("the journal of a move", () => {
  async function twoProjects(): Promise<TestMemories> {
    const room = openMemories();
    await room.saved({ session_id: "a", project: "alpha", title: "Kept" });
    const gone = await room.saved({ session_id: "a", project: "alpha", title: "Gone" });
    await room.call(deleteObservation, { id: gone.id });
    await room.call(savePrompt, { session_id: "a", content: "asked" });
    room.enroll("beta");
    return room;
  }

  test("into an enrolled project tells all that came, hidden rows as deleted", async () => {
    using room = await twoProjects();
    await room.call(migrateProject, { from: "alpha", to: "beta" });
    expect(told(room).sort()).toEqual(["observation delete", "observation upsert", "prompt upsert", "session upsert"]);
  });

  test("never tells of a hidden memory as if it were there", async () => {
    using room = await twoProjects();
    await room.call(migrateProject, { from: "alpha", to: "beta" });
    const titles = journal(room)
      .filter((row) => row.entity === "observation" && row.op === "upsert")
      .map((row) => row.payload.title);
    expect(titles).toEqual(["Kept"]);
  });

  test("that moved nothing is silent, however often it is asked for", async () => {
    using room = await twoProjects();
    await room.call(migrateProject, { from: "alpha", to: "beta" });
    const before = journal(room).length;
    for (let times = 0; times < 3; times++) {
      await room.call(migrateProject, { from: "alpha", to: "beta" });
      await room.call(mergeProjects, { from: ["Beta", "beta"], to: "beta" });
    }
    expect(journal(room)).toHaveLength(before);
  });

  test("of a rescue tells what was adopted, and is silent when nothing was", async () => {
    using room = await twoProjects();
    room.change("UPDATE observations SET project = NULL WHERE title = 'Kept'; UPDATE sessions SET project = ''");
    expect(await room.call(rescueOwnership, { project: "beta", observations: [1], sessions: ["a"] })).toMatchObject({
      observations: 1,
      sessions: 1,
      journaled: 2,
    });
    expect(told(room).sort()).toEqual(["observation upsert", "session upsert"]);
    expect(await room.call(rescueOwnership, { project: "beta", observations: [1], sessions: ["a"] })).toMatchObject({
      journaled: 0,
    });
    expect(journal(room)).toHaveLength(2);
  });
});

describe("the journal of an import", () => {
  const row = {
    session_id: "a",
    type: "manual",
    content: "c",
    project: "alpha",
    created_at: "2026-01-01 00:00:00",
    updated_at: "2026-01-01 00:00:00",
  };
  const file = {
    version: "0.2.0",
    sessions: [{ id: "a", project: "alpha", directory: "/srv", started_at: "2026-01-01 00:00:00" }],
    observations: [
      { ...row, sync_id: "obs-1", title: "Kept" },
      { ...row, sync_id: "obs-2", title: "Gone", deleted_at: "2026-01-02 00:00:00" },
    ],
    prompts: [{ sync_id: "prompt-1", session_id: "a", content: "p", project: "alpha", created_at: "2026-01-01 00:00:00" }],
  };

  test("tells the rows of enrolled projects once", async () => {
    using room = openMemories();
    room.enroll("alpha");
    await room.call(importMemories, { data: file });
    const before = journal(room).length;
    expect(new Set(told(room))).toContain("observation upsert");
    await room.call(importMemories, { data: file });
    expect(journal(room)).toHaveLength(before);
  });

  test("never tells of a hidden memory as if it were there", async () => {
    using room = openMemories();
    room.enroll("alpha");
    await room.call(importMemories, { data: file });
    const upserted = journal(room).filter((entry) => entry.entity === "observation" && entry.op === "upsert");
    expect(upserted.map((entry) => entry.payload.title)).toEqual(["Kept"]);
  });
});

test("deleting and pruning an enrolled project is told row by row", async () => {
  using room = openMemories();
  room.enroll("alpha");
  await room.saved({ session_id: "a", project: "alpha" });
  await room.call(savePrompt, { session_id: "a", content: "asked" });
  const before = journal(room).length;
  await room.call(deleteProject, { name: "alpha", hard: true });
  expect(told(room).slice(before)).toEqual(["observation delete", "prompt delete", "session delete"]);
  await room.session("b", "alpha");
  await room.call(pruneProjects, { names: ["alpha"] });
  expect(told(room).slice(before + 3)).toEqual(["session upsert", "session delete"]);
});
