// What a running server and its commands keep to one person: file modes, private text, errors without inner details.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { makePlace, type Place, type Server, TEST_MS } from "../support/process.ts";
import { type RawAnswer, request } from "../support/raw-http.ts";
import { describeUnless, NOT_BUILT, testUnless } from "../support/skip.ts";

let here: Place;
let open: Server;

setDefaultTimeout(TEST_MS);
if (NOT_BUILT === undefined) {
  beforeAll(async () => {
    here = makePlace();
    open = await here.serve();
    await post(open, "/sessions", { id: "s1", project: "shop", directory: "/" });
    await post(open, "/observations", { session_id: "s1", title: "First", content: "something to read" });
  });
  afterAll(() => here.remove());
}

const post = (server: Server, path: string, body: unknown): Promise<RawAnswer> =>
  request(server.port, { method: "POST", path, body: typeof body === "string" ? body : JSON.stringify(body) });

describeUnless(NOT_BUILT, "what is kept private", () => {
  const NO_MODES = process.platform === "win32" ? "no POSIX file modes here" : undefined;

  testUnless(NO_MODES, "the data folder is 0700 and every file in it 0600, whatever the umask", async () => {
    const umask = process.umask(0);
    try {
      await here.run(["save", "Owned", "by one person", "--project", "shop"]);
      await post(open, "/sessions", { id: "manual-save-other", project: "shop", directory: "/" });
      await post(open, "/sessions", { id: "known", project: "other", directory: "/" });
      const repair = await here.run([
        ..."doctor repair --project shop --check manual_session_name_project_mismatch --apply".split(" "),
      ]);
      expect(JSON.parse(repair.stdout)).toMatchObject({ status: "applied" });
      const exported = join(here.work, "out.json");
      expect((await here.run(["export", exported, "--all"])).code).toBe(0);
      expect(statSync(exported).mode & 0o777).toBe(0o600);
    } finally {
      process.umask(umask);
    }
    expect(statSync(here.data).mode & 0o777).toBe(0o700);
    const entries = readdirSync(here.data, { recursive: true, withFileTypes: true });
    const modes = entries.map((entry) => {
      const mode = statSync(join(entry.parentPath, entry.name)).mode & 0o777;
      return `${entry.isDirectory() ? "folder" : "file"} ${entry.name} ${mode.toString(8)}`;
    });
    expect(modes.filter((line) => !/^(folder .* 700|file .* 600)$/.test(line))).toEqual([]);
    for (const name of ["engram.db", "instance-id"]) expect(modes).toContain(`file ${name} 600`);
    expect(modes.some((line) => /^file engram-repair-.*\.db 600$/.test(line))).toBe(true);
  });

  test("private text reaches no file, no answer and no log", async () => {
    const secret = "hunter2-correct-horse";
    const hidden = `before <private>${secret}</private> after`;
    const shouted = `<PRIVATE>\n${secret}\n</PrIvAtE>`;
    const own = makePlace();
    try {
      const server = await own.serve({ env: { ENGRAM_DEBUG: "1" } });
      const answers: RawAnswer[] = [];
      const say = async (method: string, path: string, body?: unknown) => {
        const answer = await request(server.port, {
          method,
          path,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        answers.push(answer);
        return answer;
      };
      await say("POST", "/sessions", { id: "s", project: "p", directory: "/" });
      const saved = await say("POST", "/observations", { session_id: "s", title: `Title ${hidden}`, content: hidden });
      const { id } = JSON.parse(saved.body) as { id: number };
      await say("POST", "/observations", { session_id: "s", title: "Twice", content: `${hidden} ${shouted}`, topic_key: "t/k" });
      await say("POST", "/observations", { session_id: "s", title: "Twice", content: `${shouted} again`, topic_key: "t/k" });
      await say("POST", "/observations", { session_id: "s", title: shouted, content: shouted });
      await say("PATCH", `/observations/${id}`, { title: `New ${hidden}`, content: `New ${hidden}` });
      await say("PATCH", `/observations/${id}`, { find: "after", replace: hidden });
      await say("POST", "/prompts", { session_id: "s", content: hidden });
      await say("POST", "/observations/passive", {
        session_id: "s",
        content: `## Key Learnings:\n\n1. The password of the test machine is ${hidden} as everyone knows`,
      });
      await say("POST", "/sessions/s/end", { summary: hidden });
      await say("POST", "/topic-keys/suggest", { title: hidden, content: hidden });
      await say("POST", "/import", {
        version: "0.2.0",
        sessions: [{ id: "i", project: "p", directory: "/", started_at: "2026-01-01 00:00:00", summary: hidden }],
        observations: [{ id: 1, sync_id: "obs-1", session_id: "i", type: "manual", title: hidden, content: hidden }],
        prompts: [{ id: 1, sync_id: "prompt-1", session_id: "i", content: hidden }],
      });
      for (const path of [
        "/observations/recent",
        "/prompts/recent",
        "/context",
        "/export",
        "/sessions/recent",
        "/search?q=before",
      ]) {
        await say("GET", path);
      }
      const command = await own.run(["save", `By hand ${hidden}`, hidden, "--project", "p"]);
      const asJson = await own.run(["save", `By hand again ${hidden}`, shouted, "--project", "p", "--json"]);
      const shown = await Promise.all(
        [
          ["search", "before", "--all"],
          ["context", "--all"],
          ["timeline", String(id), "--all"],
          ["versions", String(id)],
        ].map((words) => own.run(words)),
      );
      await own.run(["export", join(own.data, "out.json"), "--all"]);

      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      expect(answers.map(({ body }) => body).filter((body) => body.includes(secret))).toEqual([]);
      expect(answers.some(({ body }) => body.includes("[REDACTED]"))).toBe(true);
      for (const { stdout, stderr } of [command, asJson, ...shown]) expect(stdout + stderr).not.toContain(secret);
      expect(command.stdout).toContain("[REDACTED]");
      const ended = await server.stop();
      expect(ended.stdout + ended.stderr).not.toContain(secret);
      const files = readdirSync(own.data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      expect(files.map(({ name }) => name)).toContain("engram.db");
      const telling = files.filter((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(secret));
      expect(telling.map(({ name }) => name)).toEqual([]);
    } finally {
      await own.remove();
    }
  });

  test("an error tells nothing about the engine beneath or the program's source", async () => {
    const answers = await Promise.all([
      post(open, "/observations", { session_id: "nobody", title: "t", content: "c", project: "unknown" }),
      post(open, "/observations", "{ not json"),
      request(open.port, { path: "/search?q=%22%20OR" }),
      request(open.port, { path: "/observations/424242" }),
      request(open.port, { method: "PATCH", path: "/observations/424242", body: '{"title":"x"}' }),
      request(open.port, { method: "DELETE", path: "/sessions/s1" }),
    ]);
    for (const { body } of answers) expect(body).not.toMatch(/sqlite|constraint|fts5|sql:|\.ts\b|\bat \S+ \(/i);
  });
});
