import { describe, expect, test } from "bun:test";
import { openMemories, refusal, type TestMemories } from "../../../test/support/memories.ts";
import { deleteObservation } from "./observations.ts";
import { savePrompt } from "./prompts.ts";
import { deleteSession, endRuntimeSession, endSession, getSession, openSession, recentSessions } from "./sessions.ts";

const ids = (room: TestMemories) => room.rows("SELECT id FROM sessions ORDER BY rowid").map((row) => row.id);

describe("a session", () => {
  test("is registered with project, directory and the time of the clock", async () => {
    using room = openMemories({ start: "2026-03-01T12:00:00Z" });
    expect(await room.call(openSession, { id: "s1", project: " My__Shop ", directory: "/srv/shop" })).toEqual({
      id: "s1",
      resumed_from: null,
    });
    expect(await room.call(getSession, { id: "s1" })).toEqual({
      id: "s1",
      project: "my_shop",
      ownership_mode: "shared",
      directory: "/srv/shop",
      started_at: "2026-03-01 12:00:00",
      ended_at: null,
      summary: null,
    });
    expect(room.one("SELECT runtime_lease_expires_at FROM sessions")).toBe("2026-03-01 12:30:00");
  });

  test("needs an id and a project that say something", async () => {
    using room = openMemories();
    for (const blank of ["", "  ", "\t\n"]) {
      expect(await refusal(room.call(openSession, { id: blank, project: "alpha" }))).toMatchObject({
        kind: "invalid",
        message: "id and project are required",
      });
      expect(await refusal(room.call(openSession, { id: "s1", project: blank }))).toMatchObject({ kind: "invalid" });
    }
    expect(ids(room)).toEqual([]);
  });

  test("that is known stays as it is, also under another project and after its end", async () => {
    using room = openMemories();
    await room.call(openSession, { id: "s1", project: "alpha", directory: "/srv/a" });
    const before = await room.call(getSession, { id: "s1" });
    room.clock.advance({ minutes: 10 });
    await room.call(openSession, { id: "s1", project: "beta", directory: "/srv/b" });
    expect(await room.call(getSession, { id: "s1" })).toEqual(before);
    expect(room.one("SELECT runtime_lease_expires_at FROM sessions")).toBe("2026-03-01 12:40:00");
    await room.call(endSession, { id: "s1", summary: "done" });
    const ended = await room.call(getSession, { id: "s1" });
    await room.call(openSession, { id: "s1", project: "alpha" });
    expect(await room.call(getSession, { id: "s1" })).toEqual(ended);
  });

  test("that is known without project or directory gets them", async () => {
    using room = openMemories();
    await room.session("s1", "alpha");
    room.change("UPDATE sessions SET project = '', directory = ''");
    await room.call(openSession, { id: "s1", project: "beta", directory: "/srv/b" });
    expect(await room.call(getSession, { id: "s1" })).toMatchObject({ project: "beta", directory: "/srv/b" });
  });

  test("that must be nobody else's is refused under another project and after its end", async () => {
    using room = openMemories();
    await room.call(openSession, { id: "s1", project: "alpha", isolated: true });
    expect(await refusal(room.call(openSession, { id: "s1", project: "beta", isolated: true }))).toMatchObject({
      kind: "conflict",
      details: { code: "session_project_conflict", owner_project: "alpha", requested_project: "beta" },
    });
    await room.call(endSession, { id: "s1" });
    expect(await refusal(room.call(openSession, { id: "s1", project: "alpha", isolated: true }))).toMatchObject({
      kind: "conflict",
      details: { code: "session_already_ended", session_id: "s1" },
    });
  });

  test("that is not there is not found", async () => {
    using room = openMemories();
    expect(await refusal(room.call(getSession, { id: "ghost" }))).toMatchObject({
      kind: "not_found",
      message: "session not found",
    });
  });
});

describe("the end of a session", () => {
  test("keeps the time and the summary, and may come again", async () => {
    using room = openMemories({ start: "2026-03-01T12:00:00Z" });
    await room.session();
    room.clock.advance({ minutes: 1 });
    expect(await room.call(endSession, { id: "s1", summary: " First " })).toEqual({ id: "s1" });
    expect(await room.call(getSession, { id: "s1" })).toMatchObject({ ended_at: "2026-03-01 12:01:00", summary: "First" });
    room.clock.advance({ minutes: 1 });
    await room.call(endSession, { id: "s1", summary: "Second" });
    expect(await room.call(getSession, { id: "s1" })).toMatchObject({ ended_at: "2026-03-01 12:02:00", summary: "Second" });
    await room.call(endSession, { id: "s1" });
    expect((await room.call(getSession, { id: "s1" })).summary).toBeNull();
  });

  test("stores nothing private", async () => {
    using room = openMemories();
    await room.session();
    await room.call(endSession, { id: "s1", summary: "Used <private>hunter2</private>" });
    expect((await room.call(getSession, { id: "s1" })).summary).toBe("Used [REDACTED]");
    expect(room.dump().includes("hunter2")).toBeFalse();
  });

  test("of a session nobody knows is no error and makes none", async () => {
    using room = openMemories();
    expect(await room.call(endSession, { id: "ghost" })).toEqual({ id: "ghost" });
    expect(ids(room)).toEqual([]);
  });
});

describe("resuming", () => {
  const resume = (room: TestMemories, id = "run") => room.call(openSession, { id, project: "alpha", resume: true });

  test("keeps a session that has not ended, and makes one that is not there", async () => {
    using room = openMemories();
    expect(await resume(room)).toEqual({ id: "run", resumed_from: null });
    expect(await resume(room)).toEqual({ id: "run", resumed_from: null });
    expect(ids(room)).toEqual(["run"]);
  });

  test("continues an ended one under a number from 2 on, the same one while it lives", async () => {
    using room = openMemories();
    await resume(room);
    await room.call(endSession, { id: "run" });
    expect(await resume(room)).toEqual({ id: "run:resume:2", resumed_from: "run" });
    expect(await resume(room)).toEqual({ id: "run:resume:2", resumed_from: "run" });
    await room.call(endSession, { id: "run:resume:2" });
    expect(await resume(room)).toEqual({ id: "run:resume:3", resumed_from: "run" });
    expect(ids(room)).toEqual(["run", "run:resume:2", "run:resume:3"]);
  });

  test("picks the lowest that lives, counts as numbers, and overlooks ids that only look alike", async () => {
    using room = openMemories();
    for (const id of ["run", "run:resume:2", "run:resume:9", "run:resume:10", "run:resume:x", "run:resume:1", "other:resume:3"])
      await room.session(id);
    for (const id of ["run", "run:resume:2"]) await room.call(endSession, { id });
    expect((await resume(room)).id).toBe("run:resume:9");
    for (const id of ["run:resume:9", "run:resume:10"]) await room.call(endSession, { id });
    expect((await resume(room)).id).toBe("run:resume:11");
  });

  test("works for ids of any characters", async () => {
    using room = openMemories();
    const id = "ñ 😀 %_ '";
    await resume(room, id);
    await room.call(endSession, { id });
    expect((await resume(room, id)).id).toBe(`${id}:resume:2`);
    expect((await resume(room, id)).id).toBe(`${id}:resume:2`);
  });

  test("in isolation never continues what another project has, ended or not", async () => {
    using room = openMemories();
    const isolated = (project: string) => room.call(openSession, { id: "run", project, resume: true, isolated: true });
    expect(await isolated("alpha")).toEqual({ id: "run", resumed_from: null });
    const conflict = {
      kind: "conflict",
      details: {
        code: "session_project_conflict",
        session_id: "run",
        owner_project: "alpha",
        requested_project: "beta",
      },
    };
    expect(await refusal(isolated("beta"))).toMatchObject(conflict);
    await room.call(endSession, { id: "run" });
    expect(await refusal(isolated("beta"))).toMatchObject(conflict);
    expect(ids(room)).toEqual(["run"]);
    expect(await isolated("Alpha")).toEqual({ id: "run:resume:2", resumed_from: "run" });
  });
});

describe("the end of a running session", () => {
  const end = (room: TestMemories) => room.call(endRuntimeSession, { id: "run", project: "alpha" });

  test("ends the session itself while it lives", async () => {
    using room = openMemories();
    await room.session("run");
    expect(await end(room)).toEqual({ id: "run" });
    expect((await room.call(getSession, { id: "run" })).ended_at).not.toBeNull();
  });

  test("ends the continuation that lives, not the root again", async () => {
    using room = openMemories();
    await room.session("run");
    await room.call(endSession, { id: "run", summary: "kept" });
    await room.call(openSession, { id: "run", project: "alpha", resume: true });
    expect(await end(room)).toEqual({ id: "run:resume:2" });
    expect((await room.call(getSession, { id: "run:resume:2" })).ended_at).not.toBeNull();
    expect((await room.call(getSession, { id: "run" })).summary).toBe("kept");
  });

  test("ends no session of another project", async () => {
    using room = openMemories();
    const ended = async (id: string) => (await room.call(getSession, { id })).ended_at !== null;
    await room.session("run");
    await room.call(endRuntimeSession, { id: "run", project: "beta" });
    expect(await ended("run")).toBeFalse();
    await room.call(endSession, { id: "run" });
    await room.call(openSession, { id: "run", project: "alpha", resume: true });
    await room.call(endRuntimeSession, { id: "run", project: "beta" });
    expect(await ended("run:resume:2")).toBeFalse();
    await room.call(endRuntimeSession, { id: "run", project: " ALPHA " });
    expect(await ended("run:resume:2")).toBeTrue();
  });

  test("makes no new session where everything has ended or nothing is known", async () => {
    using room = openMemories();
    await end(room);
    expect(ids(room)).toEqual([]);
    await room.session("run");
    await end(room);
    await end(room);
    await end(room);
    expect(ids(room)).toEqual(["run"]);
  });
});

describe("recent sessions", () => {
  test("come by latest activity, with the number of their live observations", async () => {
    using room = openMemories({ start: "2026-03-01T12:00:00Z" });
    for (const id of ["a", "b", "c"]) {
      await room.session(id);
      room.clock.advance({ minutes: 1 });
    }
    await room.saved({ session_id: "a", title: "late" });
    const gone = await room.saved({ session_id: "a", title: "gone" });
    await room.call(deleteObservation, { id: gone.id });
    await room.call(endSession, { id: "b", summary: "sum" });
    const { sessions } = await room.call(recentSessions, {});
    expect(sessions.map((s) => [s.id, s.observation_count])).toEqual([
      ["a", 1],
      ["c", 0],
      ["b", 0],
    ]);
    expect(sessions[2]).toEqual({
      id: "b",
      project: "alpha",
      started_at: "2026-03-01 12:01:00",
      ended_at: "2026-03-01 12:03:00",
      summary: "sum",
      observation_count: 0,
    });
  });

  test("are five of a project unless asked otherwise", async () => {
    using room = openMemories();
    for (let i = 0; i < 7; i++) await room.session(`s${i}`, i < 6 ? "alpha" : "beta");
    const count = async (input = {}) => (await room.call(recentSessions, input)).sessions.length;
    expect([
      await count(),
      await count({ limit: 100 }),
      await count({ limit: 0 }),
      await count({ project: "BETA" }),
      await count({ project: "none" }),
    ]).toEqual([5, 7, 5, 1, 0]);
  });
});

describe("deleting a session", () => {
  test("takes its prompts along and leaves their tombstones", async () => {
    using room = openMemories();
    await room.session();
    await room.call(savePrompt, { session_id: "s1", content: "asked" });
    expect(await room.call(deleteSession, { id: "s1" })).toEqual({ id: "s1" });
    expect(ids(room)).toEqual([]);
    expect(room.one("SELECT COUNT(*) FROM user_prompts")).toBe(0);
    expect(room.one("SELECT COUNT(*) FROM prompt_tombstones")).toBe(1);
  });

  test("is refused while it holds an observation, deleted ones too, and then nothing is lost", async () => {
    using room = openMemories();
    const { id } = await room.saved();
    await room.call(savePrompt, { session_id: "s1", content: "asked" });
    expect(await refusal(room.call(deleteSession, { id: "s1" }))).toMatchObject({
      kind: "conflict",
      message: expect.stringContaining("1 observation"),
    });
    await room.call(deleteObservation, { id });
    expect(await refusal(room.call(deleteSession, { id: "s1" }))).toMatchObject({ kind: "conflict" });
    expect(room.one("SELECT COUNT(*) FROM user_prompts")).toBe(1);
  });

  test("that is not there is not found", async () => {
    using room = openMemories();
    expect(await refusal(room.call(deleteSession, { id: 'a "b"' }))).toMatchObject({
      kind: "not_found",
      message: 'session not found: "a \\"b\\""',
    });
  });
});
