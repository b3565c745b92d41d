// `engram serve` as a process: one server per store, where it listens, how it ends, what it says when it cannot start.
import { expect, test } from "bun:test";
import { existsSync, lstatSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { allRoutes } from "../../src/app/catalogue.ts";
import { VERSION } from "../../src/app/version.ts";
import { callServer } from "../../src/client/client.ts";
import { freePort, isFree, silentServer } from "../support/ports.ts";
import { type Child, type Place, processesOf, usePlaces } from "../support/process.ts";
import { describeUnless, NOT_BUILT, testUnless } from "../support/skip.ts";
import { count } from "../support/sqlite-file.ts";

const place = usePlaces();
const routes = await allRoutes();
const ON_WINDOWS = process.platform === "win32" ? "no POSIX sockets or signals here" : undefined;
const health = { method: "GET", path: "/health" } as const;

async function answers(check: () => Promise<unknown>, child?: Child): Promise<void> {
  let over = false;
  void child?.ended.then(() => {
    over = true;
  });
  for (let left = 500; left > 0 && !over; left--) {
    if (await check().catch(() => false)) return;
    await Bun.sleep(20);
  }
  throw new Error(`nobody answered: ${JSON.stringify(child?.output())}`);
}

async function serveOnSocket(here: Place, socket: string, words = ["serve", "--socket", socket]): Promise<Child> {
  const child = here.start(words);
  await answers(async () => (await callServer({ socket }, health)).status === 200, child);
  return child;
}

describeUnless(NOT_BUILT, "engram serve", () => {
  test("tells where it is, what it serves and how to stop it, and nothing on standard error", async () => {
    const here = place();
    const server = await here.serve();
    const { code, stdout, stderr } = await server.stop();
    expect(stdout).toContain(server.url);
    expect(stdout).toContain(here.data);
    expect(stdout).toContain("Ctrl+C");
    expect(stdout).not.toContain("\u001b");
    expect(stderr).toBe("");
    expect(code).toBe(0);
  });

  test("answers /health with its service, version and the identity of the store", async () => {
    const here = place();
    const server = await here.serve();
    const answer = await fetch(`${server.url}/health`);
    const identity = readFileSync(join(here.data, "instance-id"), "utf8").trim();
    expect(await answer.json()).toMatchObject({ status: "ok", service: "engram", version: VERSION, instance_id: identity });
    expect((await here.run(["instance-id"])).stdout.trim()).toBe(identity);
  });

  test("started twice on one store and port: the second says so and exits 0, the first goes on", async () => {
    const here = place();
    const first = await here.serve();
    const second = await here.run(["serve", String(first.port)]);
    expect(second).toMatchObject({ code: 0, stdout: "" });
    expect(second.stderr).toContain("already serving");
    expect(second.stderr).toContain(first.url);
    expect((await fetch(`${first.url}/health`)).status).toBe(200);
  });

  test("started four times at the same instant on one store and port: one serves, the others say so and exit 0", async () => {
    const here = place();
    const port = await freePort();
    const children = Array.from({ length: 4 }, () => here.start(["serve", String(port)]));
    const ends: Awaited<Child["ended"]>[] = [];
    for (const child of children) void child.ended.then((end) => ends.push(end));
    await answers(async () => ends.length === 3);
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
    for (const { stderr } of ends) expect(stderr).toContain("already serving");
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    for (const child of children) child.signal("SIGTERM");
    expect((await Promise.all(children.map((child) => child.ended))).map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  });

  test("on the port of another store: one sentence, exit 1, the other store is not touched", async () => {
    const [here, there] = [place(), place()];
    const other = await there.serve();
    const { code, stdout, stderr } = await here.run(["serve", String(other.port)]);
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^engram: [^\n]*another store[^\n]*\n$/);
    expect(count(join(there.data, "engram.db"), "sessions")).toBe(0);
    expect((await fetch(`${other.url}/health`)).status).toBe(200);
  });

  test("on a port that another program serves HTTP on: one sentence, exit 1", async () => {
    const foreign = createServer((_, response) => response.end(JSON.stringify({ status: "ok", service: "other" })));
    await new Promise<void>((resolve) => foreign.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = foreign.address() as { port: number };
      const { code, stdout, stderr } = await place().run(["serve", String(port)]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^engram: [^\n]*another program[^\n]*\n$/);
    } finally {
      foreign.closeAllConnections();
      await new Promise((resolve) => foreign.close(resolve));
    }
  });

  test("on a port whose owner never answers: one sentence, exit 1", async () => {
    const silent = await silentServer();
    try {
      const { code, stderr } = await place().run(["serve", String(silent.port)]);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^engram: [^\n]*another program[^\n]*\n$/);
    } finally {
      await silent.close();
    }
  });

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    testUnless(ON_WINDOWS, `ends cleanly on ${signal}: exit 0, port free, store whole`, async () => {
      const here = place();
      const server = await here.serve();
      await fetch(`${server.url}/sessions`, { method: "POST", body: '{"id":"s","project":"p"}' });
      expect(await server.stop(signal)).toMatchObject({ code: 0, signal: null, stderr: "" });
      expect(await isFree(server.port)).toBe(true);
      expect(count(join(here.data, "engram.db"), "sessions")).toBe(1);
      const again = await here.serve();
      expect((await again.stop(signal)).code).toBe(0);
    });
  }

  testUnless(ON_WINDOWS, "ends although a client keeps its connection open", async () => {
    const here = place();
    const server = await here.serve();
    const { connect } = await import("node:net");
    const idle = connect(server.port, "127.0.0.1");
    await new Promise((resolve) => idle.once("connect", resolve));
    idle.on("error", () => undefined);
    try {
      expect(await server.stop()).toMatchObject({ code: 0, signal: null });
    } finally {
      idle.destroy();
    }
  });

  test("takes the port from its argument before ENGRAM_PORT, and from ENGRAM_PORT without one", async () => {
    const here = place();
    const unused = await freePort();
    const byWord = await here.serve({ env: { ENGRAM_PORT: String(unused) } });
    expect(await isFree(unused)).toBe(true);
    await byWord.stop();
    const port = await freePort();
    const byVariable = here.start(["serve"], { env: { ENGRAM_PORT: String(port) } });
    await answers(async () => (await fetch(`http://127.0.0.1:${port}/health`)).ok, byVariable);
    byVariable.signal("SIGTERM");
    expect((await byVariable.ended).code).toBe(0);
  });

  test("falls back to the port everybody knows when ENGRAM_PORT is no port", async () => {
    // Whoever holds 7437 already, or we for the moment: nothing of this test may answer a real agent there.
    const guard = createServer((_, response) => response.writeHead(404).end());
    await new Promise<void>((resolve) => guard.once("error", () => resolve()).listen(7437, "127.0.0.1", resolve));
    try {
      const here = place();
      for (const wrong of ["0", "65536", "-1", "abc", "80 80", " "]) {
        const { code, stderr } = await here.run(["serve"], { env: { ENGRAM_PORT: wrong } });
        expect({ wrong, code }).toEqual({ wrong, code: 1 });
        expect(stderr).toContain("http://127.0.0.1:7437 is taken by");
      }
    } finally {
      guard.closeAllConnections();
      await new Promise((resolve) => guard.close(resolve));
    }
  });

  for (const [words, complaint] of [
    [["serve", "x7437"], "unknown serve argument: x7437"],
    [["serve", "70000"], "unknown serve argument: 70000"],
    [["serve", "0"], "unknown serve argument: 0"],
    [["serve", "7440", "extra"], "unknown serve argument: extra"],
    [["serve", "7440", "--socket", "never.sock"], "socket transport cannot be combined with an explicit TCP port"],
    [["serve", "--socket=never.sock", "7440"], "socket transport cannot be combined with an explicit TCP port"],
  ] as const) {
    test(`refuses \`engram ${words.join(" ")}\` without making a store`, async () => {
      const here = place();
      const { code, stdout, stderr } = await here.run([...words]);
      expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: `engram: ${complaint}\n` });
      expect(existsSync(join(here.data, "engram.db"))).toBe(false);
    });
  }

  test("refuses an option it does not know and an option without its value", async () => {
    const here = place();
    for (const words of [
      ["serve", "--host", "0.0.0.0"],
      ["serve", "--sockets=/x"],
      ["serve", "--socket"],
    ]) {
      const { code, stdout, stderr } = await here.run(words);
      expect({ words, code, stdout }).toEqual({ words, code: 1, stdout: "" });
      expect(stderr).toContain(words[1]?.split("=")[0] as string);
    }
    expect(existsSync(join(here.data, "engram.db"))).toBe(false);
  });

  test("describes every route of the catalogue, and only those, in /openapi.json", async () => {
    const server = await place().serve();
    const answer = await fetch(`${server.url}/openapi.json`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toContain("application/json");
    const { openapi, info, paths } = (await answer.json()) as {
      openapi: string;
      info: { version: string };
      paths: Record<string, Record<string, { security?: unknown; responses: object }>>;
    };
    expect(openapi).toMatch(/^3\.1\./);
    expect(info.version).toBe(VERSION);
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
    for (const { method, path, auth } of routes) {
      expect(paths[path]?.[method.toLowerCase()]?.security !== undefined).toBe(auth !== undefined);
    }
  });
});

describeUnless(NOT_BUILT ?? ON_WINDOWS, "engram serve --socket", () => {
  test("listens on a private socket only, works through the client, and takes the socket away when it ends", async () => {
    const here = place();
    const socket = join(here.root, "engram.sock");
    const server = await serveOnSocket(here, socket);
    expect(lstatSync(socket).isSocket()).toBe(true);
    expect(lstatSync(socket).mode & 0o777).toBe(0o600);

    const call = (method: "GET" | "POST", path: string, body?: unknown) => callServer({ socket }, { method, path }, { body });
    expect((await call("POST", "/sessions", { id: "s", project: "p" })).status).toBe(201);
    const saved = await call("POST", "/observations", {
      session_id: "s",
      title: "By socket",
      content: "through the file system",
    });
    expect(saved).toMatchObject({ status: 201, body: { status: "saved" } });
    const found = await callServer({ socket }, { method: "GET", path: "/search" }, { query: { q: "system" } });
    expect(found.body).toMatchObject([{ title: "By socket" }]);

    server.signal("SIGTERM");
    expect(await server.ended).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(socket)).toBe(false);
  });

  test("takes the path after an equals sign and from ENGRAM_SOCKET as well", async () => {
    const here = place();
    const first = await serveOnSocket(here, join(here.root, "a.sock"), ["serve", `--socket=${join(here.root, "a.sock")}`]);
    first.signal("SIGTERM");
    expect((await first.ended).code).toBe(0);
    const socket = join(here.root, "b.sock");
    const second = here.start(["serve"], { env: { ENGRAM_SOCKET: socket } });
    await answers(async () => (await callServer({ socket }, health)).status === 200, second);
    second.signal("SIGTERM");
    expect((await second.ended).code).toBe(0);
  });

  test("replaces a socket that a killed server left behind", async () => {
    const here = place();
    const socket = join(here.root, "engram.sock");
    const killed = await serveOnSocket(here, socket);
    killed.signal("SIGKILL");
    await killed.ended;
    expect(lstatSync(socket).isSocket()).toBe(true);
    const next = await serveOnSocket(here, socket);
    expect(lstatSync(socket).mode & 0o777).toBe(0o600);
    next.signal("SIGTERM");
    expect((await next.ended).code).toBe(0);
  });

  test("never replaces a file that is no socket", async () => {
    const here = place();
    const path = join(here.root, "precious.txt");
    writeFileSync(path, "keep me");
    const { code, stdout, stderr } = await here.run(["serve", "--socket", path]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^engram: [^\n]*not a socket[^\n]*\n$/);
    expect(readFileSync(path, "utf8")).toBe("keep me");
  });

  test("in a folder that does not exist: one sentence, exit 1", async () => {
    const here = place();
    const { code, stderr } = await here.run(["serve", "--socket", join(here.root, "missing", "engram.sock")]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^engram: [^\n]+\n$/);
  });

  test("started twice: the same store exits 0, another store exits 1", async () => {
    const [here, there] = [place(), place()];
    const socket = join(here.root, "engram.sock");
    await serveOnSocket(here, socket);
    const again = await here.run(["serve", "--socket", socket]);
    expect(again.code).toBe(0);
    expect(again.stderr).toContain("already serving");
    const other = await there.run(["serve", "--socket", socket]);
    expect(other.code).toBe(1);
    expect(other.stderr).toMatch(/^engram: [^\n]*another store[^\n]*\n$/);
    expect((await callServer({ socket }, health)).status).toBe(200);
  });
});

describeUnless(NOT_BUILT ?? ON_WINDOWS, "engram serve-background", () => {
  test("starts one detached server, and a second call leaves it alone", async () => {
    const here = place();
    const port = await freePort();
    const env = { ENGRAM_PORT: String(port) };
    const first = await here.run(["serve-background"], { env });
    const pid = Number(/process (\d+)/.exec(first.stdout)?.[1]);
    if (pid > 0) here.adopt(pid);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(pid).toBeGreaterThan(0);
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    if (process.platform === "linux") expect(processesOf(here)).toEqual([pid]);

    const second = await here.run(["serve-background"], { env });
    expect(second).toMatchObject({ code: 0, stderr: "" });
    expect(second.stdout).toContain("already serving");
    const third = await here.run(["serve-background", "--json"], { env });
    expect(third).toMatchObject({ code: 0, stderr: "" });
    expect(typeof JSON.parse(third.stdout)).toBe("object");
    if (process.platform === "linux") expect(processesOf(here)).toEqual([pid]);

    expect(lstatSync(join(here.data, "serve.err.log")).mode & 0o777).toBe(0o600);
    process.kill(pid, "SIGTERM");
    await answers(() => isFree(port));
    expect(readFileSync(join(here.data, "serve.err.log"), "utf8")).toBe("");
  });

  test("called four times at the same instant leaves one server, and every caller is content", async () => {
    const here = place();
    const port = await freePort();
    const calls = Array.from({ length: 4 }, () => here.run(["serve-background"], { env: { ENGRAM_PORT: String(port) } }));
    const results = await Promise.all(calls);
    for (const { stdout } of results) {
      const pid = Number(/process (\d+)/.exec(stdout)?.[1]);
      if (pid > 0) here.adopt(pid);
    }
    expect(results.map(({ code, stderr }) => ({ code, stderr }))).toEqual(results.map(() => ({ code: 0, stderr: "" })));
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    // The late ones need a moment to see that they are not needed.
    if (process.platform === "linux") await answers(async () => processesOf(here).length === 1);
  });

  test("says why when the port belongs to another store, and leaves no process", async () => {
    const [here, there] = [place(), place()];
    const other = await there.serve();
    const { code, stdout, stderr } = await here.run(["serve-background"], { env: { ENGRAM_PORT: String(other.port) } });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^engram: [^\n]+\n$/);
    if (process.platform === "linux") expect(processesOf(here)).toEqual([]);
  });
});
