import { afterAll, describe, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { makeTree } from "../../test/support/repositories.ts";
import { findChildRepositories } from "./child-repos.ts";

const tree = makeTree(process.env);
afterAll(() => tree.remove());

const scan = (directory: string, now: () => number = () => 0) => findChildRepositories(tree.path(directory), now);

describe("the repositories one level below", () => {
  test("have a .git that is a directory or a file", async () => {
    tree.directory("kinds/a/.git");
    tree.file("kinds/b/.git", "gitdir: ../elsewhere\n");
    tree.directory("kinds/c");
    expect(await scan("kinds")).toEqual(["a", "b"]);
  });

  test("are at most two, the first in byte order", async () => {
    for (const name of ["two", "three", "One", "Älter"]) tree.directory(`order/${name}/.git`);
    expect(await scan("order")).toEqual(["One", "three"]);
  });

  test("are not looked for deeper, in hidden folders, in folders of tools or behind links", async () => {
    const skipped = ["node_modules", "vendor", ".venv", "__pycache__", "target", "dist", "build", ".idea", ".vscode", ".hidden"];
    for (const name of skipped) tree.directory(`noise/${name}/.git`);
    tree.directory("noise/deep/er/.git");
    tree.directory("outside/.git");
    symlinkSync(tree.path("outside"), tree.path("noise/link"));
    tree.file("noise/file", "");
    expect(await scan("noise")).toEqual([]);
  });

  test("are looked for in the first twenty folders that count", async () => {
    for (let i = 10; i < 29; i++) tree.directory(`many/d${i}`);
    for (const name of [".a", ".b", "build"]) tree.directory(`many/${name}`);
    tree.directory("many/d29/.git");
    tree.directory("many/d30/.git");
    expect(await scan("many")).toEqual(["d29"]);
    tree.directory("many/d0");
    expect(await scan("many")).toEqual([]);
  });

  test("count as none when the scan takes longer than 200 ms", async () => {
    const clock = (step: number) => {
      let time = 0;
      return () => {
        time += step;
        return time;
      };
    };
    expect(await scan("order", clock(1))).toEqual(["One", "three"]);
    expect(await scan("order", clock(300))).toEqual([]);
  });

  test("are none where there is no directory", async () => {
    expect(await scan("missing")).toEqual([]);
    expect(await scan("noise/file")).toEqual([]);
  });
});
