import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, symlinkSync } from "node:fs";
import { parse } from "node:path";
import { makeTree } from "../../test/support/repositories.ts";
import { type Detection, type DetectOptions, detectProject } from "./detect.ts";
import { createIdentity, readIdentity } from "./identity.ts";

const tree = makeTree(process.env);
afterAll(() => tree.remove());

const detect = (directory: string, options: Omit<DetectOptions, "cwd"> = {}) =>
  detectProject({ cwd: tree.path(directory), ceilings: [tree.root], ...options });

const bindingOf = (repository: string) => tree.path(repository, ".git/engram-project-identity.json");

describe("the project of a directory", () => {
  test("is what the process was told before anything else", async () => {
    tree.file("told/.engram/config.json", "{oops");
    const cwd = tree.path("told");
    const told: Omit<Detection, "project"> = { source: "process_override", path: "", cwd, available: [] };
    expect(await detect("told", { override: "by-flag" })).toEqual({ ...told, project: "by-flag" });
    expect(await detect("told", { override: "From Env" })).toEqual({
      ...told,
      project: "from env",
      warning: '⚠️ Project name normalized: "From Env" → "from env"',
    });
    expect((await detect("told", { override: "  " })).source).toBe("config");
    expect((await detect("told", { override: undefined })).source).toBe("config");
  });

  test("is locked by the nearest config file inside the repository", async () => {
    tree.repository("configured", "git@git.example.org:acme/ignored.git");
    tree.file("configured/.engram/config.json", '{"project_name": "  Locked Name "}');
    tree.file("configured/pkg/.engram/config.json", '{"project_name":"sub-lock"}');
    tree.directory("configured/pkg/src");
    expect(await detect("configured")).toEqual({
      project: "locked name",
      source: "config",
      path: tree.path("configured"),
      cwd: tree.path("configured"),
      available: [],
    });
    expect(await detect("configured/pkg/src")).toMatchObject({ project: "sub-lock", path: tree.path("configured/pkg") });
  });

  test("is locked outside a repository by the directory's own file only", async () => {
    tree.file("plaincfg/.engram/config.json", '{"project_name":"plain-lock"}');
    tree.directory("plaincfg/inner");
    expect(await detect("plaincfg")).toMatchObject({ project: "plain-lock", source: "config" });
    expect(await detect("plaincfg/inner")).toMatchObject({ project: "inner", source: "dir_basename" });
  });

  test("is unknown under an invalid config file, which git does not make up for", async () => {
    tree.repository("badcfg", "https://git.example.org/fine");
    tree.file("badcfg/.engram/config.json", '{"project_name":"a/b"}');
    expect(await detect("badcfg", { bind: true })).toEqual({
      project: "",
      source: "config",
      path: tree.path("badcfg"),
      cwd: tree.path("badcfg"),
      available: [],
      problem: {
        code: "invalid_project_config",
        hint: "invalid .engram/config.json: invalid .engram/config.json: project_name must be a name, not a path",
      },
    });
    expect(existsSync(bindingOf("badcfg"))).toBe(false);
  });

  test("is named by the remote, else by the root of its repository", async () => {
    tree.repository("Remote", "git@git.example.org:acme/Widget-Shop.git");
    tree.directory("Remote/sub/deep");
    tree.repository("Root");
    const cwd = tree.path("Remote/sub/deep");
    const remote: Detection = { project: "widget-shop", source: "git_remote", path: tree.path("Remote"), cwd, available: [] };
    expect(await detect("Remote/sub/deep")).toEqual(remote);
    const root: Detection = {
      project: "root",
      source: "git_root",
      path: tree.path("Root"),
      cwd: tree.path("Root"),
      available: [],
    };
    expect(await detect("Root")).toEqual(root);
  });

  test("is found where a symbolic link leads", async () => {
    symlinkSync(tree.path("Remote/sub"), tree.path("shortcut"));
    expect(await detect("shortcut")).toMatchObject({
      project: "widget-shop",
      path: tree.path("Remote"),
      cwd: tree.path("shortcut"),
    });
  });

  test("is not looked for above a ceiling", async () => {
    expect(await detect("Remote/sub/deep", { ceilings: [tree.path("Remote/sub")] })).toMatchObject({
      project: "deep",
      source: "dir_basename",
    });
  });

  test("is the directory's own name when nothing else is known", async () => {
    const cwd = tree.directory("Some Folder");
    const own: Detection = { project: "some folder", source: "dir_basename", path: cwd, cwd, available: [] };
    expect(await detect("Some Folder")).toEqual(own);
    expect(await detectProject({ cwd: `${cwd}/`, ceilings: [tree.root] })).toEqual(own);
    expect(await detect("does-not-exist")).toMatchObject({ project: "does-not-exist", source: "dir_basename" });
    expect(await detect("bad\0name")).toMatchObject({ project: "bad name", source: "dir_basename" });
    tree.directory("two\nlines");
    expect((await detect("two\nlines")).project).toBe("two lines");
  });

  test("is the directory's own name when it does not exist, even inside a repository", async () => {
    expect(await detect("Remote/gone")).toMatchObject({ project: "gone", source: "dir_basename" });
  });

  test("is called unknown at the root of the file system", async () => {
    const { project, source } = await detectProject({ cwd: parse(tree.root).root });
    if (source === "dir_basename") expect(project).toBe("unknown");
    tree.directory(" ");
    expect(await detect(" ")).toMatchObject({ project: "unknown", source: "dir_basename" });
  });
});

describe("repositories one level below", () => {
  test("make the project when there is exactly one", async () => {
    tree.repository("single/Only-Child");
    tree.directory("single/other");
    expect(await detect("single")).toEqual({
      project: "only-child",
      source: "git_child",
      path: tree.path("single/Only-Child"),
      cwd: tree.path("single"),
      available: [],
      warning: "auto-promoted child repository: only-child",
    });
  });

  test("give the name they have from inside: remote, binding or config file", async () => {
    tree.repository("around/Child", "git@git.example.org:acme/real-name.git");
    expect(await detect("around")).toMatchObject({
      project: "real-name",
      source: "git_child",
      warning: "auto-promoted child repository: real-name",
    });
    await createIdentity(tree.path("around/Child/.git"), "bound");
    expect(await detect("around")).toMatchObject({ project: "bound", source: "git_child" });
    tree.file("around/Child/.engram/config.json", '{"project_name":"Locked"}');
    expect(await detect("around")).toMatchObject({ project: "locked", source: "git_child", path: tree.path("around/Child") });
    tree.file("around/Child/.engram/config.json", "{}");
    expect(await detect("around")).toMatchObject({ project: "", problem: { code: "invalid_project_config" } });
  });

  test("give their directory's name when their .git is broken", async () => {
    tree.file("halfway/Odd/.git", "nonsense");
    expect(await detect("halfway")).toMatchObject({ project: "odd", source: "git_child" });
  });

  test("are a question when there are several", async () => {
    for (const name of ["One", "two", "three"]) tree.repository(`parent/${name}`);
    tree.directory("parent/notes");
    expect(await detect("parent")).toEqual({
      project: "",
      source: "ambiguous",
      path: tree.path("parent"),
      cwd: tree.path("parent"),
      available: ["one", "three"],
      problem: { code: "ambiguous_project", hint: "ambiguous project: multiple git repos found in cwd" },
    });
    expect(await detect("parent/two")).toMatchObject({ project: "two", source: "git_root" });
  });

  test("are forgotten when looking for them takes too long", async () => {
    let time = 0;
    const now = () => {
      time += 300;
      return time;
    };
    expect(await detect("parent", { now })).toMatchObject({ project: "parent", source: "dir_basename" });
  });
});

describe("the binding file", () => {
  test("is read always and written only when asked", async () => {
    tree.repository("quiet");
    await detect("quiet");
    await detect("quiet", { knownProjects: () => ["quiet"] });
    expect(existsSync(bindingOf("quiet"))).toBe(false);
    expect(await detect("quiet", { bind: true })).toMatchObject({ project: "quiet", source: "git_root" });
    expect(await readIdentity(tree.path("quiet/.git"))).toBe("quiet");
  });

  test("keeps the name when the remote changes, and the source says where it would come from", async () => {
    tree.repository("renamed", "https://git.example.org/old");
    await detect("renamed", { bind: true });
    tree.git("renamed", "remote", "set-url", "origin", "https://git.example.org/new");
    expect(await detect("renamed", { bind: true })).toMatchObject({ project: "old", source: "git_remote" });
    tree.git("renamed", "remote", "remove", "origin");
    expect(await detect("renamed")).toMatchObject({ project: "old", source: "git_root" });
  });

  test("is shared by linked worktrees", async () => {
    tree.repository("first", "https://git.example.org/shared");
    tree.git("first", "commit", "--quiet", "--allow-empty", "-m", "first");
    tree.git("first", "worktree", "add", "--quiet", "../linked");
    await detect("linked", { bind: true });
    expect(await readIdentity(tree.path("first/.git"))).toBe("shared");
  });

  test("is made for a single child repository too", async () => {
    tree.repository("outer/inner");
    await detect("outer", { bind: true });
    expect(await readIdentity(tree.path("outer/inner/.git"))).toBe("inner");
  });

  test("is not made while the directory has a history under other names", async () => {
    tree.repository("history", "https://git.example.org/new-name");
    tree.directory("history/sub");
    const asked: string[] = [];
    const knownProjects = (directory: string) => {
      asked.push(directory);
      return directory === tree.path("history") ? ["old-name", "older"] : [];
    };
    expect(await detect("history/sub", { bind: true, knownProjects })).toMatchObject({
      project: "new-name",
      source: "git_remote",
      warning:
        'this directory has memories under "old-name", "older", but its repository is called "new-name"; ' +
        "run `engram init <name>` here to choose the name to keep",
    });
    expect(asked).toEqual([tree.path("history/sub"), tree.path("history")]);
    expect(existsSync(bindingOf("history"))).toBe(false);

    const both = await detect("history", { bind: true, knownProjects: () => ["old-name", "New-Name"] });
    expect(both.warning).toBeUndefined();
    expect(await readIdentity(tree.path("history/.git"))).toBe("new-name");
  });

  test("is one for all who detect at once", async () => {
    tree.repository("crowd", "https://git.example.org/crowd-name");
    const answers = await Promise.all(Array.from({ length: 12 }, () => detect("crowd", { bind: true })));
    expect(new Set(answers.map((answer) => answer.project))).toEqual(new Set(["crowd-name"]));
  });

  test("warns of a history beside the promotion of a child", async () => {
    tree.repository("wrap/kid");
    const { warning } = await detect("wrap", { bind: true, knownProjects: () => ["wrap"] });
    expect(warning).toMatch(/^auto-promoted child repository: kid; this directory has memories under "wrap", /);
    expect(existsSync(bindingOf("wrap/kid"))).toBe(false);
  });
});
