// Databases that the Go program wrote, version by version: they open, they work, and not a row of theirs changes.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Place, ROOT, usePlaces } from "../support/process.ts";
import { describeUnless, NOT_BUILT } from "../support/skip.ts";
import { fingerprint, integrity, type Row, withDatabase } from "../support/sqlite-file.ts";

const FILES = join(ROOT, "..", "shared", "golden", "db");
const NO_FILES = existsSync(FILES) ? undefined : "shared/golden/db is not beside the repository";
const place = usePlaces();

const names = NO_FILES === undefined ? readdirSync(FILES).filter((name) => name.endsWith(".db")) : [];
const versions = names.flatMap((name) => /^engram-(.+)\.db$/.exec(name)?.[1] ?? []).sort();

const ROW_TABLES = ["sessions", "observations", "user_prompts", "memory_relations", "sync_enrolled_projects", "sync_mutations"];

interface Snapshot {
  userVersion: unknown;
  /** Statement of every table, index and trigger, by kind and name. */
  schema: Map<string, string>;
  columns: Map<string, string[]>;
  rows: Map<string, Row[]>;
}

function snapshot(path: string): Snapshot {
  return withDatabase(path, (ask) => {
    const items = ask("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name");
    const tables = items.filter(({ type }) => type === "table").map(({ name }) => String(name));
    const kept = tables.filter((table) => ROW_TABLES.includes(table));
    return {
      userVersion: ask("PRAGMA user_version")[0]?.user_version,
      schema: new Map(items.map(({ type, name, sql }) => [`${type} ${name}`, String(sql)])),
      columns: new Map(tables.map((table) => [table, ask(`PRAGMA table_info("${table}")`).map(({ name }) => String(name))])),
      rows: new Map(kept.map((table) => [table, ask(`SELECT * FROM "${table}" ORDER BY rowid`)])),
    };
  });
}

/** What re-running the known back-fills may make of a value; everything else must stay as it was. */
const BACK_FILLS: Record<string, (before: unknown, row: Row, after: unknown) => boolean> = {
  "observations.scope": (before, _, after) => before === "" && after === "project",
  "observations.topic_key": (before, _, after) => before === "" && after === null,
  "observations.revision_count": (before, _, after) => Number(before) < 1 && after === 1,
  "observations.duplicate_count": (before, _, after) => Number(before) < 1 && after === 1,
  "observations.updated_at": (before, row, after) => before === "" && after === row.created_at,
  "observations.sync_id": (before, _, after) => !before && /^obs-[0-9a-f]{32}$/.test(String(after)),
  "user_prompts.sync_id": (before, _, after) => !before && /^prompt-[0-9a-f]{32}$/.test(String(after)),
  "user_prompts.project": (before, _, after) => before === null && after === "",
};

function changedValues(before: Snapshot, after: Snapshot): string[] {
  return [...before.rows].flatMap(([table, rows]) => {
    const now = after.rows.get(table) ?? [];
    const lost = rows.length === now.length ? [] : [`${table} had ${rows.length} rows and has ${now.length}`];
    const changed = rows.flatMap((row, i) =>
      Object.entries(row)
        .filter(([column, value]) => now[i]?.[column] !== value)
        .filter(([column, value]) => !BACK_FILLS[`${table}.${column}`]?.(value, row, now[i]?.[column]))
        .map(
          ([column, value]) =>
            `${table}.${column} of row ${i + 1}: ${JSON.stringify(value)} became ${JSON.stringify(now[i]?.[column])}`,
        ),
    );
    return [...lost, ...changed];
  });
}

function placeWith(name: string): { here: Place; store: string } {
  const here = place();
  mkdirSync(here.data, { mode: 0o700 });
  const store = join(here.data, "engram.db");
  copyFileSync(join(FILES, name), store);
  return { here, store };
}

async function answer(here: Place, ...words: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await here.run([...words, "--json"]);
  expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: "" });
  return JSON.parse(stdout) as Record<string, unknown>;
}

describeUnless(NOT_BUILT ?? NO_FILES, "a file of the Go program", () => {
  test("is there for every version that was recorded", () => {
    expect(versions.length).toBeGreaterThanOrEqual(7);
    expect(names).toContain("legacy-no-primary-key.db");
  });

  for (const version of versions) {
    test(`${version} opens: rows as they were, only additions, nothing rebuilt`, async () => {
      const { here, store } = placeWith(`engram-${version}.db`);
      const before = snapshot(store);
      expect(before.rows.get("observations")?.length).toBeGreaterThan(60);
      const stats = await answer(here, "stats", "--all");
      expect(integrity(store)).toBe("ok");
      const after = snapshot(store);

      expect(changedValues(before, after)).toEqual([]);
      expect(after.userVersion).toBe(0);
      // Tables and columns may come, and text of a table grows by the columns added; the rest is word for word what it was.
      const grown = [...before.schema].filter(([name, sql]) => after.schema.get(name) !== sql).map(([name]) => name);
      expect(grown.filter((name) => !name.startsWith("table ") || name.includes("_fts"))).toEqual([]);
      for (const [table, columns] of before.columns) {
        expect(after.columns.get(table)?.slice(0, columns.length)).toEqual(columns);
      }
      const triggers = (schema: Snapshot["schema"]) => [...schema.keys()].filter((name) => name.startsWith("trigger "));
      expect(triggers(after.schema)).toEqual(triggers(before.schema));
      const live = (before.rows.get("observations") ?? []).filter(({ deleted_at }) => deleted_at === null).length;
      expect(stats.total_observations).toBe(live);
    });

    test(`${version} has afterwards whatever the newest Go program would have added`, async () => {
      const { here, store } = placeWith(`engram-${version}.db`);
      await answer(here, "stats", "--all");
      const { upgrade } = JSON.parse(readFileSync(join(FILES, `engram-${version}.upgrade.json`), "utf8")) as {
        upgrade: { after: { tables: Record<string, { columns: string[] }>; indexes: string[]; triggers: string[] } };
      };
      const after = snapshot(store);
      // The two shapes that only a rebuild could bring about stay as the file has them.
      const kept = (table: string) => table === "sync_chunks" || table.endsWith("_fts");
      for (const [table, { columns }] of Object.entries(upgrade.after.tables)) {
        if (kept(table)) expect(after.columns.has(table)).toBe(true);
        else
          expect(after.columns.get(table)).toEqual(expect.arrayContaining(columns.map((column) => column.replace(/:pk$/, ""))));
      }
      for (const index of upgrade.after.indexes) expect([...after.schema.keys()]).toContain(`index ${index}`);
      for (const trigger of upgrade.after.triggers) expect([...after.schema.keys()]).toContain(`trigger ${trigger}`);
    });

    test(`${version} works: save, revise, find, edit, delete, and its index follows`, async () => {
      const { here, store } = placeWith(`engram-${version}.db`);
      const old = snapshot(store).rows.get("observations") ?? [];
      const topic = old.find(
        ({ topic_key, deleted_at, scope }) => topic_key && deleted_at === null && scope === "project",
      ) as Row;
      expect(topic).toBeDefined();

      const saved = (await answer(here, "save", "Zymurgy notes", "quixotic zymurgy words", "--project", "brewery"))
        .observation as Row;
      expect(saved.id).toBeGreaterThan(Math.max(...old.map(({ id }) => Number(id))));
      const found = async (words: string) =>
        ((await answer(here, "search", words, "--all", "--match", "all")).results as Row[]).map(({ id }) => id);
      expect(await found("zymurgy")).toEqual([saved.id]);
      const words = [
        "save",
        "Revised title",
        "perspicacious revision",
        "--topic",
        String(topic.topic_key),
        "--project",
        String(topic.project),
      ];
      const revised = await answer(here, ...words);
      expect(revised).toMatchObject({
        kind: "revised",
        observation: { id: topic.id, revision_count: Number(topic.revision_count) + 1 },
      });
      expect(await found("perspicacious")).toEqual([topic.id]);
      expect((await answer(here, "versions", String(topic.id))).versions).toMatchObject([{ content: topic.content }]);

      const server = await here.serve();
      const patched = await fetch(`${server.url}/observations/${saved.id}`, {
        method: "PATCH",
        body: '{"content":"sesquipedalian now"}',
      });
      expect(patched.status).toBe(200);
      const prompt = await fetch(`${server.url}/prompts`, {
        method: "POST",
        body: JSON.stringify({ session_id: topic.session_id, content: "an antediluvian prompt" }),
      });
      expect(prompt.status).toBe(201);
      expect(await (await fetch(`${server.url}/prompts/search?q=antediluvian`)).json()).toHaveLength(1);
      await server.stop();
      expect(await found("zymurgy")).toEqual([saved.id]);
      expect(await found("quixotic")).toEqual([]);
      expect(await found("sesquipedalian")).toEqual([saved.id]);

      const victim = old.find(({ deleted_at, id }) => deleted_at === null && id !== topic.id) as Row;
      await answer(here, "delete", String(victim.id));
      await answer(here, "delete", String(saved.id), "--hard");
      expect(await found("sesquipedalian")).toEqual([]);
      expect(integrity(store)).toBe("ok");

      const kept = snapshot(store).rows.get("observations") ?? [];
      expect(kept).toHaveLength(old.length);
      const touched = new Set([topic.id, victim.id]);
      const others = kept.filter(({ id }) => !touched.has(id as number));
      expect(others.map(({ id, title, content, project }) => ({ id, title, content, project }))).toEqual(
        old
          .filter(({ id }) => !touched.has(id as number))
          .map(({ id, title, content, project }) => ({ id, title, content, project })),
      );
      const db = new Database(store);
      try {
        expect(() => db.exec("INSERT INTO observations_fts(observations_fts) VALUES ('integrity-check')")).not.toThrow();
        expect(() => db.exec("INSERT INTO prompts_fts(prompts_fts) VALUES ('integrity-check')")).not.toThrow();
      } finally {
        db.close();
      }
    });

    test(`${version} is not changed by being opened a second time`, async () => {
      const { here, store } = placeWith(`engram-${version}.db`);
      await answer(here, "stats", "--all");
      const once = snapshot(store);
      await answer(here, "stats", "--all");
      await answer(here, "search", "error", "--all");
      await answer(here, "doctor");
      const server = await here.serve();
      await fetch(`${server.url}/context`);
      await server.stop();
      expect(snapshot(store)).toEqual(once);
    });
  }

  for (const name of names.filter((file) => !/^engram-|^legacy-/.test(file))) {
    test(`${name} opens: rows as they were, index statements untouched`, async () => {
      const { here, store } = placeWith(name);
      const before = snapshot(store);
      await answer(here, "stats", "--all");
      const after = snapshot(store);
      expect(changedValues(before, after)).toEqual([]);
      for (const [item, sql] of before.schema) if (/^trigger |_fts/.test(item)) expect(after.schema.get(item)).toBe(sql);
      expect(integrity(store)).toBe("ok");
    });
  }

  test("without a primary key is beyond addition: refused, every byte as it was", async () => {
    const { here } = placeWith("legacy-no-primary-key.db");
    const before = fingerprint(here.root);
    for (const words of [["stats"], ["save", "t", "c"], ["doctor"]]) {
      const { code, stdout, stderr } = await here.run(words);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^engram: [^\n]*primary key[^\n]*\n$/);
      expect(fingerprint(here.root)).toEqual(before);
    }
  });
});
