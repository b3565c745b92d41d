import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { agentIn, folderOfRepositories } from "../../../test/support/agent.ts";
import { openMemories, refusal, type TestMemories } from "../../../test/support/memories.ts";
import { chooseSession, type Resolved, resolveForRead, resolveForWrite } from "./agent-project.ts";

const shop = (room: TestMemories) => agentIn(room, room.directory("work", "Shop"));

function brokenConfig(room: TestMemories): string {
  const cwd = room.directory("broken", "x");
  writeFileSync(room.path("broken", ".engram", "config.json"), "{");
  return cwd;
}

describe("the project of a read", () => {
  test("is the directory's, and says where that comes from", async () => {
    using room = openMemories();
    const { app } = shop(room);
    expect(await resolveForRead(app, {})).toMatchObject({ project: "shop", path: app.cwd, source: "config" });
    expect(await resolveForRead(app, { project: "  " })).toMatchObject({ project: "shop" });
  });

  test("is a known one that was named, whatever its case, or all of them", async () => {
    using room = openMemories();
    const { app } = shop(room);
    await room.saved({ project: "alpha" });
    expect(await resolveForRead(app, { project: " ALPHA " })).toEqual({
      project: "alpha",
      path: "",
      source: "explicit_override",
    });
    expect(await resolveForRead(app, { project: "al--pha", allProjects: true })).toEqual({
      project: "",
      path: "",
      source: "all_projects",
    });
  });

  test("is refused when nobody knows it, with those that exist, the latest first", async () => {
    using room = openMemories();
    const { app } = shop(room);
    await room.saved({ project: "alpha" });
    room.clock.advance({ minutes: 1 });
    await room.saved({ project: "beta", session_id: "s2" });
    const { message, details } = await refusal(resolveForRead(app, { project: "gamma" }));
    expect(message).toContain('"gamma"');
    expect(details).toMatchObject({ error_code: "unknown_project", available_projects: ["beta", "alpha"] });
    expect(details.hint).toContain("all_projects");
  });

  test("is refused where several could be meant, and where the config file is broken", async () => {
    using room = openMemories();
    for (const cwd of [folderOfRepositories(room, "many"), brokenConfig(room)])
      expect((await refusal(resolveForRead(agentIn(room, cwd).app, {}))).message).toContain("Project resolution failed: ");
  });
});

describe("the project of a write", () => {
  test("is the named one, before the session's, before the directory's", async () => {
    using room = openMemories();
    const { app } = shop(room);
    await room.session("s1", "alpha", "/srv/alpha");
    await room.saved({ project: "beta", session_id: "s2" });
    expect(await resolveForWrite(app, {})).toMatchObject({ project: "shop", source: "config" });
    expect(await resolveForWrite(app, { session: "s1" })).toEqual({ project: "alpha", path: "/srv/alpha", source: "session" });
    expect(await resolveForWrite(app, { session: "nobody" })).toMatchObject({ project: "shop" });
    expect(await resolveForWrite(app, { project: "Beta" })).toMatchObject({ project: "beta", source: "explicit_override" });
  });

  test("may be named when it is known, the session's own, or the directory's", async () => {
    using room = openMemories();
    const { app } = shop(room);
    await room.session("s1", "alpha");
    expect(await resolveForWrite(app, { project: "Alpha", session: "s1" })).toMatchObject({ project: "alpha" });
    expect(await resolveForWrite(app, { project: "SHOP" })).toMatchObject({ project: "shop" });
  });

  test("is refused when nobody knows it: a slip, told with the nearest names", async () => {
    using room = openMemories();
    const { app } = shop(room);
    await room.saved({ project: "billing" });
    const { details } = await refusal(resolveForWrite(app, { project: "biling" }));
    expect(details).toMatchObject({ error_code: "unknown_project", available_projects: ["billing", "shop"] });
    expect(details.hint).toContain("Nearest names: billing");
  });

  test("is refused when it is no name at all", async () => {
    using room = openMemories();
    const { app } = shop(room);
    for (const project of ["", "  ", "a/b", "..\\c", "line\nbreak"])
      expect({ project, details: (await refusal(resolveForWrite(app, { project }))).details }).toMatchObject({
        project,
        details: { error_code: "invalid_project" },
      });
  });

  test("is refused when its separators collapse into another project's name", async () => {
    using room = openMemories();
    const { app } = shop(room);
    await room.saved({ project: "foo-bar" });
    expect((await refusal(resolveForWrite(app, { project: "foo--bar" }))).details.error_code).toBe("project_name_collision");
  });

  test("is refused when the named session belongs to another", async () => {
    using room = openMemories();
    const { app } = shop(room);
    await room.session("s1", "alpha");
    await room.saved({ project: "beta", session_id: "s2" });
    const { message, details } = await refusal(resolveForWrite(app, { project: "beta", session: "s1" }));
    expect(details.error_code).toBe("session_project_mismatch");
    expect(message).toContain('"s1"');
    expect(message).toContain('"alpha"');
  });

  test("is the folder's own name where several repositories could be meant: with a warning and the candidates", async () => {
    using room = openMemories();
    const { app } = agentIn(room, folderOfRepositories(room, "Many--Things"));
    expect(await resolveForWrite(app, {})).toEqual({
      project: "many-things",
      path: app.cwd,
      source: "ambiguous",
      warning: 'several repositories here (api, web): assumed project "many-things"',
      candidates: ["api", "web"],
    });
  });

  test("tells the name as it was found where it is stored under another", async () => {
    using room = openMemories();
    const { app } = agentIn(room, room.directory("my--folder"));
    expect(await resolveForWrite(app, {})).toMatchObject({ project: "my-folder", found: "my--folder" });
  });

  test("is refused where the config file is broken, with what to do", async () => {
    using room = openMemories();
    const { app } = agentIn(room, brokenConfig(room));
    const { details } = await refusal(resolveForWrite(app, {}));
    expect(details).toMatchObject({ error_code: "invalid_project_config" });
    expect(details.hint).toContain(".engram/config.json");
  });
});

describe("the session of a write", () => {
  const resolved = (path: string): Resolved => ({ project: "shop", path, source: "config" });

  test("is the named one; one that nobody registered is made, with project and directory, and that is told", async () => {
    using room = openMemories();
    const { app } = shop(room);
    expect(chooseSession(app, resolved(app.cwd), "mine")).toEqual({ id: "mine", candidates: [], created: true });
    expect(chooseSession(app, resolved(app.cwd), "mine")).toEqual({ id: "mine", candidates: [], created: false });
    expect(room.rows("SELECT id, project, directory FROM sessions")).toEqual([
      { id: "mine", project: "shop", directory: app.cwd },
    ]);
  });

  test("is the project's manual one where none is live", async () => {
    using room = openMemories();
    const { app } = shop(room);
    await room.session("other", "alpha", app.cwd);
    expect(chooseSession(app, resolved(app.cwd), undefined)).toEqual({ id: "manual-save-shop", candidates: [], created: false });
    expect(room.one("SELECT project FROM sessions WHERE id = 'manual-save-shop'")).toBe("shop");
  });

  test("is the one live session of the project, in whatever directory", async () => {
    using room = openMemories();
    const { app } = shop(room);
    await room.session("only", "shop", "/elsewhere");
    await room.session("manual-save-shop", "shop", app.cwd);
    expect(chooseSession(app, resolved(app.cwd), undefined)).toEqual({ id: "only", candidates: [], created: false });
  });

  test("of several is the one somebody was in lately, or the one of this directory", async () => {
    using room = openMemories();
    const { app } = shop(room);
    await room.session("stale", "shop", app.cwd);
    room.clock.advance({ days: 8 });
    await room.session("fresh", "shop", "/elsewhere");
    expect(chooseSession(app, resolved(app.cwd), undefined).id).toBe("fresh");
    await room.session("here", "shop", app.cwd);
    expect(chooseSession(app, resolved(app.cwd), undefined)).toMatchObject({ id: "here", candidates: [] });
  });

  test("is nobody's where several could be meant: the manual one, with the candidates", async () => {
    using room = openMemories();
    const { app } = shop(room);
    await room.session("one", "shop", app.cwd);
    await room.session("two", "shop", app.cwd);
    const { id, candidates, created } = chooseSession(app, resolved(app.cwd), undefined);
    expect({ id, candidates: new Set(candidates), created }).toEqual({
      id: "manual-save-shop",
      candidates: new Set(["one", "two"]),
      created: false,
    });
  });

  test("leaves stale ones out of the candidates, unless all are stale", async () => {
    using room = openMemories();
    const { app } = shop(room);
    await room.session("old", "shop", "/a");
    await room.session("older", "shop", "/b");
    room.clock.advance({ days: 8 });
    expect(new Set(chooseSession(app, resolved(app.cwd), undefined).candidates)).toEqual(new Set(["old", "older"]));
    await room.session("new", "shop", "/a");
    await room.session("newer", "shop", "/b");
    expect(new Set(chooseSession(app, resolved(app.cwd), undefined).candidates)).toEqual(new Set(["new", "newer"]));
  });
});
