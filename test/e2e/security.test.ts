// Who may talk to a running server, how much they may send, and that nothing they send breaks it.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { allRoutes } from "../../src/app/catalogue.ts";
import { makePlace, type Place, type Server, TEST_MS } from "../support/process.ts";
import { type RawAnswer, request, requestInChunks, sendRaw } from "../support/raw-http.ts";
import { describeUnless, NOT_BUILT } from "../support/skip.ts";
import { count } from "../support/sqlite-file.ts";

const TOKEN = "an entirely made-up token";
const MIB = 1024 * 1024;
const routes = await allRoutes();

let here: Place;
let open: Server;
let guarded: Server;

setDefaultTimeout(TEST_MS);
if (NOT_BUILT === undefined) {
  beforeAll(async () => {
    here = makePlace();
    open = await here.serve();
    guarded = await here.serve({ env: { ENGRAM_HTTP_TOKEN: TOKEN } });
    await post(open, "/sessions", { id: "s1", project: "shop", directory: "/" });
    await post(open, "/observations", { session_id: "s1", title: "First", content: "something to read" });
  });
  afterAll(() => here.remove());
}

const post = (server: Server, path: string, body: unknown): Promise<RawAnswer> =>
  request(server.port, { method: "POST", path, body: typeof body === "string" ? body : JSON.stringify(body) });

const errorOf = ({ body }: RawAnswer): string => String((JSON.parse(body) as { error?: unknown }).error);

const rows = (): number => count(join(here.data, "engram.db"), "observations") + count(join(here.data, "engram.db"), "sessions");

const example = (path: string): string => path.replaceAll("{id}", "999999");

function canConnect(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2000 });
    const say = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", say(true)).once("error", say(false)).once("timeout", say(false));
  });
}

/** A rescue is refused with 503 while no token is configured; the older route answers rescues too. */
const MAY_BE_503 = new Set(["/projects/rescue-ownership", "/projects/migrate"]);

describeUnless(NOT_BUILT, "who may talk to the server", () => {
  test("nobody from another machine: it listens on 127.0.0.1 alone", async () => {
    const others = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ internal, address }) => !internal && !address.startsWith("fe80"))
      .map(({ address }) => address);
    for (const host of [...others, "127.0.0.2", "::1"]) {
      expect({ host, reached: await canConnect(host, open.port) }).toEqual({ host, reached: false });
    }
    expect(await canConnect("127.0.0.1", open.port)).toBe(true);
  });

  for (const host of ["evil.example", "evil.example:7437", "127.0.0.1.evil.example", "localhost.evil.example", "0.0.0.0", ""]) {
    test(`a foreign Host (${JSON.stringify(host)}) is refused for reads and writes`, async () => {
      const before = rows();
      const read = await request(open.port, { path: "/stats", headers: { host } });
      const write = await request(open.port, {
        method: "POST",
        path: "/sessions",
        headers: { host },
        body: '{"id":"x","project":"p"}',
      });
      // An empty Host is no HTTP: the listener itself may already say so.
      expect(host === "" ? [400, 403] : [403]).toContain(read.status);
      expect(host === "" ? [400, 403] : [403]).toContain(write.status);
      if (host !== "") expect(errorOf(read)).toContain("host");
      expect(rows()).toBe(before);
    });
  }

  test("the names of this machine's loopback are welcome, with a port or without", async () => {
    for (const host of [
      "127.0.0.1",
      `127.0.0.1:${open.port}`,
      "localhost",
      `localhost:${open.port}`,
      "LOCALHOST",
      "[::1]:7437",
    ]) {
      const { status } = await request(open.port, { path: "/stats", headers: { host } });
      expect({ host, status }).toEqual({ host, status: 200 });
    }
  });

  test("a page of another origin can neither read nor write, whatever the route", async () => {
    const before = rows();
    for (const origin of [
      "https://evil.example",
      "http://localhost:3000",
      "http://127.0.0.1",
      "null",
      `https://127.0.0.1:${open.port}`,
    ]) {
      for (const { method, path } of routes) {
        const body = method === "GET" ? {} : { body: "{}" };
        const { status, headers } = await request(open.port, { method, path: example(path), headers: { origin }, ...body });
        expect({ origin, method, path, status }).toEqual({ origin, method, path, status: 403 });
        expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
      }
    }
    expect(rows()).toBe(before);
  });

  test("a page of another site is known by Sec-Fetch-Site as well, without an Origin", async () => {
    for (const site of ["cross-site", "same-site", "something-new"]) {
      const headers = { "sec-fetch-site": site };
      expect((await request(open.port, { path: "/context", headers })).status).toBe(403);
      const write = await request(open.port, { method: "POST", path: "/sessions", headers, body: '{"id":"x","project":"p"}' });
      expect(write.status).toBe(403);
    }
    for (const site of ["same-origin", "none"]) {
      expect((await request(open.port, { path: "/context", headers: { "sec-fetch-site": site } })).status).toBe(200);
    }
  });

  test("a browser on the server's own origin may read, and write only with the token", async () => {
    const browser = (server: Server, method: string, extra: Record<string, string> = {}, site = "same-origin") =>
      request(server.port, {
        method,
        path: method === "GET" ? "/stats" : "/sessions",
        headers: { origin: `http://127.0.0.1:${server.port}`, "sec-fetch-site": site, ...extra },
        ...(method === "GET" ? {} : { body: JSON.stringify({ id: `browser-${server.port}`, project: "shop" }) }),
      });
    const bearer = { authorization: `Bearer ${TOKEN}` };
    expect((await browser(open, "GET")).status).toBe(200);
    expect((await browser(open, "POST")).status).toBe(403);
    expect((await browser(open, "POST", bearer)).status).toBe(403);
    expect((await browser(guarded, "POST")).status).toBe(403);
    expect((await browser(guarded, "POST", { authorization: "Bearer wrong" })).status).toBe(403);
    expect((await browser(guarded, "POST", bearer)).status).toBe(201);
    const noOrigin = { path: "/sessions", method: "POST", body: '{"id":"x","project":"p"}' };
    expect((await request(open.port, { ...noOrigin, headers: { "sec-fetch-site": "same-origin" } })).status).toBe(403);
  });

  test("OPTIONS grants nothing: no answer carries a CORS header", async () => {
    const headers = { origin: "https://evil.example", "access-control-request-method": "POST" };
    for (const path of ["/observations", "/nowhere", "*"]) {
      for (const asked of [headers, {}] as Record<string, string>[]) {
        const answer = await request(open.port, { method: "OPTIONS", path, headers: asked });
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(answer.status).toBeLessThan(500);
        expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
      }
    }
    const plain = await request(open.port, { path: "/stats" });
    expect([...plain.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});

describeUnless(NOT_BUILT, "ENGRAM_HTTP_TOKEN", () => {
  const GUARDED = [
    "DELETE /observations/{id}",
    "DELETE /prompts/{id}",
    "DELETE /sessions/{id}",
    "GET /export",
    "POST /import",
    "POST /projects/migrate",
    "POST /projects/rescue-ownership",
  ];
  const asks = (server: Server, method: string, path: string, headers: Record<string, string> = {}) =>
    request(server.port, { method, path: example(path), headers, ...(method === "GET" ? {} : { body: "{}" }) });

  test("guards exactly the routes that delete, export, import and move", async () => {
    const refused: string[] = [];
    for (const { method, path } of routes) {
      const answer = await asks(guarded, method, path);
      if (answer.status !== 401) continue;
      refused.push(`${method} ${path}`);
      expect(answer.headers.get("www-authenticate")).toEqual(['Bearer realm="engram"']);
      expect(errorOf(answer)).toBe("authorization required");
    }
    expect(refused.sort()).toEqual(GUARDED);
  });

  test("a wrong token, another scheme or another case of the scheme opens nothing", async () => {
    for (const entry of GUARDED) {
      const [method, path] = entry.split(" ") as [string, string];
      const wrong = await asks(guarded, method, path, { authorization: `Bearer ${TOKEN}x` });
      expect({ entry, status: wrong.status, error: errorOf(wrong) }).toEqual({ entry, status: 401, error: "invalid token" });
      for (const authorization of [`bearer ${TOKEN}`, `Basic ${TOKEN}`, TOKEN, "Bearer", ""]) {
        expect((await asks(guarded, method, path, { authorization })).status).toBe(401);
      }
      const right = await asks(guarded, method, path, { authorization: `Bearer ${TOKEN}` });
      expect([200, 400, 404]).toContain(right.status);
    }
  });

  test("is not asked for where none is configured, but the rescue of owners is then closed", async () => {
    for (const { method, path } of routes) {
      const { status } = await asks(open, method, path);
      expect({ method, path, refused: status === 401 }).toEqual({ method, path, refused: false });
    }
    const rescue = await asks(open, "POST", "/projects/rescue-ownership");
    expect({ status: rescue.status, error: errorOf(rescue) }).toEqual({
      status: 503,
      error: "server authorization is not configured",
    });
  });

  test("a blank one counts as none, and no answer or log repeats it", async () => {
    const blank = await here.serve({ env: { ENGRAM_HTTP_TOKEN: "  " } });
    expect((await asks(blank, "GET", "/export")).status).toBe(200);
    await blank.stop();
    await asks(guarded, "GET", "/export", { authorization: `Bearer ${TOKEN}` });
    const { stdout, stderr } = guarded.output();
    expect(stdout + stderr).not.toContain(TOKEN);
    expect((await request(guarded.port, { path: "/openapi.json" })).body).not.toContain(TOKEN);
  });
});

describeUnless(NOT_BUILT, "how much may be sent", () => {
  const bodyOf = (size: number): string => {
    const empty = JSON.stringify({ session_id: "s1", title: "Large", content: "" });
    return empty.replace('"content":""', `"content":"${"x".repeat(size - empty.length)}"`);
  };
  const isTooLarge = (answer: RawAnswer) => {
    expect(answer.status).toBe(413);
    expect(errorOf(answer)).toContain("larger than");
  };

  test("one MiB is taken, one byte more is refused and nothing of it is stored", async () => {
    expect((await post(open, "/observations", bodyOf(MIB))).status).toBe(201);
    const before = rows();
    isTooLarge(await post(open, "/observations", bodyOf(MIB + 1)));
    expect(rows()).toBe(before);
  });

  test("a body in chunks, without a length, has the same limit", async () => {
    const small = await requestInChunks(open.port, "POST", "/sessions", ['{"id":"chunked",', '"project":"shop"}']);
    expect(small.status).toBe(201);
    const before = rows();
    // Just over the limit and without an end: a server that waited for all of it would never answer.
    const pieces = Array.from({ length: 17 }, () => "x".repeat(64 * 1024));
    isTooLarge(await requestInChunks(open.port, "POST", "/observations", ['{"title":"', ...pieces], false));
    expect(rows()).toBe(before);
  });

  test("a length that lies is found out before the body is read", async () => {
    for (const [path, size] of [
      ["/observations", 2 * MIB],
      ["/sessions", 60 * MIB],
      ["/import", 60 * MIB],
    ] as const) {
      isTooLarge(
        await sendRaw(
          open.port,
          `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-length: ${size}\r\n\r\n{}`,
        ),
      );
    }
  });

  test("a length beyond every limit is refused as JSON too", async () => {
    isTooLarge(
      await sendRaw(
        open.port,
        `POST /import HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-length: ${500 * MIB}\r\n\r\n{}`,
      ),
    );
  });

  test("an import may have 50 MiB and not more", async () => {
    const shell = JSON.stringify({ version: "0.2.0", sessions: [], padding: "" });
    const document = (size: number) => shell.replace('"padding":""', `"padding":"${"x".repeat(size - shell.length)}"`);
    const fits = await post(open, "/import", document(50 * MIB));
    expect(fits.status).toBe(200);
    isTooLarge(await post(open, "/import", document(50 * MIB + 1)));
  });

  test("moving projects takes 8 KiB", async () => {
    isTooLarge(await post(open, "/projects/migrate", { old_project: "a", new_project: "b", padding: "x".repeat(9 * 1024) }));
  });
});

describeUnless(NOT_BUILT, "what was never meant", () => {
  test("an unknown path is 404 as JSON, a wrong method 405 with the allowed ones", async () => {
    for (const path of ["/", "/nowhere", "/observations/1/2/3", "/health/", "//health", "/..%2f..%2fetc%2fpasswd"]) {
      const answer = await request(open.port, { path });
      expect({ path, status: answer.status }).toEqual({ path, status: 404 });
      expect(errorOf(answer)).not.toBe("");
      expect(answer.headers.get("content-type")?.[0]).toContain("application/json");
    }
    for (const [method, path, allow] of [
      ["DELETE", "/health", "GET, HEAD"],
      ["POST", "/search", "GET, HEAD"],
      ["PATCH", "/observations", "GET, HEAD, POST"],
      ["POST", "/observations/1/pin", "DELETE, PUT"],
      ["PROPFIND", "/health", "GET, HEAD"],
    ] as const) {
      const answer = await request(open.port, { method, path });
      expect({ method, path, status: answer.status, allow: answer.headers.get("allow") }).toEqual({
        method,
        path,
        status: 405,
        allow: [allow],
      });
      expect(errorOf(answer)).toContain(method);
    }
  });

  test("every route answers every kind of wrong body with JSON, and never with a 500", async () => {
    const server = await here.serve();
    const deep = (depth: number, unit: [string, string]) => unit[0].repeat(depth) + unit[1].repeat(depth);
    const bodies = [
      "",
      " ",
      "null",
      "true",
      "12",
      '"text"',
      "[]",
      "[{}]",
      "{",
      "{}}",
      '{"id":}',
      "\u0000",
      "\ufeff{}",
      '{"__proto__":{"id":1},"constructor":1}',
      '{"id":1e400,"title":1e400,"session_id":1e400}',
      '{"session_id":{},"title":[],"content":1,"project":false,"type":{},"scope":[],"topic_key":{},"id":{},"summary":[]}',
      '{"session_id":"s1","title":"\\u0000","content":"\\ud800","project":"\\udfff","type":"\\u0000","scope":"\\u0000"}',
      '{"session_id":"s1","title":"t","content":"c","project":"\\u0000a\\r\\nb"}',
      '{"id":"\\u0000","project":"\\ud800","directory":"\\u0000"}',
      '{"session_id":"s1","content":"c","source_inbox_id":"\\u0000"}',
      '{"observation_id":9223372036854775808,"id":-1.5}',
      '{"version":"0.2.0","sessions":{},"observations":[null,1,[]],"prompts":"x"}',
      '{"version":"0.2.0","observations":[{"session_id":"none","title":"\\u0000","content":"","id":1e300,"sync_id":"\\ud800"}]}',
      '{"version":"0.2.0","sessions":[{"id":"\\u0000"}],"prompts":[{"session_id":"\\u0000","content":"\\u0000"}]}',
      '{"old_project":"\\u0000","new_project":"\\ud800"}',
      '{"target_project":"x","confirmed":true,"observation_ids":[1e308],"session_ids":["\\u0000"],"prompt_ids":[-1]}',
      deep(50_000, ["[", "]"]),
      `{"title":${deep(20_000, ['{"a":', "1}"]).replace("1}", "1}")}}`,
      `{"version":"0.2.0","extra":${deep(20_000, ["[", "]"])}}`,
    ];
    const wrong: unknown[] = [];
    for (const { method, path } of routes.filter((route) => route.method !== "GET")) {
      for (const body of bodies) {
        const answer = await request(server.port, { method, path: example(path), body });
        const isJson = (() => {
          try {
            return typeof JSON.parse(answer.body) === "object";
          } catch {
            return false;
          }
        })();
        const allowed = MAY_BE_503.has(path) ? answer.status <= 503 : answer.status < 500;
        if (!allowed || !isJson) wrong.push({ method, path, body: body.slice(0, 90), status: answer.status, says: answer.body });
      }
    }
    expect(wrong).toEqual([]);
    expect((await server.stop()).stderr).toBe("");
  });

  test("every route answers every kind of wrong query and path with JSON, and never with a 500", async () => {
    const server = await here.serve();
    const values = [
      "",
      "%",
      "%00",
      "%ff",
      "%ed%a0%80",
      "'%3B DROP TABLE observations%3B--",
      "%22%22%22",
      "*",
      "NEAR(",
      "a AND",
      "-1",
      "9223372036854775808",
      "1e5",
      "0x10",
      "..%2f..",
      "%0d%0aset-cookie:%20a=b",
      "%F0%9F%92%A9",
      "x".repeat(2000),
    ];
    const names = [
      "q",
      "project",
      "cwd",
      "limit",
      "scope",
      "type",
      "match_mode",
      "observation_id",
      "before",
      "session_id",
      "check",
      "sort",
      "hard",
      "max_bytes",
      "observations",
      "expected_project",
      "all_projects",
    ];
    const wrong: unknown[] = [];
    for (const { method, path } of routes) {
      for (const value of values) {
        const query = names.map((name) => `${name}=${value}`).join("&");
        const body = method === "GET" ? {} : { body: "{}" };
        for (const target of [
          `${example(path)}?${query}`,
          ...(path.includes("{id}") ? [path.replaceAll("{id}", value.replaceAll(" ", "%20"))] : []),
        ]) {
          const answer = await request(server.port, { method, path: target.replaceAll(" ", "%20"), ...body });
          const allowed = MAY_BE_503.has(path) ? answer.status <= 503 : answer.status < 500;
          const isJson = /^[[{]/.test(answer.body);
          const injected = answer.headers.has("set-cookie");
          if (!allowed || !isJson || injected)
            wrong.push({ method, target: target.slice(0, 90), status: answer.status, says: answer.body.slice(0, 200) });
        }
      }
    }
    expect(wrong).toEqual([]);
    expect((await server.stop()).stderr).toBe("");
  });

  test("a search for 100 KB of text is an answer, not an error", async () => {
    const long = Array.from({ length: 12_000 }, (_, i) => `word${i}`)
      .join("+")
      .slice(0, 100_000);
    for (const path of ["/search", "/prompts/search"]) {
      const answer = await request(open.port, { path: `${path}?q=${long}` });
      expect({ path, status: answer.status, body: answer.body }).toEqual({ path, status: 200, body: "[]\n" });
    }
  });

  test("no name of a project can add a header to an answer", async () => {
    const evil = "shop\r\nx-injected: 1\r\n\r\nbody";
    const folder = join(here.root, "evil", ".engram");
    mkdirSync(folder, { recursive: true });
    await post(open, "/sessions", { id: "evil", project: evil, directory: "/" });
    for (const name of [evil, "naïve 商店 🛒", "\ud800lone", "a\u0000b", "a;b=c, d"]) {
      writeFileSync(join(folder, "config.json"), JSON.stringify({ project_name: name }));
      const queries = [
        `project=${encodeURIComponent(name.replace("\ud800", ""))}`,
        `cwd=${encodeURIComponent(join(here.root, "evil"))}`,
      ];
      for (const query of queries) {
        for (const path of ["/search?q=x", "/context?", "/observations/recent?", "/sessions/recent?", "/export?", "/review?"]) {
          const answer = await request(open.port, { path: `${path}&${query}` });
          expect({ path, query, fine: answer.status < 500 }).toEqual({ path, query, fine: true });
          expect(answer.headers.has("x-injected")).toBe(false);
          expect(JSON.parse(answer.body)).toBeDefined();
        }
      }
    }
  });
});
