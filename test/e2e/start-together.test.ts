// Many processes on one store that does not exist yet: nobody is turned away and nothing is lost.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Place, ROOT, usePlaces } from "../support/process.ts";
import { describeUnless, NOT_BUILT } from "../support/skip.ts";
import { count, integrity, query } from "../support/sqlite-file.ts";

const PROCESSES = 8;
const place = usePlaces();
const numbers = Array.from({ length: PROCESSES }, (_, i) => i);

const storeOf = ({ data }: Place): string => join(data, "engram.db");

async function loaded(writer: ReturnType<Place["start"]>): Promise<void> {
  for (let left = 1000; left > 0 && !writer.output().stdout.includes("loaded"); left--) await Bun.sleep(10);
  expect(writer.output()).toEqual({ stdout: "loaded\n", stderr: "" });
}

describeUnless(NOT_BUILT, "eight processes that start together on a new store", () => {
  test("each write 500 observations and none is lost, refused or damaged", async () => {
    const here = place();
    const rows = 500;
    const program = [process.execPath, join(ROOT, "test", "support", "writer.ts")];
    const writers = numbers.map((number) => here.start([String(number), String(rows)], { program, listens: true }));
    await Promise.all(writers.map(loaded));
    for (const writer of writers) writer.tell("now\n");
    const results = await Promise.all(writers.map((writer) => writer.ended));

    expect(results.map(({ code, signal, stderr }) => ({ code, signal, stderr }))).toEqual(
      numbers.map(() => ({ code: 0, signal: null, stderr: "" })),
    );
    const identity = readFileSync(join(here.data, "instance-id"), "utf8").trim();
    expect(identity).toMatch(/^[0-9a-f]{32}$/);
    expect(results.map(({ stdout }) => stdout.trim().split("\n").at(-1))).toEqual(numbers.map(() => identity));

    expect(count(storeOf(here), "observations")).toBe(PROCESSES * rows);
    expect(query(storeOf(here), "SELECT count(DISTINCT title) AS n FROM observations WHERE revision_count = 1")).toEqual([
      { n: PROCESSES * rows },
    ]);
    expect(query(storeOf(here), "SELECT count(*) AS n FROM observations_fts WHERE observations_fts MATCH 'wrote'")).toEqual([
      { n: PROCESSES * rows },
    ]);
    expect(integrity(storeOf(here))).toBe("ok");
  });

  test("can all be one-shot commands: every save is answered and kept, on twenty new stores in a row", async () => {
    for (let round = 0; round < 20; round++) {
      const here = place();
      const results = await Promise.all(
        numbers.map((number) => here.run(["save", `Title ${number}`, `text of ${number}`, "--project", "together"])),
      );
      expect(results.map(({ code, stderr }) => ({ code, stderr }))).toEqual(numbers.map(() => ({ code: 0, stderr: "" })));
      expect(new Set(results.map(({ stdout }) => /#(\d+)/.exec(stdout)?.[1])).size).toBe(PROCESSES);
      expect(count(storeOf(here), "observations")).toBe(PROCESSES);
      expect(count(storeOf(here), "sessions")).toBe(1);
      expect(integrity(storeOf(here))).toBe("ok");
      await here.remove();
    }
  });

  test("can all be servers: each answers its own writers, on one identity", async () => {
    const here = place();
    const each = 25;
    const servers = await Promise.all(numbers.map(() => here.serve()));
    const post = (url: string, path: string, body: object) =>
      fetch(`${url}${path}`, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } });
    const statuses = await Promise.all(
      servers.map(async ({ url }, number) => {
        const session_id = `server-${number}`;
        const seen = [(await post(url, "/sessions", { id: session_id, project: "together", directory: "/" })).status];
        for (let i = 0; i < each; i++) {
          const answer = await post(url, "/observations", { session_id, title: `N ${number}.${i}`, content: `c ${number} ${i}` });
          seen.push(answer.status);
        }
        return seen;
      }),
    );
    expect(statuses).toEqual(numbers.map(() => Array.from({ length: each + 1 }, () => 201)));
    const identities = await Promise.all(
      servers.map(async ({ url }) => ((await (await fetch(`${url}/health`)).json()) as { instance_id: string }).instance_id),
    );
    expect(new Set(identities).size).toBe(1);
    const ends = await Promise.all(servers.map((server) => server.stop()));
    expect(ends.map(({ code, stderr }) => ({ code, stderr }))).toEqual(numbers.map(() => ({ code: 0, stderr: "" })));
    expect(count(storeOf(here), "observations")).toBe(PROCESSES * each);
    expect(integrity(storeOf(here))).toBe("ok");
  });
});
