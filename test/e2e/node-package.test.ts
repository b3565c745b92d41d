// The npm package on Node: the same program without Bun. Its standard error stays as clean as the executable's.
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "../../src/app/version.ts";
import { callServer } from "../../src/client/client.ts";
import { isFree } from "../support/ports.ts";
import { type Place, ROOT, usePlaces } from "../support/process.ts";
import { describeUnless, testUnless } from "../support/skip.ts";
import { count, integrity } from "../support/sqlite-file.ts";

const place = usePlaces();
const PACKAGE = join(ROOT, "dist", "npm");
const SCRIPT = join(PACKAGE, "engram.mjs");
const NODE = join(ROOT, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");

function versionOf(node: string): [major: number, minor: number] | undefined {
  const { status, stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
  const [major, minor] = status === 0 ? stdout.trim().slice(1).split(".").map(Number) : [];
  return major === undefined || minor === undefined ? undefined : [major, minor];
}
const isOld = ([major, minor]: [number, number]): boolean => major < 22 || (major === 22 && minor < 13);

function reason(): string | undefined {
  if (!existsSync(SCRIPT)) return "dist/npm is missing: npm run build";
  const version = versionOf(NODE);
  if (version === undefined || isOld(version)) return "the npm package `node` is not installed";
  return undefined;
}

const program = [NODE, SCRIPT];
const storeOf = ({ data }: Place): string => join(data, "engram.db");

describeUnless(reason(), "the npm package on Node", () => {
  test("saves, searches and tells its version without a warning", async () => {
    const here = place();
    const run = async (...words: string[]) => {
      const { code, stdout, stderr } = await here.run(words, { program });
      expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: "" });
      return stdout;
    };
    expect(await run("version")).toBe(`engram ${VERSION}\n`);
    expect(await run("save", "On Node", "the same program")).toBe('Memory saved: #1 "On Node" (manual)\n');
    expect(await run("search", "program")).toStartWith("Found 1 memories:\n\n[1] #1 (manual) — On Node\n");
    expect(await run("export", "out.json")).toContain("Observations: 1");
    expect(await run("import", "out.json")).toContain("Imported from out.json");
    expect(JSON.parse(await run("doctor", "--json"))).toMatchObject({ status: "ok" });
    expect(JSON.parse(await run("test", "--quick", "--json"))).toMatchObject({ ok: true });
    expect(integrity(storeOf(here))).toBe("ok");
  });

  test("serves, keeps what it answers, and ends cleanly", async () => {
    const here = place();
    const server = await here.serve({ program });
    const post = (path: string, body: object) =>
      fetch(`${server.url}${path}`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      });
    const health = await fetch(`${server.url}/health`);
    expect(await health.json()).toMatchObject({ status: "ok", version: VERSION });
    expect((await post("/sessions", { id: "s", project: "p" })).status).toBe(201);
    expect((await post("/observations", { session_id: "s", title: "t", content: "over HTTP" })).status).toBe(201);
    expect((await post("/observations", { session_id: "s", title: "t", content: "x".repeat(2 * 1024 * 1024) })).status).toBe(413);
    expect((await fetch(`${server.url}/export`)).headers.get("content-disposition")).toContain("attachment");
    expect((await fetch(`${server.url}/nowhere`)).status).toBe(404);
    expect((await fetch(`${server.url}/stats`, { headers: { origin: "https://evil.example" } })).status).toBe(403);
    const long = await fetch(`${server.url}/search?q=${"x".repeat(100_000)}`);
    expect({ status: long.status, body: await long.text() }).toEqual({ status: 200, body: "[]\n" });
    expect(await server.stop()).toMatchObject({ code: 0, signal: null, stderr: "" });
    expect(await isFree(server.port)).toBe(true);
    expect(count(storeOf(here), "observations")).toBe(1);
  });

  test("knows a server on the same store, and one on another", async () => {
    const [here, there] = [place(), place()];
    const server = await here.serve({ program });
    const again = await here.run(["serve", String(server.port)], { program });
    expect({ code: again.code, says: again.stderr.includes("already serving") }).toEqual({ code: 0, says: true });
    const other = await there.run(["serve", String(server.port)], { program });
    expect(other.code).toBe(1);
    expect(other.stderr).toMatch(/^engram: [^\n]*another store[^\n]*\n$/);
  });

  testUnless(process.platform === "win32" ? "no POSIX sockets here" : undefined, "listens on a private socket", async () => {
    const here = place();
    const socket = join(here.root, "engram.sock");
    const child = here.start(["serve", "--socket", socket], { program });
    const healthy = () =>
      callServer({ socket }, { method: "GET", path: "/health" }).then(
        ({ status }) => status === 200,
        () => false,
      );
    for (let left = 500; left > 0 && !(await healthy()); left--) await Bun.sleep(20);
    expect(lstatSync(socket).mode & 0o777).toBe(0o600);
    child.signal("SIGTERM");
    expect(await child.ended).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(socket)).toBe(false);
  });

  test("and the executable work on one store in turns", async () => {
    const here = place();
    for (let i = 0; i < 4; i++) {
      const { code, stderr } = await here.run(["save", `t${i}`, `turn ${i}`, "--project", "p"], i % 2 === 0 ? { program } : {});
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    }
    expect(count(storeOf(here), "observations")).toBe(4);
    const ids = [await here.run(["instance-id"], { program }), await here.run(["instance-id"])].map(({ stdout }) => stdout);
    expect(ids[0]).toBe(ids[1] as string);
    expect(integrity(storeOf(here))).toBe("ok");
  });

  test("refuses a file that is not ours in one sentence", async () => {
    const here = place();
    const { code, stderr } = await here.run(["stats"], { program, env: { ENGRAM_DATA_DIR: "relative" } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^engram: [^\n]+\n$/);
  });

  test("says what it is and what it needs", () => {
    const manifest = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as Record<string, unknown>;
    expect(manifest).toMatchObject({ version: VERSION, license: "MIT", type: "module", bin: { engram: "engram.mjs" } });
    expect(manifest.engines).toEqual({ node: ">=22.13" });
    for (const file of ["README.md", "LICENSE", "main.js"]) expect(existsSync(join(PACKAGE, file))).toBe(true);
  });
});

const onPath = versionOf("node");
const NO_OLD_NODE = onPath !== undefined && isOld(onPath) ? undefined : "the node on PATH is not older than 22.13";

testUnless(
  existsSync(SCRIPT) ? NO_OLD_NODE : "dist/npm is missing: npm run build",
  "an old Node is refused in one sentence",
  async () => {
    const here = place();
    for (const words of [["version"], ["save", "t", "c"]]) {
      const { code, stdout, stderr } = await here.run(words, { program: ["node", SCRIPT] });
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^engram needs Node 22\.13 or newer, this is \d+\.\d+\.\d+\n$/);
    }
    expect(existsSync(here.data)).toBe(false);
  },
);
