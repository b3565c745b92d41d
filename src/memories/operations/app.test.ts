import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { openMemories, refusal } from "../../../test/support/memories.ts";
import { chooseProject, isUnknown, positiveOr, requireOwner } from "./app.ts";
import { saveManual } from "./save.ts";

describe("the project of a read", () => {
  test("is everything, or the named one, or that of the directory, in this order", async () => {
    using room = openMemories();
    const cwd = room.directory("work", "Shop");
    const choose = (wanted: object) => chooseProject(room.app, wanted);
    expect(await choose({ allProjects: true, project: "blog", cwd })).toBeUndefined();
    expect(await choose({ project: " Blog ", cwd })).toBe("Blog");
    expect(await choose({ project: "  ", cwd })).toBe("shop");
    expect(await choose({ cwd })).toBe("shop");
    expect(await choose({ cwd: "" })).toBeUndefined();
    expect(await choose({})).toBeUndefined();
  });

  test("is refused where a directory could mean several, with the candidates", async () => {
    using room = openMemories();
    const cwd = room.directory("many");
    for (const name of ["one", "two"]) mkdirSync(room.path("many", name, ".git"), { recursive: true });
    expect(await refusal(chooseProject(room.app, { cwd }))).toMatchObject({
      kind: "conflict",
      details: { code: "ambiguous_project", available_projects: ["one", "two"], project_source: "ambiguous", project_path: cwd },
    });
  });

  test("is the folder's own where several could be meant and the reader is lenient", async () => {
    using room = openMemories();
    const cwd = room.directory("Many__Things");
    for (const name of ["one", "two"]) mkdirSync(room.path("Many__Things", name, ".git"), { recursive: true });
    const choose = (wanted: object) => chooseProject(room.app, { ...wanted, lenient: true });
    expect(await choose({ cwd })).toBe("many_things");
    expect(await choose({ cwd, project: "one" })).toBe("one");
    expect(await choose({ cwd, allProjects: true })).toBeUndefined();
    expect(await choose({ cwd: room.directory("work", "Shop") })).toBe("shop");
    const note = { type: "manual", title: "T", content: "C", cwd };
    expect((await room.call(saveManual, note)).outcome.observation.project).toBe("many_things");
  });

  test("is refused where the config file is broken", async () => {
    using room = openMemories();
    const cwd = room.directory("work", "shop");
    writeFileSync(room.path("work", ".engram", "config.json"), "{oops");
    for (const lenient of [false, true]) {
      expect(await refusal(chooseProject(room.app, { cwd, lenient }))).toMatchObject({
        kind: "invalid",
        details: { code: "invalid_project_config" },
      });
    }
  });
});

test("a project is known by any row that bears its name, in any case", async () => {
  using room = openMemories();
  await room.session("s1", "shop");
  expect(["shop", " SHOP ", "blog"].map((name) => isUnknown(room.app, name))).toEqual([false, false, true]);
});

test("a number that is missing or not positive is the usual one, and none is too large", () => {
  expect([positiveOr(undefined, 10), positiveOr(0, 10), positiveOr(-1, 10), positiveOr(3, 10), positiveOr(99, 10, 20)]).toEqual([
    10, 10, 10, 3, 20,
  ]);
});

test("an owner is compared by name, not by spelling, and only when one is expected", () => {
  for (const expected of [undefined, "", " ", "shop", " SHOP ", "Shop"]) requireOwner("shop", expected);
  requireOwner("My__App", "my_app");
  for (const owner of ["blog", null]) expect(() => requireOwner(owner, "shop")).toThrow("observation belongs to another project");
});
