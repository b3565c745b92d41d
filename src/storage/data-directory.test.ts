import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { countingIds, refusal } from "../../test/support/memories.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { instanceId, isNetworkFileSystem, prepareDataDirectory } from "./data-directory.ts";

const EXT4 = 0xef53;
const NETWORK = { nfs: 0x6969, smb: 0x517b, cifs: 0xff534d42, smb2: 0xfe534d42 };
const permissions = (path: string) => statSync(path).mode & 0o777;

describe("the data folder", () => {
  test("is made with its parents, for its owner alone", () => {
    using folder = tempFolder();
    const path = folder.path("a", "b");
    prepareDataDirectory(path);
    expect(permissions(path)).toBe(0o700);
    prepareDataDirectory(path);
  });

  test("is refused where the path is relative, before anything is made", async () => {
    const error = await refusal(() => prepareDataDirectory("engram-relative-folder"));
    expect(error).toMatchObject({ kind: "unavailable" });
    expect(error.message).toContain("must be an absolute path");
    expect(existsSync("engram-relative-folder")).toBeFalse();
  });

  test("is refused where a file stands in its way", async () => {
    using folder = tempFolder();
    writeFileSync(folder.path("taken"), "");
    expect((await refusal(() => prepareDataDirectory(folder.path("taken")))).kind).toBe("unavailable");
    expect((await refusal(() => prepareDataDirectory(folder.path("taken", "below")))).kind).toBe("unavailable");
  });

  for (const [name, type] of Object.entries(NETWORK)) {
    test(`is refused on a network share (${name}), in whichever way the system writes its number`, async () => {
      using folder = tempFolder();
      for (const reported of [type, type | 0]) {
        const error = await refusal(() => prepareDataDirectory(folder.root, () => reported));
        expect(error.kind).toBe("unavailable");
        expect(error.message).toContain("network share");
        expect(error.message).toContain("ENGRAM_DATA_DIR");
      }
    });
  }

  test("is taken on a local disk, and where the system cannot tell", () => {
    using folder = tempFolder();
    prepareDataDirectory(folder.root, () => EXT4);
    prepareDataDirectory(folder.root, () => {
      throw new Error("not supported");
    });
    expect(isNetworkFileSystem(EXT4)).toBeFalse();
  });
});

describe("the identity of a store", () => {
  test("is made once, private, and stays", () => {
    using folder = tempFolder();
    const ids = countingIds(41);
    const first = instanceId(folder.root, ids);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(instanceId(folder.root, ids)).toBe(first);
    expect(readFileSync(folder.path("instance-id"), "utf8")).toBe(`${first}\n`);
    expect(permissions(folder.path("instance-id"))).toBe(0o600);
    expect(readdirSync(folder.root)).toEqual(["instance-id"]);
  });

  test("is that of whoever came first, also when both looked before either wrote", () => {
    using folder = tempFolder();
    let winner = "";
    const slow = {
      hex(bytes: number) {
        winner = instanceId(folder.root, countingIds(7));
        return "f".repeat(bytes * 2);
      },
    };
    expect(instanceId(folder.root, slow)).toBe(winner);
    expect(winner).not.toStartWith("ff");
    expect(readdirSync(folder.root)).toEqual(["instance-id"]);
  });

  test("is one and the same for many processes that start together", async () => {
    using folder = tempFolder();
    const script = `
      import { instanceId } from ${JSON.stringify(`${import.meta.dir}/data-directory.ts`)};
      import { randomIds } from ${JSON.stringify(`${import.meta.dir}/../kernel/ids.ts`)};
      process.stdout.write(instanceId(${JSON.stringify(folder.root)}, randomIds));`;
    const children = Array.from({ length: 6 }, () => Bun.spawn([process.execPath, "-e", script], { env: {}, stdout: "pipe" }));
    const answers = await Promise.all(children.map((child) => new Response(child.stdout).text()));
    await Promise.all(children.map((child) => child.exited));
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toBe(readFileSync(folder.path("instance-id"), "utf8").trim());
    expect(readdirSync(folder.root)).toEqual(["instance-id"]);
  });

  test("replaces a file that holds none", () => {
    using folder = tempFolder();
    writeFileSync(folder.path("instance-id"), "not an id\n", { mode: 0o644 });
    const made = instanceId(folder.root, countingIds());
    expect(instanceId(folder.root, countingIds(5))).toBe(made);
    expect(permissions(folder.path("instance-id"))).toBe(0o600);
  });

  test("fails, and leaves nothing behind, where none can be written", () => {
    using folder = tempFolder();
    mkdirSync(folder.path("instance-id"));
    expect(() => instanceId(folder.root, countingIds())).toThrow();
    expect(readdirSync(folder.root)).toEqual(["instance-id"]);
  });
});
