import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, renameSync, rmSync, symlinkSync } from "node:fs";
import fc from "fast-check";
import { makeTree } from "../../test/support/repositories.ts";
import { findRepository, nameOfRepository, repositoryNameFromUrl } from "./git.ts";

const tree = makeTree(process.env);
const { GIT_CONFIG_GLOBAL, GIT_DIR, GIT_CEILING_DIRECTORIES, PATH } = process.env;
const usual = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_DIR, GIT_CEILING_DIRECTORIES, PATH };
beforeAll(() => setEnvironment(usual));
afterAll(() => {
  tree.remove();
  setEnvironment({ ...usual, GIT_CONFIG_GLOBAL });
});

function setEnvironment(values: Record<string, string | undefined>) {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

async function found(directory: string, ceilings: string[] = [tree.root]) {
  const repository = await findRepository(tree.path(directory), ceilings);
  return repository && { root: repository.root, ...(await nameOfRepository(repository)) };
}

function withCommit(path: string, remote?: string) {
  tree.repository(path, remote);
  tree.git(path, "commit", "--quiet", "--allow-empty", "-m", "first");
}

describe("the repository of a directory", () => {
  test("is found from its root and from far below", async () => {
    tree.repository("plain", "git@git.example.org:acme/Widget-Shop.git");
    tree.directory("plain/a/b");
    const expected = { root: tree.path("plain"), name: "widget-shop", source: "git_remote" } as const;
    expect(await found("plain")).toEqual(expected);
    expect(await found("plain/a/b")).toEqual(expected);
    expect(await found("plain/.git/hooks")).toEqual(expected);
  });

  test("without origin is called like its root", async () => {
    tree.repository("Root-Only");
    tree.git("Root-Only", "remote", "add", "upstream", "https://git.example.org/other.git");
    expect(await found("Root-Only")).toEqual({ root: tree.path("Root-Only"), name: "root-only", source: "git_root" });
  });

  test("whose origin has no usable name is called like its root", async () => {
    tree.repository("odd-origin");
    tree.git("odd-origin", "config", "remote.origin.url", "/");
    expect(await found("odd-origin")).toMatchObject({ name: "odd-origin", source: "git_root" });
    tree.git("odd-origin", "config", "remote.origin.url", "https://h/a\nb");
    expect(await found("odd-origin")).toMatchObject({ name: "odd-origin", source: "git_root" });
  });

  test("gives all linked worktrees the name of the first one, each with its own root", async () => {
    withCommit("primary");
    tree.git("primary", "worktree", "add", "--quiet", "../linked");
    tree.directory("linked/deep");
    expect(await found("linked/deep")).toEqual({ root: tree.path("linked"), name: "primary", source: "git_root" });
    tree.git("linked", "remote", "add", "origin", "https://git.example.org/shared");
    expect(await found("linked")).toMatchObject({ name: "shared", source: "git_remote" });
    expect(await found("primary")).toMatchObject({ name: "shared", source: "git_remote" });
  });

  test("gives the worktrees of a bare repository its name without .git", async () => {
    withCommit("seed");
    tree.git(".", "clone", "--quiet", "--bare", "seed", "Central.git");
    tree.git("Central.git", "remote", "remove", "origin");
    tree.git("Central.git", "worktree", "add", "--quiet", "../checkout");
    expect(await found("checkout")).toEqual({ root: tree.path("checkout"), name: "central", source: "git_root" });
  });

  test("gives the worktrees around a hidden bare repository the name of their folder", async () => {
    withCommit("seed2");
    tree.git(".", "clone", "--quiet", "--bare", "seed2", "Folder/.bare");
    tree.git("Folder/.bare", "remote", "remove", "origin");
    tree.git("Folder/.bare", "worktree", "add", "--quiet", "../feature");
    expect(await found("Folder/feature")).toMatchObject({ root: tree.path("Folder/feature"), name: "folder" });
    tree.file("Folder/.git", "gitdir: ./.bare\n");
    expect(await found("Folder")).toMatchObject({ root: tree.path("Folder"), name: "folder" });
  });

  test("is the submodule inside a submodule, also from its linked worktrees", async () => {
    withCommit("library");
    withCommit("super", "https://git.example.org/super");
    tree.git("super", "submodule", "--quiet", "add", tree.path("library"), "libs/Sub");
    tree.git("super/libs/Sub", "remote", "remove", "origin");
    expect(await found("super/libs/Sub")).toEqual({ root: tree.path("super/libs/Sub"), name: "sub", source: "git_root" });
    expect(await found("super/libs")).toMatchObject({ root: tree.path("super"), name: "super" });
    tree.git("super/libs/Sub", "worktree", "add", "--quiet", tree.path("sub-linked"));
    expect(await found("sub-linked")).toEqual({ root: tree.path("sub-linked"), name: "sub", source: "git_root" });
  });

  test("may have its git directory elsewhere or behind a link", async () => {
    tree.directory("apart");
    tree.git("apart", "init", "--quiet", "--separate-git-dir", tree.path("elsewhere"));
    expect(await found("apart")).toMatchObject({ root: tree.path("apart"), name: "apart" });
    tree.repository("moved");
    renameSync(tree.path("moved/.git"), tree.path("moved-git"));
    symlinkSync(tree.path("moved-git"), tree.path("moved/.git"));
    expect(await found("moved")).toMatchObject({ root: tree.path("moved"), name: "moved" });
  });

  test("is not there when .git is broken, and one further up is taken", async () => {
    tree.directory("broken/empty/.git");
    tree.file("broken/file/.git", "nonsense");
    tree.file("broken/nowhere/.git", "gitdir: /does/not/exist\n");
    tree.file("broken/nothing/.git", "gitdir: \n");
    for (const kind of ["empty", "file", "nowhere", "nothing"]) expect(await found(`broken/${kind}`)).toBeUndefined();
    tree.repository("broken");
    for (const kind of ["empty", "file", "nowhere", "nothing"]) expect((await found(`broken/${kind}`))?.name).toBe("broken");
  });

  test("may lack its config file or have a bad one", async () => {
    tree.repository("configless");
    rmSync(tree.path("configless/.git/config"));
    expect(await found("configless")).toMatchObject({ name: "configless", source: "git_root" });
    tree.file("configless/.git/config", '[remote "origin"]\nurl = https://h/kept.git\n[oops\n');
    expect(await found("configless")).toMatchObject({ name: "kept", source: "git_remote" });
  });

  test("is not a bare repository, which has no worktree", async () => {
    tree.git(".", "init", "--quiet", "--bare", "server.git");
    expect(await found("server.git")).toBeUndefined();
    expect(await found("server.git/hooks")).toBeUndefined();
  });
});

describe("ceilings", () => {
  const gitRoot = (directory: string, ceilings: string[]) => {
    setEnvironment({ GIT_CEILING_DIRECTORIES: ceilings.join(":") });
    try {
      return tree.git(directory, "rev-parse", "--show-toplevel");
    } catch {
      return undefined;
    } finally {
      setEnvironment(usual);
    }
  };

  test("stop the search where git stops", async () => {
    tree.repository("ceil");
    tree.directory("ceil/a/b");
    symlinkSync(tree.path("ceil/a"), tree.path("alias"));
    const at = (path: string) => tree.path(path);
    const cases: [directory: string, ceilings: string[], root: string | undefined][] = [
      ["ceil/a/b", [at("ceil/a")], undefined],
      ["ceil/a/b", [`${at("ceil/a")}/`], undefined],
      ["ceil/a/b", [at("ceil")], undefined],
      ["ceil/a", [at("ceil/a")], at("ceil")],
      ["ceil", [at("ceil")], at("ceil")],
      ["ceil", [tree.root], at("ceil")],
      ["ceil/a/b", ["/", tree.root], at("ceil")],
      ["ceil/a/b", [tree.root, at("ceil/a"), "/"], undefined],
      ["ceil/a/b", [at("ceil/a/b/c")], at("ceil")],
      ["ceil/a/b", [at("cei")], at("ceil")],
      ["ceil/a/b", ["ceil/a", "."], at("ceil")],
      ["ceil/a/b", [at("alias")], undefined],
      ["ceil/a/b", ["", at("alias")], at("ceil")],
      ["ceil/a/b", ["", at("ceil/a")], undefined],
      ["ceil/a/b", [at("missing")], at("ceil")],
    ];
    for (const [directory, ceilings, root] of cases) {
      expect([ceilings, (await found(directory, ceilings))?.root]).toEqual([ceilings, root]);
      expect([ceilings, gitRoot(directory, ceilings)]).toEqual([ceilings, root]);
    }
  });
});

describe("included config files", () => {
  test("are followed by asking git", async () => {
    tree.repository("including");
    tree.file("including/.git/more", '[remote "origin"]\nurl = https://git.example.org/included.git\n');
    tree.git("including", "config", "include.path", "more");
    expect(await found("including")).toMatchObject({ name: "included", source: "git_remote" });
  });

  test("come after the file's own address, as git has it", async () => {
    tree.repository("both", "https://git.example.org/written");
    tree.file("both/.git/more", '[remote "origin"]\nurl = https://git.example.org/included.git\n');
    tree.git("both", "config", "include.path", "more");
    expect(await found("both")).toMatchObject({ name: "written" });
  });

  test("are followed under their condition, in a linked worktree too", async () => {
    withCommit("conditional");
    tree.git("conditional", "worktree", "add", "--quiet", "../conditional-linked");
    tree.file("conditional/.git/more", '[remote "origin"]\nurl = https://git.example.org/on-main.git\n');
    tree.git("conditional", "config", "includeIf.onbranch:main.path", "more");
    expect(await found("conditional")).toMatchObject({ name: "on-main" });
    expect(await found("conditional-linked")).toMatchObject({ name: "conditional", source: "git_root" });
  });

  test("are those of this repository even where GIT_DIR names another", async () => {
    tree.repository("other-repository", "https://git.example.org/wrong");
    setEnvironment({ GIT_DIR: tree.path("other-repository/.git") });
    try {
      expect(await found("including")).toMatchObject({ name: "included" });
    } finally {
      setEnvironment(usual);
    }
  });

  test("are given up while git hangs, leaving what the file said", async () => {
    tree.file("bin/git", `#!/bin/sh\nsleep 8\necho over > "${tree.path("over")}"\n`);
    chmodSync(tree.path("bin/git"), 0o755);
    setEnvironment({ PATH: `${tree.path("bin")}:${PATH}` });
    try {
      expect(await found("both")).toMatchObject({ name: "written", source: "git_remote" });
      expect(existsSync(tree.path("over"))).toBe(false);
    } finally {
      setEnvironment(usual);
    }
  }, 20_000);

  test("leave what the file said when there is no git", async () => {
    setEnvironment({ PATH: tree.directory("no-programs") });
    try {
      expect(await found("both")).toMatchObject({ name: "written", source: "git_remote" });
    } finally {
      setEnvironment(usual);
    }
  });
});

describe("the name in a remote's address", () => {
  test.each([
    ["https://git.example.org/acme/web.app", "web.app"],
    ["https://git.example.org/acme/widget.git/", "widget"],
    ["https://user:secret@git.example.org:8443/acme/widget.git", "widget"],
    ["ssh://git@git.example.org:2222/acme/Widget.git", "Widget"],
    ["git@git.example.org:acme/Widget-Shop.git", "Widget-Shop"],
    ["git@git.example.org:solo.git", "solo"],
    ["host:~user/repo", "repo"],
    ["file:///srv/git/project.git", "project"],
    ["/srv/git/project", "project"],
    ["../sibling", "sibling"],
    ["/srv/git/project/.git", "project"],
    ["C:\\code\\My Repo\\", "My Repo"],
    ["\\\\server\\share\\repo.git", "repo"],
    ["https://git.example.org/a/twice.git.git", "twice.git"],
    ["codecommit::eu-west-1://profile@Shop", "Shop"],
    ["  https://git.example.org/a/b  ", "b"],
    ["..", ""],
    ["https://", ""],
    ["", ""],
  ])("%s is %s", (address, name) => {
    expect(repositoryNameFromUrl(address)).toBe(name);
  });

  test("never throws and never holds a slash", () => {
    const address = fc.oneof(
      fc.string(),
      fc.string({ unit: "binary" }),
      fc.webUrl(),
      fc.string({ unit: fc.constantFrom(..."a:@/\\. ~") }),
    );
    fc.assert(
      fc.property(address, (text) => !/[\\/]/.test(repositoryNameFromUrl(text))),
      { numRuns: 1000 },
    );
  });

  test("is the last part whatever stands before it", () => {
    const part = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,12}$/);
    const start = fc.constantFrom("https://h/", "ssh://git@h:22/", "git@h:", "/", "../", "C:\\", "file:///");
    const end = fc.constantFrom("", "/", ".git", ".git/", "\\");
    fc.assert(
      fc.property(start, fc.array(part), part, end, (prefix, middle, name, suffix) => {
        expect(repositoryNameFromUrl(prefix + [...middle, name].join("/") + suffix)).toBe(name);
      }),
    );
  });
});
