import { describe, expect, test } from "bun:test";
import { openMemories, refusal, type TestMemories } from "../../../test/support/memories.ts";
import { deleteObservation, recentObservations } from "./observations.ts";
import {
  deleteProject,
  listProjects,
  mergeProjects,
  migrateOrRescue,
  migrateProject,
  pruneProjects,
  rescueOwnership,
  stats,
} from "./projects.ts";
import { recentPrompts, savePrompt } from "./prompts.ts";
import { search } from "./search.ts";

/** Rows as older programs left them: names exactly as they were typed. */
function oldRows(room: TestMemories, project: string, session = `old-${project}`): void {
  const text = project.replaceAll("'", "''");
  room.change(`
    INSERT INTO sessions (id, project, directory) VALUES ('${session}', '${text}', '/srv/old');
    INSERT INTO observations (sync_id, session_id, type, title, content, project) VALUES ('obs-${session}', '${session}', 'manual', 'Old ${text}', 'old words', '${text}');
    INSERT INTO user_prompts (sync_id, session_id, content, project) VALUES ('prompt-${session}', '${session}', 'old question', '${text}');`);
}

const names = async (room: TestMemories) => (await room.call(listProjects, {})).map((project) => project.name);
const owners = (room: TestMemories) =>
  room
    .rows("SELECT project FROM observations UNION SELECT project FROM sessions UNION SELECT project FROM user_prompts ORDER BY 1")
    .map((row) => row.project);

describe("the list of projects", () => {
  test("counts live observations, sessions and prompts, the fullest first", async () => {
    using room = openMemories();
    await room.session("a1", "alpha", "/srv/a");
    await room.session("a2", "alpha", "/srv/z");
    await room.session("a3", "alpha", "/srv/a");
    await room.session("b1", "beta", "");
    await room.saved({ session_id: "a1", project: "alpha", title: "1" });
    await room.saved({ session_id: "b1", project: "beta", title: "1" });
    await room.saved({ session_id: "b1", project: "beta", title: "2" });
    const gone = await room.saved({ session_id: "a1", project: "alpha", title: "3" });
    await room.call(deleteObservation, { id: gone.id });
    await room.call(savePrompt, { session_id: "a1", content: "p" });
    await room.session("e", "empty");
    expect(await room.call(listProjects, {})).toEqual([
      { name: "beta", observation_count: 2, session_count: 1, prompt_count: 0, directories: [] },
      { name: "alpha", observation_count: 1, session_count: 3, prompt_count: 1, directories: ["/srv/a", "/srv/z"] },
      { name: "empty", observation_count: 0, session_count: 1, prompt_count: 0, directories: [] },
    ]);
  });

  test("is empty in an empty store, and has no nameless project", async () => {
    using room = openMemories();
    expect(await room.call(listProjects, {})).toEqual([]);
    oldRows(room, "");
    expect(await room.call(listProjects, {})).toEqual([]);
  });

  test("has each spelling that older programs left", async () => {
    using room = openMemories();
    for (const name of ["shop", "Shop", "my__app"]) oldRows(room, name);
    expect((await names(room)).sort()).toEqual(["Shop", "my__app", "shop"]);
  });
});

describe("statistics", () => {
  test("count live rows and name projects by latest activity", async () => {
    using room = openMemories();
    for (const project of ["alpha", "beta", "gamma"]) {
      await room.saved({ session_id: project, project, title: project });
      room.clock.advance({ minutes: 1 });
    }
    await room.saved({ session_id: "alpha", project: "alpha", title: "again" });
    await room.call(savePrompt, { session_id: "beta", content: "p" });
    const gone = await room.saved({ session_id: "gamma", project: "gamma", title: "gone" });
    await room.call(deleteObservation, { id: gone.id });
    expect(await room.call(stats, {})).toEqual({
      total_sessions: 3,
      total_observations: 4,
      total_prompts: 1,
      projects: ["alpha", "gamma", "beta"],
      project: undefined,
    });
    expect(await room.call(stats, { project: "ALPHA" })).toMatchObject({
      total_sessions: 1,
      total_observations: 2,
      total_prompts: 0,
      projects: ["alpha"],
    });
  });

  test("of an empty store are zeros and an empty list", async () => {
    using room = openMemories();
    expect(await room.call(stats, {})).toMatchObject({
      total_sessions: 0,
      total_observations: 0,
      total_prompts: 0,
      projects: [],
    });
  });
});

describe("reading a project that older programs spelled otherwise", () => {
  test("works in any case, and by the name it has", async () => {
    using room = openMemories();
    oldRows(room, "Shop");
    oldRows(room, "my__app");
    const count = async (project: string) => [
      (await room.call(recentObservations, { project })).observations.length,
      (await room.call(recentPrompts, { project })).prompts.length,
      (await room.call(search, { query: "words", project })).hits.length,
      (await room.call(stats, { project })).total_sessions,
    ];
    for (const project of ["shop", "SHOP", "Shop", "my__app", "MY__APP"]) expect(await count(project)).toEqual([1, 1, 1, 1]);
  });
});

describe("renaming a project", () => {
  test("moves every row, deleted ones too, and the search follows", async () => {
    using room = openMemories();
    await room.saved({ session_id: "a", project: "alpha", title: "Kept", content: "findable" });
    const gone = await room.saved({ session_id: "a", project: "alpha", title: "Gone" });
    await room.call(deleteObservation, { id: gone.id });
    await room.call(savePrompt, { session_id: "a", content: "p" });
    await room.saved({ session_id: "b", project: "beta" });
    expect(await room.call(migrateProject, { from: " Alpha ", to: "New__Name" })).toEqual({
      status: "migrated",
      from: "alpha",
      to: "new_name",
      moved: { observations: 2, sessions: 1, prompts: 1 },
    });
    expect(owners(room)).toEqual(["beta", "new_name"]);
    expect((await room.call(search, { query: "findable", project: "new_name" })).hits).toHaveLength(1);
    expect((await room.call(search, { query: "findable", project: "alpha" })).hits).toEqual([]);
  });

  test("moves every spelling of the old name", async () => {
    using room = openMemories();
    for (const name of ["my_app", "My_App", "my__app", "MY__app"]) oldRows(room, name);
    oldRows(room, "my-app");
    expect(await room.call(migrateProject, { from: "my__app", to: "app" })).toMatchObject({
      moved: { observations: 4, sessions: 4, prompts: 4 },
    });
    expect(owners(room)).toEqual(["app", "my-app"]);
  });

  test("is skipped where the names are one, or nobody has the old one", async () => {
    using room = openMemories();
    oldRows(room, "Shop");
    expect(await room.call(migrateProject, { from: "Shop", to: "shop" })).toEqual({
      status: "skipped",
      reason: "names are identical",
    });
    expect(await room.call(migrateProject, { from: "nobody", to: "shop" })).toEqual({
      status: "skipped",
      reason: "no records found",
    });
    expect(owners(room)).toEqual(["Shop"]);
  });

  test("needs both names", async () => {
    using room = openMemories();
    for (const [from, to] of [
      ["", "b"],
      ["a", "  "],
    ] as const) {
      expect(await refusal(room.call(migrateProject, { from, to }))).toMatchObject({
        kind: "invalid",
        message: "old_project and new_project are required",
      });
    }
  });
});

describe("merging spellings", () => {
  test("moves the named ones, taken literally, into the normal name", async () => {
    using room = openMemories();
    for (const name of ["Shop", "SHOP", "shop", "sh-op"]) oldRows(room, name);
    expect(await room.call(mergeProjects, { from: ["Shop", "shop", "SHOP"], to: "Shop" })).toEqual({
      to: "shop",
      moved: { observations: 2, sessions: 2, prompts: 2 },
    });
    expect(owners(room)).toEqual(["sh-op", "shop"]);
    expect(await room.call(mergeProjects, { from: ["Shop"], to: "shop" })).toMatchObject({
      moved: { observations: 0, sessions: 0, prompts: 0 },
    });
  });

  test("only says what it would move when asked to, and then moves just that", async () => {
    using room = openMemories();
    for (const name of ["Shop", "SHOP", "shop"]) oldRows(room, name);
    room.change("UPDATE observations SET deleted_at = '2026-01-01 00:00:00' WHERE project = 'SHOP'");
    const before = room.dump();
    const planned = await room.call(mergeProjects, { from: ["Shop", "SHOP", "shop"], to: "shop", apply: false });
    expect(room.dump()).toBe(before);
    expect(planned.moved).toMatchObject({ sessions: 2, prompts: 2 });
    expect((await room.call(mergeProjects, { from: ["Shop", "SHOP", "shop"], to: "shop" })).moved).toEqual(planned.moved);
  });

  test("needs names", async () => {
    using room = openMemories();
    expect(await refusal(room.call(mergeProjects, { from: ["a"], to: "  " }))).toMatchObject({ kind: "invalid" });
    expect(await refusal(room.call(mergeProjects, { from: [], to: "b" }))).toMatchObject({ kind: "invalid" });
  });
});

describe("deleting a project", () => {
  async function twoProjects(): Promise<TestMemories> {
    const room = openMemories();
    await room.saved({ session_id: "a", project: "alpha", title: "One" });
    await room.saved({ session_id: "a", project: "alpha", title: "Two" });
    await room.call(savePrompt, { session_id: "a", content: "p" });
    await room.saved({ session_id: "b", project: "beta" });
    return room;
  }

  test("softly hides its observations, removes its prompts and keeps its sessions", async () => {
    using room = await twoProjects();
    expect(await room.call(deleteProject, { name: "Alpha" })).toEqual({
      name: "Alpha",
      hard: false,
      deleted: { observations: 2, sessions: 0, prompts: 1 },
    });
    expect(
      (await room.call(listProjects, {})).map((p) => [p.name, p.observation_count, p.session_count, p.prompt_count]),
    ).toEqual([
      ["beta", 1, 1, 0],
      ["alpha", 0, 1, 0],
    ]);
    expect(room.one("SELECT COUNT(*) FROM observations WHERE deleted_at IS NOT NULL")).toBe(2);
    expect(room.one("SELECT COUNT(*) FROM prompt_tombstones")).toBe(1);
    expect(room.one("SELECT COUNT(*) FROM sync_delete_tombstones")).toBe(0);
  });

  test("for good removes everything, what was hidden before too, and nothing of others", async () => {
    using room = await twoProjects();
    await room.call(deleteObservation, { id: 1 });
    expect(await room.call(deleteProject, { name: "alpha", hard: true })).toMatchObject({
      deleted: { observations: 2, sessions: 1, prompts: 1 },
    });
    expect(owners(room)).toEqual(["beta"]);
    expect(room.one("SELECT COUNT(*) FROM sync_delete_tombstones")).toBe(2);
    expect(room.rows("PRAGMA foreign_key_check")).toEqual([]);
  });

  test("reaches every spelling of its name", async () => {
    using room = openMemories();
    for (const name of ["Shop", "shop", "my__app"]) oldRows(room, name);
    expect(await room.call(deleteProject, { name: "SHOP", hard: true })).toMatchObject({
      deleted: { observations: 2, sessions: 2, prompts: 2 },
    });
    expect(await room.call(deleteProject, { name: "my__app", hard: true })).toMatchObject({ deleted: { observations: 1 } });
    expect(owners(room)).toEqual([]);
  });

  test("keeps a session that holds rows of another project", async () => {
    using room = openMemories();
    await room.session("a", "alpha");
    await room.saved({ session_id: "a", project: "alpha" });
    room.change(
      "INSERT INTO observations (session_id, type, title, content, project) VALUES ('a', 'manual', 'Guest', 'x', 'beta')",
    );
    expect(await room.call(deleteProject, { name: "alpha", hard: true })).toMatchObject({
      deleted: { observations: 1, sessions: 0 },
    });
    expect((await room.call(recentObservations, {})).observations.map((o) => o.title)).toEqual(["Guest"]);
  });

  test("that nobody has is not found", async () => {
    using room = openMemories();
    expect(await refusal(room.call(deleteProject, { name: "ghost" }))).toMatchObject({
      kind: "not_found",
      message: 'project not found: "ghost"',
    });
    expect(await refusal(room.call(deleteProject, { name: "" }))).toMatchObject({ kind: "not_found" });
  });
});

describe("pruning", () => {
  test("removes sessions and prompts of projects without observations", async () => {
    using room = openMemories();
    await room.session("a", "/srv/path");
    await room.session("b", "empty");
    await room.call(savePrompt, { session_id: "b", content: "p" });
    await room.saved({ session_id: "c", project: "full" });
    expect(await room.call(pruneProjects, { names: ["/srv/path", "empty"] })).toEqual({
      observations: 0,
      sessions: 2,
      prompts: 1,
    });
    expect(await names(room)).toEqual(["full"]);
  });

  test("touches nothing of a project that holds an observation, though it was named", async () => {
    using room = openMemories();
    await room.saved({ session_id: "a", project: "full" });
    await room.session("b", "full");
    await room.call(savePrompt, { session_id: "b", content: "still wanted" });
    expect(await room.call(pruneProjects, { names: ["full"] })).toEqual({ observations: 0, sessions: 0, prompts: 0 });
    expect((await room.call(recentPrompts, {})).prompts).toHaveLength(1);
  });

  test("keeps a session whose observations are only hidden", async () => {
    using room = openMemories();
    const { id } = await room.saved({ session_id: "a", project: "hidden" });
    await room.call(deleteObservation, { id });
    await room.call(pruneProjects, { names: ["hidden"] });
    expect(room.rows("PRAGMA foreign_key_check")).toEqual([]);
    expect(room.one("SELECT COUNT(*) FROM sessions")).toBe(1);
  });
});

describe("rescuing rows without an owner", () => {
  test("gives them one, and names what it left alone", async () => {
    using room = openMemories();
    oldRows(room, "", "s-none");
    room.change("UPDATE observations SET project = NULL");
    await room.saved({ session_id: "b", project: "beta" });
    const outcome = await room.call(rescueOwnership, {
      project: " Shop ",
      observations: [1, 2, 99],
      sessions: ["s-none", "b", "ghost"],
      prompts: [1],
    });
    expect(outcome).toEqual({
      project: "shop",
      observations: 1,
      sessions: 1,
      prompts: 1,
      journaled: 0,
      blocked: [
        { kind: "session", id: "b", reason: "already_owned", owned_by: "beta" },
        { kind: "session", id: "ghost", reason: "not_found", owned_by: "" },
        { kind: "observation", id: 2, reason: "already_owned", owned_by: "beta" },
        { kind: "observation", id: 99, reason: "not_found", owned_by: "" },
      ],
    });
    expect(owners(room)).toEqual(["beta", "shop"]);
    expect(
      await room.call(rescueOwnership, { project: "shop", observations: [1], sessions: ["s-none"], prompts: [1] }),
    ).toMatchObject({
      observations: 0,
      sessions: 0,
      prompts: 0,
      blocked: [],
    });
  });

  test("needs an owner and something to own", async () => {
    using room = openMemories();
    expect(await refusal(room.call(rescueOwnership, { project: " ", observations: [1] }))).toMatchObject({ kind: "invalid" });
    expect(await refusal(room.call(rescueOwnership, { project: "shop" }))).toMatchObject({ kind: "invalid" });
  });
});

test("one operation serves both generations: a rename, or a rescue", async () => {
  using room = openMemories();
  oldRows(room, "alpha", "a");
  expect(await room.call(migrateOrRescue, { rename: { from: "alpha", to: "beta" } })).toMatchObject({
    migration: { status: "migrated" },
  });
  expect(
    await room.call(migrateOrRescue, { rescue: { project: "x", observations: [1], sessions: [], prompts: [] } }),
  ).toMatchObject({
    rescue: { blocked: [{ owned_by: "beta" }] },
  });
  expect(await refusal(room.call(migrateOrRescue, {}))).toMatchObject({ kind: "invalid" });
});
