// `engram mcp` as a process: every revision of the protocol, what it answers, how it lives and ends.
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { allTools } from "../../src/app/mcp.ts";
import { VERSION } from "../../src/app/version.ts";
import {
  type Answer,
  closed,
  connected,
  hello,
  type Json,
  MODERN,
  namesOf,
  startMcp,
  toolAnswer,
  toolNames,
} from "../support/mcp-client.ts";
import { type Place, PROGRAM, usePlaces } from "../support/process.ts";
import { describeUnless, NOT_BUILT, testUnless } from "../support/skip.ts";
import { count, fingerprint, integrity, query } from "../support/sqlite-file.ts";

const place = usePlaces();
const ON_WINDOWS = process.platform === "win32" ? "no POSIX signals and shells here" : undefined;
const storeOf = (here: Place): string => join(here.data, "engram.db");

function breakStore(here: Place): void {
  mkdirSync(here.data, { mode: 0o700 });
  writeFileSync(storeOf(here), "this is text and has never been a database\n".repeat(200));
}

describeUnless(NOT_BUILT, "the handshake over standard streams", () => {
  for (const version of ["2024-11-05", "2025-06-18", "2025-11-25"]) {
    test(`speaks ${version} with a client that asks for it, tools and calls included`, async () => {
      const mcp = startMcp(place());
      const { protocolVersion, serverInfo, capabilities, instructions } = await mcp.initialize(version);
      expect({ protocolVersion, serverInfo }).toEqual({
        protocolVersion: version,
        serverInfo: { name: "engram", version: VERSION },
      });
      expect(capabilities).toMatchObject({ tools: { listChanged: true }, prompts: {}, resources: {} });
      expect(instructions).toContain("mem_save");
      expect(await toolNames(mcp)).toEqual(namesOf(allTools));
      expect((await mcp.call("mem_save", { title: "T", content: "C" })).isError).toBe(false);
      await closed(mcp);
    });
  }

  test("answers a client of an unknown revision with one it speaks", async () => {
    const mcp = startMcp(place());
    const { protocolVersion } = await mcp.initialize("1999-01-01");
    expect(String(protocolVersion)).toMatch(/^202[4-6]-\d\d-\d\d$/);
    await closed(mcp);
  });

  test("speaks 2026-07-28 without a handshake: discovery, tools, calls, each request with its own envelope", async () => {
    const mcp = startMcp(place());
    const { result } = await mcp.request("server/discover", MODERN);
    expect(result?.supportedVersions).toContain("2026-07-28");
    expect(result?.instructions).toContain("mem_save");
    expect(result?._meta).toMatchObject({ "io.modelcontextprotocol/serverInfo": { name: "engram", version: VERSION } } as Json);
    expect(await toolNames(mcp, MODERN)).toHaveLength(allTools.length);
    const save = await mcp.request("tools/call", { ...MODERN, name: "mem_save", arguments: { title: "Modern", content: "C" } });
    expect(toolAnswer(save).structured).toMatchObject({ id: 1 });
    const search = await mcp.request("tools/call", { ...MODERN, name: "mem_search", arguments: { query: "modern" } });
    expect(toolAnswer(search).text).toContain("Modern");
    await closed(mcp);
  });

  test("serves the newest revision also to a client that asks nothing first", async () => {
    const mcp = startMcp(place());
    expect(await toolNames(mcp, MODERN)).toHaveLength(allTools.length);
    await closed(mcp);
  });

  test("creates nothing: listing tools, prompts and resources leaves no data folder behind", async () => {
    const here = place();
    const mcp = await connected(here);
    for (const method of ["tools/list", "prompts/list", "resources/list", "resources/templates/list", "ping"])
      expect((await mcp.request(method)).error).toBeUndefined();
    expect(fingerprint(here.data)).toEqual({});
    expect((await mcp.call("mem_save", { title: "T", content: "C" })).isError).toBe(false);
    expect(existsSync(storeOf(here))).toBe(true);
    await closed(mcp);
  });

  test("puts nothing on standard output but answers, whatever is sent", async () => {
    const here = place();
    const mcp = await connected(here, { env: { ENGRAM_DEBUG: "1" } });
    mcp.write("this is no JSON\n\n[]\nnull\n{}\n");
    await mcp.call("mem_save", { title: "Zeilen\numbruch", content: "two\nlines \u2028 and \u0000 more" });
    await mcp.call("mem_search", { query: "lines" });
    await mcp.request("no/such/method");
    await mcp.request("tools/call", { name: "nothing" });
    await mcp.call("mem_get_observation", { id: 12 });
    mcp.close();
    expect((await mcp.ended).code).toBe(0);
    expect(mcp.lines()).toHaveLength(6);
    for (const { jsonrpc, result, error } of mcp.answers())
      expect({ jsonrpc, one: (result === undefined) !== (error === undefined) }).toEqual({ jsonrpc: "2.0", one: true });
  });
});

describeUnless(NOT_BUILT, "a store that cannot be opened", () => {
  test("breaks neither the handshake nor the lists; a call says in one sentence what is wrong, and the file stays as it is", async () => {
    const here = place();
    breakStore(here);
    const before = readFileSync(storeOf(here));
    const mcp = await connected(here);
    expect(await toolNames(mcp)).toHaveLength(allTools.length);
    for (const [name, args] of [
      ["mem_save", { title: "T", content: "C" }],
      ["mem_search", { query: "words" }],
      ["mem_context", {}],
      ["mem_doctor", {}],
    ] as const) {
      const { isError, text } = await mcp.call(name, args);
      expect({ name, isError }).toEqual({ name, isError: true });
      expect(text).toContain("is not an SQLite database");
      expect(text).not.toContain("\n");
    }
    expect(readFileSync(storeOf(here)).equals(before)).toBe(true);
    await closed(mcp);
  });

  test("is not told as a memory that does not exist: reading a resource says what is wrong", async () => {
    const here = place();
    breakStore(here);
    const mcp = await connected(here);
    for (const uri of ["engram://observation/1", "engram://session/s1", "engram://project/work/context"]) {
      const { error } = await mcp.request("resources/read", { uri });
      expect({ uri, message: error?.message }).toEqual({
        uri,
        message: expect.stringContaining("is not an SQLite database") as unknown as string,
      });
    }
  });

  const NO_GIT = spawnSync("git", ["--version"]).status === 0 ? undefined : "git is not installed";
  testUnless(NO_GIT, "does not keep mem_current_project from answering, in a repository either", async () => {
    const here = place();
    breakStore(here);
    expect(spawnSync("git", ["init", "--quiet"], { cwd: here.work, env: here.env() }).status).toBe(0);
    const mcp = await connected(here);
    const { isError, structured } = await mcp.call("mem_current_project");
    expect({ isError, project: structured?.project }).toEqual({ isError: false, project: "work" });
  });
});

describeUnless(NOT_BUILT, "the life of the process", () => {
  test("input that ends right after a burst of 50 saves: all answered, all stored, exit 0", async () => {
    const here = place();
    const save = (id: number) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "mem_save", arguments: { title: `Note ${id}`, content: `line ${id} of the burst` } },
    });
    const messages = [
      { jsonrpc: "2.0", id: 0, method: "initialize", params: hello("2025-06-18") },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      ...Array.from({ length: 50 }, (_, i) => save(i + 1)),
    ];
    const { code, stdout, stderr } = await here.run(["mcp"], {
      stdin: `${messages.map((m) => JSON.stringify(m)).join("\n")}\n`,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const answers = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Answer);
    expect(answers.map(({ id }) => Number(id)).sort((a, b) => a - b)).toEqual(Array.from({ length: 51 }, (_, i) => i));
    expect(answers.filter(({ id }) => id !== 0).every((answer) => !toolAnswer(answer).isError)).toBe(true);
    expect(count(storeOf(here), "observations")).toBe(50);
  });

  test("input that ends while long answers are still being written: they come whole", async () => {
    const messages = [
      { jsonrpc: "2.0", id: 0, method: "initialize", params: hello("2025-06-18") },
      ...Array.from({ length: 100 }, (_, i) => ({ jsonrpc: "2.0", id: i + 1, method: "tools/list" })),
    ];
    const { code, stdout } = await place().run(["mcp"], { stdin: `${messages.map((m) => JSON.stringify(m)).join("\n")}\n` });
    const answers = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Answer);
    expect({ code, answers: answers.length }).toEqual({ code: 0, answers: 101 });
    expect(answers.filter(({ result }) => Array.isArray(result?.tools))).toHaveLength(100);
  });

  test("input that ends when nothing is going on, or before anything was said: it exits 0", async () => {
    await closed(await connected(place()));
    await closed(startMcp(place()));
  });

  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    testUnless(ON_WINDOWS, `${signal} ends it with 0`, async () => {
      const here = place();
      const mcp = await connected(here);
      await mcp.call("mem_save", { title: "T", content: "C" });
      mcp.signal(signal);
      const { code, signal: by, stderr } = await mcp.ended;
      expect({ code, by, stderr }).toEqual({ code: 0, by: null, stderr: "" });
      expect(count(storeOf(here), "observations")).toBe(1);
    });
  }

  testUnless(ON_WINDOWS, "SIGTERM in the middle of saves: what it took is stored and answered, the file is sound", async () => {
    const here = place();
    const mcp = await connected(here);
    const posted = Array.from({ length: 50 }, (_, i) =>
      mcp.post("tools/call", { name: "mem_save", arguments: { title: `N ${i}`, content: `line ${i}` } }),
    );
    await posted[0];
    mcp.signal("SIGTERM");
    expect((await mcp.ended).code).toBe(0);
    const saved = mcp.answers().filter(({ result }) => result?.structuredContent);
    expect(saved.length).toBeGreaterThan(0);
    expect(count(storeOf(here), "observations")).toBe(saved.length);
    expect(integrity(storeOf(here))).toBe("ok");
  });

  testUnless(ON_WINDOWS, "it ends when its parent is killed, though somebody else still holds the pipe open", async () => {
    const here = place();
    // The shell is the parent; the pipes are ours.
    const words = ["/bin/sh", "-c", 'exec 3<&0; "$0" mcp <&3 & echo $! >&2; wait', PROGRAM];
    const mcp = startMcp(here, { words });
    await mcp.initialize();
    await mcp.call("mem_save", { title: "T", content: "C" });
    mcp.signal("SIGKILL");
    // Its standard output ends with the last process that holds it.
    const { signal, stderr } = await mcp.ended;
    here.adopt(Number(stderr));
    expect(signal).toBe("SIGKILL");
    expect(count(storeOf(here), "observations")).toBe(1);
    expect(integrity(storeOf(here))).toBe("ok");
  });

  test("20 processes on a fresh store at once, 100 saves each: 2,000 memories, none failed, all ended", async () => {
    const here = place();
    const processes = Array.from({ length: 20 }, () => startMcp(here));
    const failed: string[] = [];
    await Promise.all(
      processes.map(async (mcp, number) => {
        await mcp.initialize();
        await Promise.all(
          Array.from({ length: 100 }, async (_, i) => {
            const { isError, text } = await mcp.call("mem_save", {
              title: `P${number} N${i}`,
              content: `line ${i} of ${number}`,
            });
            if (isError) failed.push(text);
          }),
        );
        await closed(mcp);
      }),
    );
    expect(failed).toEqual([]);
    expect(count(storeOf(here), "observations")).toBe(2000);
    expect(integrity(storeOf(here))).toBe("ok");
  });
});

describeUnless(NOT_BUILT, "the choice of tools and project", () => {
  const ofProfile = (wanted: string) => namesOf(allTools.filter(({ profile }) => profile === wanted));
  for (const [args, expected] of [
    [[], namesOf(allTools)],
    [["--tools=all"], namesOf(allTools)],
    [["--tools=agent"], ofProfile("agent")],
    [["--tools", "admin"], ofProfile("admin")],
    [["--tools=agent,admin"], namesOf(allTools)],
    [["--tools=mem_search, mem_save"], ["mem_save", "mem_search"]],
    [["--tools=admin,mem_search"], [...ofProfile("admin"), "mem_search"].sort()],
    [["--tools=no_such_tool"], []],
  ] as const) {
    test(`engram mcp ${args.join(" ")} offers ${expected.length} tools`, async () => {
      const mcp = await connected(place(), { args: [...args] });
      expect(await toolNames(mcp)).toEqual([...expected]);
      await closed(mcp);
    });
  }

  test("a tool that was not chosen is neither callable nor in the instructions", async () => {
    const mcp = startMcp(place(), { args: ["--tools=mem_search"] });
    expect((await mcp.initialize()).instructions).not.toContain("mem_save");
    const { error } = await mcp.request("tools/call", { name: "mem_save", arguments: { title: "T", content: "C" } });
    expect(error?.code).toBe(-32602);
  });

  test("--project is the project of the process, whatever the folder and the environment say", async () => {
    const here = place();
    const mcp = await connected(here, { args: ["--project", "Shop"], env: { ENGRAM_PROJECT: "other" } });
    expect((await mcp.call("mem_save", { title: "T", content: "C" })).structured).toMatchObject({
      project: "shop",
      project_source: "process_override",
    });
    expect((await mcp.call("mem_current_project")).structured).toMatchObject({ project: "shop" });
    expect(query(storeOf(here), "SELECT project FROM observations")).toEqual([{ project: "shop" }]);
    await closed(mcp);
  });

  test("ENGRAM_PROJECT is the project of the process too", async () => {
    const mcp = await connected(place(), { env: { ENGRAM_PROJECT: "from-env" } });
    expect((await mcp.call("mem_save", { title: "T", content: "C" })).structured).toMatchObject({ project: "from-env" });
  });

  for (const args of [["--project"], ["--project="], ["--project", " "], ["surplus"], ["--no-such-option"]]) {
    test(`engram mcp ${args.join(" ")} is refused with one clear sentence and nothing on standard output`, async () => {
      const here = place();
      const { code, stdout, stderr } = await here.run(["mcp", ...args], { stdin: "" });
      expect({ failed: code !== 0, stdout }).toEqual({ failed: true, stdout: "" });
      expect(stderr).toMatch(/^(engram|error): \S/);
      expect(existsSync(here.data)).toBe(false);
    });
  }
});
