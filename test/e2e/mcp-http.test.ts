// `/mcp` of a running server: the same tools over streamable HTTP, without any session kept between requests.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { allTools } from "../../src/app/mcp.ts";
import { VERSION } from "../../src/app/version.ts";
import { hello, type Json, listOf, MODERN, namesOf, postMcp, startMcp, toolAnswer } from "../support/mcp-client.ts";
import { type Server, usePlaces } from "../support/process.ts";
import { request } from "../support/raw-http.ts";
import { describeUnless, NOT_BUILT } from "../support/skip.ts";
import { count } from "../support/sqlite-file.ts";

const place = usePlaces();
const TOKEN = "an entirely made-up token";
const MIB = 1024 * 1024;
const ACCEPT = "application/json, text/event-stream";
const INITIALIZE = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: hello("2025-06-18") });

async function call(server: Server, name: string, args: Json = {}, headers: Record<string, string> = {}) {
  const { status, message } = await postMcp(server, "tools/call", { name, arguments: args }, { headers });
  if (!message) throw new Error(`no answer: ${status}`);
  return toolAnswer(message);
}

describeUnless(NOT_BUILT, "MCP over HTTP", () => {
  for (const version of ["2024-11-05", "2025-06-18", "2025-11-25"]) {
    test(`speaks ${version}, and hands out no session to keep`, async () => {
      const server = await place().serve();
      const { status, headers, message } = await postMcp(server, "initialize", hello(version));
      expect({ status, session: headers.get("mcp-session-id") }).toEqual({ status: 200, session: null });
      expect(message?.result).toMatchObject({ protocolVersion: version, serverInfo: { name: "engram", version: VERSION } });
      const told = await postMcp(server, "notifications/initialized", {}, { id: null });
      expect(told.status).toBe(202);
      const list = await postMcp(server, "tools/list", {}, { headers: { "mcp-protocol-version": version } });
      expect(namesOf(listOf<{ name: string }>(list.message!, "tools"))).toEqual(namesOf(allTools));
    });
  }

  test("speaks 2026-07-28: discovery, tools and calls, each by itself", async () => {
    const server = await place().serve();
    const found = await postMcp(server, "server/discover", MODERN);
    expect(found.status).toBe(200);
    expect(found.message?.result?.supportedVersions).toContain("2026-07-28");
    const list = await postMcp(server, "tools/list", MODERN);
    expect(listOf(list.message!, "tools")).toHaveLength(allTools.length);
    const saved = await postMcp(server, "tools/call", { ...MODERN, name: "mem_save", arguments: { title: "T", content: "C" } });
    expect(toolAnswer(saved.message!).structured).toMatchObject({ id: 1, project: "work" });
  });

  test("works without a handshake before: a call is answered by itself", async () => {
    const here = place();
    const server = await here.serve();
    expect((await call(server, "mem_save", { title: "Login loop", content: "C" })).structured).toMatchObject({ id: 1 });
    expect((await call(server, "mem_search", { query: "login" })).text).toContain("Login loop");
    expect((await call(server, "mem_get_observation", { id: 1 }, { "mcp-session-id": "never given out" })).isError).toBe(false);
    expect(count(join(here.data, "engram.db"), "observations")).toBe(1);
  });

  test("answers what it does not do: streams and sessions are not offered, nonsense is refused, and it goes on", async () => {
    const server = await place().serve();
    for (const method of ["GET", "DELETE", "PUT"]) {
      const answer = await fetch(`${server.url}/mcp`, { method, headers: { accept: ACCEPT } });
      expect({ method, status: answer.status, allow: answer.headers.get("allow") }).toEqual({
        method,
        status: 405,
        allow: "POST",
      });
      await answer.text();
    }
    const post = async (body: string, headers: Record<string, string> = {}) => {
      const all = { accept: ACCEPT, "content-type": "application/json", ...headers };
      const answer = await fetch(`${server.url}/mcp`, { method: "POST", headers: all, body });
      return { status: answer.status, body: (await answer.json()) as { error?: { code?: number } } };
    };
    expect(await post("this is no JSON")).toMatchObject({ status: 400, body: { error: { code: -32700 } } });
    expect((await post(INITIALIZE, { "content-type": "text/plain" })).status).toBe(415);
    expect((await post("x".repeat(6 * MIB))).status).toBe(413);
    const unknown = await postMcp(server, "tools/call", { name: "mem_nothing", arguments: {} });
    expect(unknown.message?.error?.code).toBe(-32602);
    expect((await postMcp(server, "ping")).message?.result).toEqual({});
    const { stderr } = await server.stop();
    expect(stderr).toBe("");
  });

  test("several clients at once, and a process on standard streams beside them: every save is kept", async () => {
    const here = place();
    const server = await here.serve();
    const beside = startMcp(here);
    await beside.initialize();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => {
        const args = { title: `Note ${i}`, content: `line ${i}`, session_id: `client-${i % 5}` };
        return i % 4 === 0 ? beside.call("mem_save", args) : call(server, "mem_save", args);
      }),
    );
    expect(answers.filter(({ isError }) => isError)).toEqual([]);
    expect(new Set(answers.map(({ structured }) => structured?.id)).size).toBe(40);
    expect(count(join(here.data, "engram.db"), "observations")).toBe(40);
    expect(count(join(here.data, "engram.db"), "sessions")).toBe(5);
  });
});

describeUnless(NOT_BUILT, "who may use /mcp", () => {
  test("no page of another origin, and nobody through another name", async () => {
    const here = place();
    const server = await here.serve();
    const save = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "mem_save", arguments: { title: "T", content: "C" } },
    });
    const status = async (headers: Record<string, string>, body = save) =>
      (await request(server.port, { method: "POST", path: "/mcp", headers: { accept: ACCEPT, ...headers }, body })).status;
    for (const origin of ["http://evil.example", "null", `http://127.0.0.1.evil.example:${server.port}`, "https://localhost"])
      expect({ origin, status: await status({ origin }) }).toEqual({ origin, status: 403 });
    for (const host of ["evil.example", `evil.example:${server.port}`, "127.0.0.1.evil.example"])
      expect({ host, status: await status({ host }) }).toEqual({ host, status: 403 });
    for (const method of ["GET", "DELETE"])
      expect((await request(server.port, { method, path: "/mcp", headers: { host: "evil.example" } })).status).toBe(403);
    expect(count(join(here.data, "engram.db"), "observations")).toBe(0);
    expect(await status({ origin: `http://127.0.0.1:${server.port}` })).toBe(200);
    expect(await status({ host: `localhost:${server.port}` })).toBe(200);
  });

  test("with ENGRAM_HTTP_TOKEN set: nobody without the token, by any method", async () => {
    const here = place();
    const server = await here.serve({ env: { ENGRAM_HTTP_TOKEN: TOKEN } });
    for (const authorization of [undefined, "Bearer wrong", TOKEN, `Basic ${TOKEN}`]) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      const { status } = await postMcp(server, "tools/list", {}, { headers });
      expect({ authorization, status }).toEqual({ authorization, status: 401 });
    }
    for (const method of ["GET", "DELETE"]) {
      const answer = await fetch(`${server.url}/mcp`, { method });
      expect({ method, status: answer.status }).toEqual({ method, status: 401 });
      await answer.text();
    }
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect((await call(server, "mem_save", { title: "T", content: "C" }, headers)).isError).toBe(false);
    expect(count(join(here.data, "engram.db"), "observations")).toBe(1);
  });
});
