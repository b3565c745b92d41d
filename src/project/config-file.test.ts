import { afterAll, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { makeTree } from "../../test/support/repositories.ts";
import { EngramError } from "../kernel/errors.ts";
import { findProjectConfig, writeProjectConfig } from "./config-file.ts";

const tree = makeTree(process.env);
afterAll(() => tree.remove());

describe("the config file of a directory", () => {
  test("is the nearest one up to the top, and no further", async () => {
    tree.file("outer/.engram/config.json", '{"project_name": "  Locked Name "}');
    tree.file("outer/pkg/.engram/config.json", '{"project_name":"sub-lock"}');
    tree.directory("outer/pkg/src/deep");
    tree.directory("outer/docs");
    const find = (directory: string, top: string) => findProjectConfig(tree.path(directory), tree.path(top));
    expect(await find("outer", "outer")).toEqual({ directory: tree.path("outer"), name: "locked name" });
    expect(await find("outer/docs", "outer")).toEqual({ directory: tree.path("outer"), name: "locked name" });
    expect(await find("outer/pkg/src/deep", "outer")).toEqual({ directory: tree.path("outer/pkg"), name: "sub-lock" });
    expect(await find("outer/pkg/src/deep", "outer/pkg/src")).toBeUndefined();
    expect(await find("outer/docs", "outer/docs")).toBeUndefined();
  });

  test("may start with a byte order mark and hold other keys", async () => {
    tree.file("marked/.engram/config.json", '\uFEFF{"other":1,"project_name":"x"}');
    expect(await findProjectConfig(tree.path("marked"), tree.path("marked"))).toMatchObject({ name: "x" });
  });

  test("is absent where .engram is a file", async () => {
    tree.file("file/.engram", "");
    expect(await findProjectConfig(tree.path("file"), tree.path("file"))).toBeUndefined();
  });

  const PREFIX = "invalid .engram/config.json: ";
  test.each([
    ['{"project_name":"  "}', `${PREFIX}${PREFIX}project_name is required`],
    ["{}", `${PREFIX}${PREFIX}project_name is required`],
    ["null", `${PREFIX}${PREFIX}project_name is required`],
    ['{"project_name":null}', `${PREFIX}${PREFIX}project_name is required`],
    ['{"project_name":"a/b"}', `${PREFIX}${PREFIX}project_name must be a name, not a path`],
    ['{"project_name":"a\\\\b"}', `${PREFIX}${PREFIX}project_name must be a name, not a path`],
    ['{"project_name":"a\\u0000b"}', `${PREFIX}${PREFIX}project_name must not contain control characters`],
    ['{"project_name": 5}', `${PREFIX}parse FILE: project_name must be of type string, not number`],
    ['{"project_name": ["a"]}', `${PREFIX}parse FILE: project_name must be of type string, not array`],
    ["[]", `${PREFIX}parse FILE: it must hold a JSON object`],
    ["{oops", `${PREFIX}parse FILE: `],
    ["", `${PREFIX}parse FILE: `],
  ])("with %s is invalid", async (text, hint) => {
    const file = tree.file("invalid/.engram/config.json", text);
    const found = await findProjectConfig(tree.path("invalid"), tree.path("invalid"));
    expect(found).toEqual({ directory: tree.path("invalid"), hint: expect.stringContaining(hint.replace("FILE", file)) });
    expect(found).toEqual({ directory: tree.path("invalid"), hint: expect.stringMatching(/^[^\n]+$/) });
  });

  test("is invalid when it cannot be read", async () => {
    tree.directory("folder/.engram/config.json");
    const found = await findProjectConfig(tree.path("folder"), tree.path("folder"));
    expect(found).toEqual({
      directory: tree.path("folder"),
      hint: `${PREFIX}read ${tree.path("folder/.engram/config.json")}: it is not a file`,
    });
  });

  test("does not hang detection when it is a pipe", async () => {
    tree.directory("pipe/.engram");
    execFileSync("mkfifo", [tree.path("pipe/.engram/config.json")]);
    expect(await findProjectConfig(tree.path("pipe"), tree.path("pipe"))).toMatchObject({ hint: expect.any(String) });
  });
});

describe("writing the config file", () => {
  const failure = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: unknown) => error as EngramError,
    );

  test("makes the folder and answers the path", async () => {
    const path = await writeProjectConfig(tree.directory("fresh"), " My Shop ", { force: false });
    expect(path).toBe(tree.path("fresh/.engram/config.json"));
    expect(readFileSync(path, "utf8")).toBe('{\n  "project_name": "my shop"\n}\n');
    expect(await findProjectConfig(tree.path("fresh"), tree.path("fresh"))).toMatchObject({ name: "my shop" });
  });

  test("refuses to replace a file unless forced", async () => {
    const path = tree.file("present/.engram/config.json", "{oops");
    const error = await failure(writeProjectConfig(tree.path("present"), "new", { force: false }));
    expect(error).toBeInstanceOf(EngramError);
    expect(error?.kind).toBe("conflict");
    expect(error?.message).toBe(`${path} already exists; use --force to replace it`);
    expect(readFileSync(path, "utf8")).toBe("{oops");
    await writeProjectConfig(tree.path("present"), "new", { force: true });
    expect(readFileSync(path, "utf8")).toBe('{\n  "project_name": "new"\n}\n');
    expect(readdirSync(tree.path("present/.engram"))).toEqual(["config.json"]);
  });

  test("refuses names that reading would refuse", async () => {
    for (const name of ["", "  ", "a/b", "a\\b", "a\nb"]) {
      expect((await failure(writeProjectConfig(tree.directory("named"), name, { force: true })))?.kind).toBe("invalid");
    }
    expect(readdirSync(tree.path("named"))).toEqual([]);
  });

  test("says so when the folder cannot be made or the file not replaced", async () => {
    tree.file("blocked/.engram", "");
    for (const force of [false, true]) {
      const error = await failure(writeProjectConfig(tree.path("blocked"), "x", { force }));
      expect([error?.kind, error?.message]).toEqual(["unavailable", expect.stringContaining("could not be written")]);
    }
    tree.directory("blocked-file/.engram/config.json");
    expect((await failure(writeProjectConfig(tree.path("blocked-file"), "x", { force: true })))?.kind).toBe("unavailable");
    expect(readdirSync(tree.path("blocked-file/.engram"))).toEqual(["config.json"]);
  });
});
