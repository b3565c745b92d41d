import { describe, expect, test } from "bun:test";
import { agentIn, folderOfRepositories } from "../../../test/support/agent.ts";
import { openMemories, refusal, type TestMemories } from "../../../test/support/memories.ts";
import { byteLength } from "../../kernel/text.ts";
import {
  agentContext,
  agentDoctor,
  agentGet,
  agentReview,
  agentSearch,
  agentStats,
  agentTimeline,
  agentUpdate,
  whereAmI,
} from "./agent-reads.ts";

const alpha = (room: TestMemories) => agentIn(room, room.directory("work", "Alpha"));

async function twoProjects(room: TestMemories): Promise<void> {
  await room.saved({ title: "Login loop", content: "redirects on Safari" });
  await room.saved({ title: "Login page", content: "is blue", project: "beta", session_id: "s2" });
}

describe("an agent's search", () => {
  test("looks into the current project, a named one, or all", async () => {
    using room = openMemories();
    await twoProjects(room);
    const agent = alpha(room);
    const titles = async (input: object) =>
      (await agent.call(agentSearch, { query: "login", ...input })).answer.hits.map(({ title }) => title).sort();
    expect(await titles({})).toEqual(["Login loop"]);
    expect(await titles({ project: "BETA" })).toEqual(["Login page"]);
    expect(await titles({ allProjects: true })).toEqual(["Login loop", "Login page"]);
    expect((await refusal(agent.call(agentSearch, { query: "login", project: "gamma" }))).details.error_code).toBe(
      "unknown_project",
    );
  });

  test("for personal memories looks everywhere, unless a project is named", async () => {
    using room = openMemories();
    await room.saved({ title: "Tabs", content: "I like tabs", project: "beta", scope: "personal", session_id: "s2" });
    await room.saved({ title: "Other", content: "tabs too" });
    const agent = alpha(room);
    expect((await agent.call(agentSearch, { query: "tabs", scope: " Personal " })).answer.hits).toMatchObject([
      { title: "Tabs" },
    ]);
    expect((await agent.call(agentSearch, { query: "tabs", scope: "personal", project: "alpha" })).answer.hits).toEqual([]);
  });

  test("says what it tried when it finds nothing, and needs words", async () => {
    using room = openMemories();
    await twoProjects(room);
    const agent = alpha(room);
    const { answer } = await agent.call(agentSearch, { query: "zeppelin" });
    expect(answer.hits).toEqual([]);
    expect(answer.tried.length).toBeGreaterThan(0);
    expect((await refusal(agent.call(agentSearch, { query: "  " }))).message).toContain("query is required");
  });

  test("is counted for the newest live session of the project, else for the manual one", async () => {
    using room = openMemories();
    const agent = alpha(room);
    const session = async (input: object = {}) => (await agent.call(agentSearch, { query: "x", ...input })).session;
    expect(await session()).toBe("manual-save-alpha");
    await room.session("first");
    room.clock.advance({ minutes: 1 });
    await room.session("second");
    expect(await session()).toBe("second");
    expect(await session({ allProjects: true })).toBe("");
  });
});

describe("an agent's context", () => {
  test("is that of the current project, with the counts of the whole store", async () => {
    using room = openMemories();
    await twoProjects(room);
    const { text, stats, session, resolved } = await alpha(room).call(agentContext);
    expect(text).toContain("Login loop");
    expect(text).not.toContain("Login page");
    expect(stats).toMatchObject({ total_observations: 2, total_sessions: 2 });
    expect({ session, project: resolved.project }).toEqual({ session: "s1", project: "alpha" });
  });

  test("stays within the bytes it was given; without a usable number, within its own", async () => {
    using room = openMemories();
    for (let i = 0; i < 30; i++)
      await room.saved({ title: `Nötiz ${i} ${"ü".repeat(100)}`, content: `${i} ${"ä".repeat(2000)}` });
    const agent = alpha(room);
    const size = async (maxBytes?: number) => byteLength((await agent.call(agentContext, { maxBytes })).text);
    expect(await size(1000)).toBeLessThanOrEqual(1000);
    for (const maxBytes of [undefined, 0, -5]) expect(await size(maxBytes)).toBeLessThanOrEqual(16_384);
    expect(await size(1000)).toBeGreaterThan(0);
  });

  test("of a store without memories is empty", async () => {
    using room = openMemories();
    expect((await alpha(room).call(agentContext)).text).toBe("");
  });
});

describe("one memory", () => {
  test("is read, whatever its project, beside the project of the directory", async () => {
    using room = openMemories();
    await twoProjects(room);
    expect(await alpha(room).call(agentGet, { id: 2 })).toMatchObject({
      resolved: { project: "alpha", source: "config" },
      observation: { title: "Login page", project: "beta" },
    });
  });

  test("tells its own project where the directory does not say one", async () => {
    using room = openMemories();
    await twoProjects(room);
    const agent = agentIn(room, folderOfRepositories(room, "many"));
    expect((await agent.call(agentGet, { id: 2 })).resolved).toEqual({ project: "beta", path: "", source: "stored_project" });
  });

  test("that is not there, or was deleted, is told by its number", async () => {
    using room = openMemories();
    await twoProjects(room);
    room.change("UPDATE observations SET deleted_at = '2026-01-01 00:00:00' WHERE id = 1");
    for (const id of [1, 9, -1])
      expect(await refusal(alpha(room).call(agentGet, { id }))).toMatchObject({
        kind: "not_found",
        message: `Observation #${id} not found`,
      });
  });

  test("is changed in the fields given, moved included, and nowhere else", async () => {
    using room = openMemories();
    await twoProjects(room);
    const agent = alpha(room);
    const { observation, truncation } = await agent.call(agentUpdate, { id: 1, content: "solved" });
    expect(observation).toMatchObject({ title: "Login loop", content: "solved", project: "alpha" });
    expect(truncation?.truncated ?? false).toBe(false);
    expect((await agent.call(agentUpdate, { id: 1, project: "beta" })).observation.project).toBe("beta");
    expect((await refusal(agent.call(agentUpdate, { id: 9, title: "x" }))).kind).toBe("not_found");
  });

  test("is shown among its neighbours; in a named project only when it is of that project", async () => {
    using room = openMemories();
    await twoProjects(room);
    await room.saved({ title: "Later", content: "still redirects" });
    const agent = alpha(room);
    const { timeline } = await agent.call(agentTimeline, { id: 1 });
    expect(timeline).toMatchObject({ focus: { id: 1 }, after: [{ title: "Later" }] });
    expect((await agent.call(agentTimeline, { id: 2 })).timeline.focus.id).toBe(2);
    expect((await refusal(agent.call(agentTimeline, { id: 2, project: "alpha" }))).message).toContain("not found");
  });
});

describe("reviews", () => {
  test("are of all projects unless one is named", async () => {
    using room = openMemories();
    await room.saved({ title: "A", content: "decided a", type: "decision" });
    await room.saved({ title: "B", content: "decided b", type: "decision", project: "beta", session_id: "s2" });
    room.clock.advance({ days: 400 });
    const agent = alpha(room);
    const all = await agent.call(agentReview);
    expect(all.items.map(({ observation }) => observation.title).sort()).toEqual(["A", "B"]);
    expect(all.resolved.source).toBe("all_projects");
    const one = await agent.call(agentReview, { project: "beta" });
    expect(one.items.map(({ observation }) => observation.title)).toEqual(["B"]);
    expect(one.resolved).toMatchObject({ project: "beta", source: "explicit_override" });
  });
});

describe("the store and the place", () => {
  test("counts are of the whole store, beside the project of the reader", async () => {
    using room = openMemories();
    await twoProjects(room);
    expect(await alpha(room).call(agentStats)).toMatchObject({
      resolved: { project: "alpha" },
      stats: { total_sessions: 2, total_observations: 2, total_prompts: 0, projects: expect.arrayContaining(["alpha", "beta"]) },
    });
  });

  test("the doctor looks at the current project, also before it has memories", async () => {
    using room = openMemories();
    const report = await alpha(room).call(agentDoctor);
    expect(report).toMatchObject({ status: "ok", project: "alpha" });
    expect(report.checks.length).toBeGreaterThan(0);
    expect((await alpha(room).call(agentDoctor, { check: "sqlite_lock_contention" })).checks).toHaveLength(1);
  });

  test("the current project is told with how it is known, never as a failure", async () => {
    using room = openMemories();
    expect(await alpha(room).call(whereAmI)).toMatchObject({ project: "alpha", source: "config" });
    expect(await agentIn(room, room.directory("plain")).call(whereAmI)).toMatchObject({
      project: "plain",
      source: "dir_basename",
    });
    expect(await agentIn(room, folderOfRepositories(room, "many")).call(whereAmI)).toMatchObject({
      project: "",
      source: "ambiguous",
      available: ["api", "web"],
      problem: { code: "ambiguous_project" },
    });
  });
});
