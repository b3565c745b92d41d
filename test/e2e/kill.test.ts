// A server that is killed without warning has kept every save it answered, and the next one starts on the same store.
import { expect, test } from "bun:test";
import { copyFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Server, usePlaces } from "../support/process.ts";
import { describeUnless, NOT_BUILT } from "../support/skip.ts";
import { integrity, query } from "../support/sqlite-file.ts";

const ROUNDS = 50;
const CLIENTS = 4;
const place = usePlaces();

interface Stream {
  saves: Map<number, string>;
  refusals: string[];
}

/** Saves until the connection breaks; what was answered is noted only after the whole answer has arrived. */
async function stream(server: Server, session_id: string, label: string, into: Stream, saved: () => void): Promise<void> {
  for (let i = 0; i < 10_000; i++) {
    const title = `${label}.${i}`;
    try {
      const answer = await fetch(`${server.url}/observations`, {
        method: "POST",
        body: JSON.stringify({ session_id, title, content: `the words of ${title}`, project: "killed" }),
        headers: { "content-type": "application/json" },
      });
      const body = (await answer.json()) as { id: number };
      if (answer.status === 201) into.saves.set(body.id, title);
      else into.refusals.push(`${answer.status} ${JSON.stringify(body)}`);
      saved();
    } catch {
      return;
    }
  }
}

describeUnless(NOT_BUILT, "kill -9 in the middle of a stream of saves", () => {
  test("fifty times on one store loses no answered save", async () => {
    const here = place();
    const store = join(here.data, "engram.db");
    const all: Stream = { saves: new Map(), refusals: [] };
    for (let round = 0; round < ROUNDS; round++) {
      const server = await here.serve();
      const session_id = `round-${round}`;
      const opened = await fetch(`${server.url}/sessions`, {
        method: "POST",
        body: JSON.stringify({ id: session_id, project: "killed", directory: "/" }),
        headers: { "content-type": "application/json" },
      });
      expect(opened.status).toBe(201);

      // Each round ends after another number of answers, while every client has a request under way.
      const enough = CLIENTS + ((round * 7) % 31);
      let answered = 0;
      const saved = () => {
        if (++answered === enough) server.signal("SIGKILL");
      };
      await Promise.all(
        Array.from({ length: CLIENTS }, (_, client) => stream(server, session_id, `${round}.${client}`, all, saved)),
      );
      const { signal } = await server.ended;
      expect(signal).toBe("SIGKILL");
    }

    expect(all.refusals).toEqual([]);
    expect(all.saves.size).toBeGreaterThanOrEqual(ROUNDS * CLIENTS);
    const kept = new Map(query(store, "SELECT id, title FROM observations").map((row) => [Number(row.id), String(row.title)]));
    expect([...all.saves].filter(([id, title]) => kept.get(id) !== title)).toEqual([]);
    // What was never answered may be there or not, but never in halves and never without its index entry.
    expect(query(store, "SELECT count(*) AS n FROM observations WHERE content <> 'the words of ' || title")).toEqual([{ n: 0 }]);
    expect(query(store, "SELECT count(*) AS n FROM observations_fts WHERE observations_fts MATCH 'words'")).toEqual([
      { n: kept.size },
    ]);
    expect(integrity(store)).toBe("ok");

    const last = await here.serve();
    const stats = (await (await fetch(`${last.url}/stats`)).json()) as { total_observations: number };
    expect(stats.total_observations).toBe(kept.size);
    expect((await last.stop()).code).toBe(0);
  }, 120_000);

  test("a crash in the middle of a checkpoint is mended by the log, not refused", async () => {
    const here = place();
    const store = join(here.data, "engram.db");
    const server = await here.serve();
    const post = (path: string, body: object) =>
      fetch(`${server.url}${path}`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      });
    await post("/sessions", { id: "s", project: "p", directory: "/" });
    for (let i = 0; i < 60; i++) {
      expect((await post("/observations", { session_id: "s", title: `t${i}`, content: `${i} `.repeat(5000) })).status).toBe(201);
    }
    server.signal("SIGKILL");
    await server.ended;
    expect(statSync(`${store}-wal`).size).toBeGreaterThan(0);

    // A checkpoint writes the pages in order: after the first one the header counts pages that the file does not have yet.
    const finished = join(here.root, "finished.db");
    for (const suffix of ["", "-wal"]) copyFileSync(`${store}${suffix}`, `${finished}${suffix}`);
    query(finished, "PRAGMA wal_checkpoint(TRUNCATE)");
    const [whole, part] = [readFileSync(finished), readFileSync(store)];
    expect(part.length).toBeLessThan(whole.length);
    whole.copy(part, 0, 0, 4096);
    writeFileSync(store, part);

    expect(await here.run(["stats", "--all"])).toMatchObject({ code: 0, stderr: "" });
    expect(query(store, "SELECT count(*) AS n FROM observations")).toEqual([{ n: 60 }]);
    expect(integrity(store)).toBe("ok");
  });
});
