import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { makeTree } from "../../test/support/repositories.ts";
import { createIdentity, readIdentity } from "./identity.ts";

const tree = makeTree(process.env);
afterAll(() => tree.remove());

const FILE = "engram-project-identity.json";
const ID = "0123456789abcdef0123456789abcdef";

describe("the binding of a repository", () => {
  test("is written whole, for the owner alone, and read back", async () => {
    const directory = tree.directory("written");
    expect(await createIdentity(directory, "shop")).toBe("shop");
    expect(readdirSync(directory)).toEqual([FILE]);
    expect(readFileSync(tree.path("written", FILE), "utf8")).toMatch(/^\{"version":1,"id":"[0-9a-f]{32}","project":"shop"\}$/);
    expect(statSync(tree.path("written", FILE)).mode & 0o777).toBe(0o600);
    expect(await readIdentity(directory)).toBe("shop");
  });

  test("stays with whoever was first", async () => {
    const directory = tree.directory("taken");
    await createIdentity(directory, "first");
    const text = readFileSync(tree.path("taken", FILE), "utf8");
    expect(await createIdentity(directory, "second")).toBe("first");
    expect(readFileSync(tree.path("taken", FILE), "utf8")).toBe(text);
    expect(readdirSync(directory)).toEqual([FILE]);
  });

  test("is the same for all who create it at once", async () => {
    for (let round = 0; round < 10; round++) {
      const directory = tree.directory(`race-${round}`);
      const names = Array.from({ length: 16 }, (_, i) => `name-${i}`);
      const answers = await Promise.all(names.map((name) => createIdentity(directory, name)));
      expect(new Set(answers).size).toBe(1);
      expect(names).toContain(answers[0]!);
      expect(await readIdentity(directory)).toBe(answers[0]!);
      expect(readdirSync(directory)).toEqual([FILE]);
    }
  });

  test("is the same for all processes that create it at once", async () => {
    const directory = tree.directory("processes");
    const module = JSON.stringify(new URL("./identity.ts", import.meta.url).pathname);
    const children = Array.from({ length: 6 }, (_, i) => {
      const code = `const { createIdentity } = await import(${module}); console.log(await createIdentity(${JSON.stringify(directory)}, "p${i}"));`;
      return Bun.spawn([process.execPath, "-e", code], { stdout: "pipe" });
    });
    const answers = await Promise.all(children.map((child) => new Response(child.stdout).text()));
    expect(new Set(answers)).toEqual(new Set([`${await readIdentity(directory)}\n`]));
    expect(readdirSync(directory)).toEqual([FILE]);
  });

  test("gives its name in lower case, as it was found", async () => {
    tree.file(`spelled/${FILE}`, `{"version":1,"id":"${ID}","project":" My--Shop ","more":true}`);
    expect(await readIdentity(tree.path("spelled"))).toBe("my--shop");
  });

  test.each([
    ["is not JSON", "{oops"],
    ["is empty", ""],
    ["is not an object", "null"],
    ["has another version", `{"version":2,"id":"${ID}","project":"x"}`],
    ["has no id", '{"version":1,"project":"x"}'],
    ["has a short id", '{"version":1,"id":"abc","project":"x"}'],
    ["has no name", `{"version":1,"id":"${ID}"}`],
    ["has an empty name", `{"version":1,"id":"${ID}","project":" "}`],
    ["has a path for a name", `{"version":1,"id":"${ID}","project":"a/b"}`],
  ])("counts as absent and is left alone when the file %s", async (_, text) => {
    const file = tree.file(`invalid/${FILE}`, text);
    expect(await readIdentity(tree.path("invalid"))).toBeUndefined();
    expect(await createIdentity(tree.path("invalid"), "x")).toBeUndefined();
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(readdirSync(tree.path("invalid"))).toEqual([FILE]);
  });

  test("is silently not made where nothing can be written", async () => {
    expect(await createIdentity(tree.path("missing"), "x")).toBeUndefined();
    expect(await createIdentity(tree.file("a-file", ""), "x")).toBeUndefined();
    const locked = tree.directory("locked");
    chmodSync(locked, 0o500);
    // Root may write anywhere.
    expect(await createIdentity(locked, "x")).toBe(process.getuid?.() === 0 ? "x" : undefined);
    chmodSync(locked, 0o700);
  });
});
