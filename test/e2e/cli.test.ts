// The everyday commands as a user runs them, each a process of its own; output read from a pipe.
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Place, type RunOptions, usePlaces } from "../support/process.ts";
import { describeUnless, NOT_BUILT, testUnless } from "../support/skip.ts";
import { count, integrity, query } from "../support/sqlite-file.ts";

const place = usePlaces();
const storeOf = ({ data }: Place): string => join(data, "engram.db");

/** Runs a command that must succeed without a word on standard error; gives its answer. */
async function ok(here: Place, args: string[], options?: RunOptions): Promise<string> {
  const { code, stdout, stderr } = await here.run(args, options);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
  expect(stdout).not.toContain("\u001b");
  return stdout;
}

async function refused(here: Place, args: string[], options?: RunOptions): Promise<string> {
  const { code, stdout, stderr } = await here.run(args, options);
  expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: "" });
  expect(stderr).not.toMatch(/\bat \S+ \(|\$bunfs/);
  return stderr;
}

/** Rows that no command would make: names as older programs stored them, fixed times, rows without owner. */
const DOCUMENT = {
  version: "0.1.0",
  exported_at: "2026-01-20 00:00:00",
  sessions: [
    { id: "s-shop", project: "shop", directory: "/w/shop", started_at: "2026-01-15 12:00:00", summary: "built the cart" },
    { id: "s-Shop", project: "Shop", directory: "/w/Shop", started_at: "2026-01-15 12:00:00" },
    { id: "s-empty", project: "empty", directory: "/w/empty", started_at: "2026-01-15 12:00:00" },
    { id: "s-none", project: "", directory: "", started_at: "2026-01-15 12:00:00" },
  ],
  observations: Array.from({ length: 4 }, (_, i) => ({
    id: i + 1,
    sync_id: `obs-000000000000000${i + 1}`,
    session_id: ["s-shop", "s-shop", "s-Shop", "s-none"][i],
    type: "bugfix",
    title: `Cart ${i + 1}`,
    content: `line ${i + 1} about the cart`,
    project: ["shop", "shop", "Shop", null][i],
    scope: "project",
    created_at: `2026-01-15 12:00:0${i}`,
    updated_at: `2026-01-15 12:00:0${i}`,
  })),
  prompts: [
    {
      id: 1,
      sync_id: "prompt-0000000000000001",
      session_id: "s-shop",
      content: "make a cart",
      project: "shop",
      created_at: "2026-01-15 12:00:00",
    },
  ],
};

async function seeded(): Promise<Place> {
  const here = place();
  const file = join(here.root, "seed.json");
  writeFileSync(file, JSON.stringify(DOCUMENT));
  expect(await ok(here, ["import", file])).toContain("Observations: 4");
  return here;
}

describeUnless(NOT_BUILT, "engram save", () => {
  test("answers with the number, the title and the type, and stores the row", async () => {
    const here = place();
    expect(await ok(here, ["save", "A title", "some text"])).toBe('Memory saved: #1 "A title" (manual)\n');
    expect(await ok(here, ["save", "--type", "bugfix", "Second", "--project", "shop", "text", "--scope", "personal"])).toBe(
      'Memory saved: #2 "Second" (bugfix)\n',
    );
    expect(query(storeOf(here), "SELECT id, session_id, type, title, content, project, scope FROM observations")).toEqual([
      {
        id: 1,
        session_id: "manual-save-work",
        type: "manual",
        title: "A title",
        content: "some text",
        project: "work",
        scope: "project",
      },
      {
        id: 2,
        session_id: "manual-save-shop",
        type: "bugfix",
        title: "Second",
        content: "text",
        project: "shop",
        scope: "personal",
      },
    ]);
  });

  test("revises a topic in place and keeps the earlier text for `engram versions`", async () => {
    const here = place();
    await ok(here, ["save", "Auth", "use sessions", "--topic", "arch/auth"]);
    expect(await ok(here, ["versions", "1"])).toContain("no earlier versions");
    expect(await ok(here, ["save", "Auth", "use tokens", "--topic", "arch/auth"])).toBe('Memory saved: #1 "Auth" (manual)\n');
    const versions = await ok(here, ["versions", "1"]);
    expect(versions).toContain("use sessions");
    expect(JSON.parse(await ok(here, ["versions", "1", "--json"]))).toMatchObject({
      id: 1,
      revision_count: 2,
      versions: [{ version: 1, content: "use sessions" }],
    });
    expect(count(storeOf(here), "observations")).toBe(1);
  });

  test("counts the same words again instead of storing them twice", async () => {
    const here = place();
    await ok(here, ["save", "Same", "words"]);
    expect(JSON.parse(await ok(here, ["save", "Same", "  WORDS ", "--json"]))).toMatchObject({
      kind: "duplicate",
      observation: { id: 1, duplicate_count: 2 },
    });
  });

  test("refuses a blank title or content and stores nothing", async () => {
    const here = place();
    for (const [title, content] of [
      ["", "c"],
      ["  \t", "c"],
      ["t", ""],
      ["t", " \n "],
    ] as const) {
      expect(await refused(here, ["save", title, content])).toMatch(/^engram: observation (title|content) is required\n$/);
    }
    expect(existsSync(storeOf(here)) ? count(storeOf(here), "observations") : 0).toBe(0);
  });

  test("says on standard error what it changed: a normalised name, a cut text", async () => {
    const here = place();
    const named = await here.run(["save", "t", "c", "--project", "My--App"]);
    expect(named).toMatchObject({ code: 0, stdout: 'Memory saved: #1 "t" (manual)\n' });
    expect(named.stderr).toContain('"my-app"');
    const long = await here.run(["save", "long", "é".repeat(30_000), "--project", "p"]);
    expect(long).toMatchObject({ code: 0, stdout: 'Memory saved: #2 "long" (manual)\n' });
    expect(long.stderr).toContain("truncated from 60000");
    expect(query(storeOf(here), "SELECT substr(content, -18) AS tail FROM observations WHERE id = 2")).toEqual([
      { tail: "ééé... [truncated]" },
    ]);
  });

  test("takes words that look like options after --", async () => {
    const here = place();
    expect(await ok(here, ["save", "--project", "p", "--", "--title", "--project"])).toBe(
      'Memory saved: #1 "--title" (manual)\n',
    );
    expect(await ok(here, ["search", "--project", "p", "--", "--title"])).toContain("#1 (manual) — --title");
  });

  test("uses ENGRAM_PROJECT before the folder and an explicit project before both", async () => {
    const here = place();
    await ok(here, ["save", "a", "1"], { env: { ENGRAM_PROJECT: "from-env" } });
    await ok(here, ["save", "b", "2", "--project", "explicit"], { env: { ENGRAM_PROJECT: "from-env" } });
    expect(query(storeOf(here), "SELECT project FROM observations ORDER BY id")).toEqual([
      { project: "from-env" },
      { project: "explicit" },
    ]);
  });

  const NO_GIT = spawnSync("git", ["--version"]).status === 0 ? undefined : "git is not installed";
  testUnless(NO_GIT, "in a folder with several repositories saves all the same, and names them", async () => {
    const here = place();
    for (const name of ["api", "web"]) {
      mkdirSync(join(here.work, name));
      expect(spawnSync("git", ["init", "--quiet"], { cwd: join(here.work, name), env: here.env() }).status).toBe(0);
    }
    const { code, stdout, stderr } = await here.run(["save", "t", "c"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Memory saved: #1 "t" (manual)\n' });
    expect(stderr).toContain("api");
    expect(stderr).toContain("web");
    expect(stderr).toContain("--project");
    expect(query(storeOf(here), "SELECT project FROM observations")).toEqual([{ project: "work" }]);
  });
});

describeUnless(NOT_BUILT, "engram search", () => {
  test("shows number, type, title, text, local time, project and scope", async () => {
    const here = await seeded();
    expect(
      await ok(here, ["search", "line", "--project", "shop", "--limit", "1"], { env: { ENGRAM_TIMEZONE: "Asia/Tokyo" } }),
    ).toMatch(
      /^Found 1 memories:\n\n\[1\] #\d \(bugfix\) — Cart \d\n {4}line \d about the cart\n {4}2026-01-15 21:00:0\d \| project: shop \| scope: project\n\n$/i,
    );
  });

  test("searches the project of the folder, a named one in any case, or everything", async () => {
    const here = await seeded();
    expect(await ok(here, ["search", "cart"])).toBe('No memories found for: "cart"\n');
    expect(await ok(here, ["search", "cart", "--project", "SHOP"])).toStartWith("Found 3 memories:");
    expect(await ok(here, ["search", "about", "the", "cart", "--all"])).toStartWith("Found 4 memories:");
    const unknown = await here.run(["search", "cart", "--project", "shopp"]);
    expect(unknown).toMatchObject({ code: 0, stdout: 'No memories found for: "cart"\n' });
    expect(unknown.stderr).toContain("shop");
  });

  test("falls back to any word and says so, unless every word must match", async () => {
    const here = await seeded();
    const wide = await here.run(["search", "cart nonexistentword", "--all"]);
    expect(wide.code).toBe(0);
    expect(wide.stdout).toStartWith("Found 4 memories:");
    expect(wide.stderr).toContain("any of the words");
    const strict = await here.run(["search", "cart nonexistentword", "--all", "--match", "all"]);
    expect(strict.stdout).toBe('No memories found for: "cart nonexistentword"\n');
    expect(JSON.parse(await ok(here, ["search", "cart nonexistentword", "--all", "--json"]))).toMatchObject({ stage: "any" });
  });

  test("never fails on what people type", async () => {
    const here = await seeded();
    for (const words of [
      '"',
      "'",
      '"unclosed',
      "a AND",
      "NOT",
      "NEAR(a b)",
      "*",
      "col:x",
      "-x -y",
      "🛒",
      "(((",
      "\\",
      "%",
      "x".repeat(100_000),
    ]) {
      const { code, stdout } = await here.run(["search", "--all", "--", words]);
      expect({ words: words.slice(0, 20), code }).toEqual({ words: words.slice(0, 20), code: 0 });
      expect(stdout).toMatch(/^(No memories found|Found )/);
    }
    expect(await refused(here, ["search", "  "])).toContain("search query is required");
  });
});

describeUnless(NOT_BUILT, "engram delete", () => {
  test("hides an observation, removes it for good with --hard, and knows what is gone", async () => {
    const here = await seeded();
    expect(await ok(here, ["delete", "1"])).toBe("Observation #1 soft-deleted\n");
    expect(query(storeOf(here), "SELECT deleted_at IS NOT NULL AS hidden FROM observations WHERE id = 1")).toEqual([
      { hidden: 1 },
    ]);
    expect(await refused(here, ["delete", "1"])).toBe("engram: observation not found\n");
    expect(await ok(here, ["delete", "2", "--hard"])).toBe("Observation #2 hard-deleted\n");
    expect(query(storeOf(here), "SELECT id FROM observations WHERE id = 2")).toEqual([]);
    expect(await refused(here, ["delete", "x"])).toContain('invalid observation id "x"');
    expect(await refused(here, ["delete", "99999"])).toBe("engram: observation not found\n");
  });

  test("deletes prompts, projects, and sessions that hold nothing", async () => {
    const here = await seeded();
    expect(await ok(here, ["delete", "prompt", "1"])).toBe("Prompt #1 deleted\n");
    expect(await refused(here, ["delete", "prompt", "1"])).toMatch(/^engram: [^\n]*not found[^\n]*\n$/);
    expect(await refused(here, ["delete", "session", "s-shop"])).toContain("observations");
    expect(await ok(here, ["delete", "session", "s-empty"])).toBe('Session "s-empty" deleted\n');
    expect(await refused(here, ["delete", "session", "s-empty"])).toMatch(/^engram: [^\n]*not found[^\n]*\n$/);
    expect(await ok(here, ["delete", "project", "shop"])).toMatch(
      /^Project "shop" soft-deleted: \d observation\(s\), \d prompt\(s\), 0 session\(s\)\n$/,
    );
    expect(await ok(here, ["delete", "project", "shop", "--hard"])).toMatch(/^Project "shop" hard-deleted: \d observation\(s\)/);
    expect(query(storeOf(here), "SELECT id FROM observations WHERE project = 'shop'")).toEqual([]);
    expect(integrity(storeOf(here))).toBe("ok");
  });
});

describeUnless(NOT_BUILT, "engram timeline, context, stats", () => {
  test("timeline shows what came before and after", async () => {
    const here = await seeded();
    const text = await ok(here, ["timeline", "2", "--all"], { env: { ENGRAM_TIMEZONE: "UTC" } });
    expect(text).toContain(">>> #2 [bugfix] Cart 2 <<<");
    expect(text).toContain("─── Before ───\n  #1 [bugfix] Cart 1 — line 1 about the cart\n");
    expect(text).toContain("2026-01-15 12:00:01");
    expect(await refused(here, ["timeline", "424242", "--all"])).toMatch(/^engram: [^\n]*not found[^\n]*\n$/);
    expect(await refused(here, ["timeline", "1", "--project", "other"])).toMatch(/^engram: [^\n]+\n$/);
  });

  test("context prints what hooks paste, for a named project, the folder's, or all", async () => {
    const here = await seeded();
    const text = await ok(here, ["context", "shop"]);
    expect(text).toStartWith("## Memory from Previous Sessions\n");
    expect(text).toContain("built the cart");
    expect(text).toContain("- [bugfix] **Cart 1**: line 1 about the cart");
    expect(await ok(here, ["context", "--project", "shop"])).toBe(text);
    expect(await ok(here, ["context"])).toBe("No previous session memories found.\n");
    expect(await ok(here, ["context", "--all"])).toContain("**Cart 4**");
    expect(JSON.parse(await ok(here, ["context", "shop", "--json"]))).toMatchObject({ context: text });
  });

  test("stats counts the store or one project, and names the file", async () => {
    const here = await seeded();
    const text = await ok(here, ["stats", "--all"]);
    expect(text).toMatch(
      /^Engram Memory Stats\n {2}Sessions: {5}4\n {2}Observations: 4\n {2}Prompts: {6}1\n {2}Projects: {5}.*shop/,
    );
    expect(text).toEndWith(`  Database:     ${storeOf(here)}\n`);
    expect(await ok(here, ["stats", "--project", "shop"])).toContain("Observations: 3");
    expect(await ok(here, ["stats"])).toContain("Observations: 0");
  });
});

describeUnless(NOT_BUILT, "engram export and import", () => {
  test("carry everything to another store, and back again nothing changes", async () => {
    const [here, there] = [await seeded(), place()];
    expect(await ok(here, ["export", "out.json", "--all"])).toBe(
      "Exported to out.json\n  Sessions:     4\n  Observations: 4\n  Prompts:      1\n",
    );
    const file = join(here.work, "out.json");
    expect(await ok(there, ["import", file])).toContain(
      `Imported from ${file}\n  Sessions:     4\n  Observations: 4\n  Prompts:      1\n`,
    );
    await ok(there, ["export", "back.json", "--all"]);
    const read = (path: string) => ({ ...(JSON.parse(readFileSync(path, "utf8")) as object), exported_at: "" });
    expect(read(join(there.work, "back.json"))).toEqual(read(file));
    expect(read(file)).toMatchObject({ version: "0.2.0" });
    expect(JSON.parse(await ok(there, ["import", file, "--json"]))).toMatchObject({
      sessions_imported: 0,
      observations_imported: 0,
      prompts_imported: 0,
    });
    expect(readFileSync(file, "utf8")).toStartWith('{\n  "version": "0.2.0",\n');
    expect(integrity(storeOf(there))).toBe("ok");
  });

  test("an export is of the folder's project unless told, into engram-export.json unless told", async () => {
    const here = await seeded();
    await ok(here, ["save", "Mine", "text"]);
    expect(await ok(here, ["export"])).toBe(
      "Exported to engram-export.json\n  Sessions:     1\n  Observations: 1\n  Prompts:      0\n",
    );
    expect(readdirSync(here.work)).toEqual(["engram-export.json"]);
    expect(await ok(here, ["export", "shop.json", "--project", "Shop"])).toContain("Observations: 3");
  });

  test("an export that cannot be written leaves no draft behind and keeps what was there", async () => {
    const here = await seeded();
    mkdirSync(join(here.work, "folder"));
    for (const target of ["missing/out.json", "folder", join(here.work, "folder")]) {
      expect(await refused(here, ["export", target, "--all"])).toMatch(/^engram: [^\n]+\n$/);
    }
    expect(readdirSync(here.work, { recursive: true })).toEqual(["folder"]);
  });

  test("an import that cannot be used says why and changes nothing", async () => {
    const here = await seeded();
    const before = query(storeOf(here), "SELECT * FROM observations");
    const write = (name: string, text: string) => {
      writeFileSync(join(here.work, name), text);
      return name;
    };
    mkdirSync(join(here.work, "folder"));
    const row = { session_id: "s-shop", title: "t", content: "c" };
    for (const [file, about] of [
      ["missing.json", "missing.json"],
      ["folder", "folder"],
      [write("empty.json", ""), "empty.json"],
      [write("bad.json", '{"version":"0.2.0",'), "bad.json"],
      [write("list.json", "[]"), "object"],
      [write("null.json", "null"), "object"],
      [write("none.json", "{}"), "version"],
      [write("other.json", JSON.stringify({ version: "0.3.0", observations: [row] })), "0.3.0"],
      [write("number.json", JSON.stringify({ version: 2, observations: [row] })), "version"],
    ] as const) {
      const stderr = await refused(here, ["import", file]);
      expect(stderr).toMatch(/^engram: [^\n]+\n$/);
      expect(stderr).toContain(about);
    }
    expect(query(storeOf(here), "SELECT * FROM observations")).toEqual(before);
  });

  test("a row that cannot be used is named and left out, the others come in", async () => {
    const here = place();
    const row = { session_id: "s", title: "t", content: "c", project: "p" };
    const rows = [
      { ...row, sync_id: "obs-good" },
      { ...row, sync_id: "obs-astray", session_id: "nowhere" },
      { ...row, sync_id: "obs-odd", title: 1 },
    ];
    writeFileSync(
      join(here.work, "mixed.json"),
      JSON.stringify({ version: "0.2.0", sessions: [{ id: "s", project: "p", directory: "/" }], observations: rows }),
    );
    const { code, stdout, stderr } = await here.run(["import", "mixed.json"]);
    expect(code).toBe(0);
    expect(stdout).toContain("Observations: 1");
    expect(stdout).toContain("Rejected:     2");
    expect(stderr).toContain("obs-astray");
    expect(stderr).toContain("obs-odd");
    expect(query(storeOf(here), "SELECT sync_id FROM observations")).toEqual([{ sync_id: "obs-good" }]);
  });
});

describeUnless(NOT_BUILT, "engram projects", () => {
  test("lists names with their counts, aligned, singular where it is one", async () => {
    expect(await ok(place(), ["projects", "list"])).toBe("No projects found.\n");
    const here = await seeded();
    const text = await ok(here, ["projects", "list"]);
    expect(text).toContain("  shop                              2 obs     1 session      1 prompt\n");
    expect(text).toContain("  empty                             0 obs     1 session      0 prompts\n");
    expect(await ok(here, ["projects"])).toBe(text);
    expect(await refused(here, ["projects", "bogus"])).toStartWith("unknown projects subcommand: bogus\n");
  });

  test("consolidate offers spellings of one name and merges the chosen ones", async () => {
    const here = await seeded();
    const dry = await ok(here, ["projects", "consolidate", "--all", "--dry-run"]);
    expect(dry).toContain('[dry-run] Would merge into "shop"');
    expect(query(storeOf(here), "SELECT DISTINCT project FROM observations WHERE project IS NOT NULL ORDER BY 1")).toHaveLength(
      2,
    );
    const { code, stdout } = await here.run(["projects", "consolidate", "--all"], { stdin: "skip\n" });
    expect({ code, skipped: stdout.includes("Skipped.") }).toEqual({ code: 0, skipped: true });
    expect(await ok(here, ["projects", "consolidate", "--all"], { stdin: "all\n" })).toContain("Merged: 1 obs");
    expect(query(storeOf(here), "SELECT DISTINCT project FROM observations WHERE project IS NOT NULL")).toEqual([
      { project: "shop" },
    ]);
    expect(await ok(here, ["projects", "consolidate", "--all"])).toBe(
      "No similar project names found. Nothing to consolidate.\n",
    );
  });

  test("consolidate without an answer changes nothing", async () => {
    const here = await seeded();
    await here.run(["projects", "consolidate", "--all"]);
    expect(query(storeOf(here), "SELECT DISTINCT project FROM observations WHERE project IS NOT NULL")).toHaveLength(2);
  });

  test("merge takes names that differ in spelling only, and does it only with --apply", async () => {
    const here = await seeded();
    const words = ["projects", "merge", "--from", "Shop", "--to", "shop"];
    expect(await refused(here, words)).toContain("exactly one of --dry-run or --apply");
    expect(await refused(here, [...words, "--dry-run", "--apply"])).toContain("exactly one of --dry-run or --apply");
    expect(await refused(here, ["projects", "merge", "--from", "Shop", "--to", "store", "--apply"])).toContain("different names");
    expect(await ok(here, [...words, "--dry-run"])).toContain("Observations: 1");
    expect(count(storeOf(here), "observations WHERE project = 'Shop'")).toBe(1);
    expect(await ok(here, [...words, "--apply"])).toContain("Observations: 1");
    expect(count(storeOf(here), "observations WHERE project = 'shop'")).toBe(3);
  });

  test("prune removes names without observations, after asking", async () => {
    const here = await seeded();
    expect(await ok(here, ["projects", "prune", "--dry-run"])).toContain("empty");
    expect(await ok(here, ["projects", "prune"], { stdin: "none\n" })).toContain("Cancelled.");
    expect(count(storeOf(here), "sessions WHERE project = 'empty'")).toBe(1);
    expect(await ok(here, ["projects", "prune"], { stdin: "all\n" })).toContain("Pruned");
    expect(count(storeOf(here), "sessions WHERE project = 'empty'")).toBe(0);
    expect(count(storeOf(here), "observations")).toBe(4);
    expect(await ok(here, ["projects", "prune"])).toBe("No empty projects to prune.\n");
  });

  test("rescue-ownership gives rows without owner to a project and leaves others alone", async () => {
    const here = await seeded();
    const text = await ok(here, [
      "projects",
      "rescue-ownership",
      "--project",
      "found",
      "--observation",
      "4",
      "--session",
      "s-none",
    ]);
    expect(text).toContain('Rescued into "found": 1 observation(s), 1 session(s), 0 prompt(s)');
    const { code, stdout } = await here.run(["projects", "rescue-ownership", "--project", "found", "--observation", "1"]);
    expect(code).toBe(1);
    expect(stdout).toContain('belongs to "shop"');
    expect(query(storeOf(here), "SELECT id, project FROM observations WHERE id IN (1, 4) ORDER BY id")).toEqual([
      { id: 1, project: "shop" },
      { id: 4, project: "found" },
    ]);
  });
});

describeUnless(NOT_BUILT, "engram init, doctor, test", () => {
  test("init fixes the name of a folder, and replaces it only by force", async () => {
    const here = place();
    const file = join(here.work, ".engram", "config.json");
    expect(await ok(here, ["init"])).toBe('Initialized Engram project "work" in .engram/config.json\n');
    expect(readFileSync(file, "utf8")).toBe('{\n  "project_name": "work"\n}\n');
    expect(await refused(here, ["init", "other"])).toMatch(/^engram: [^\n]*already exists[^\n]*\n$/);
    expect(readFileSync(file, "utf8")).toContain('"work"');
    expect(await ok(here, ["init", "other", "--force"])).toBe('Initialized Engram project "other" in .engram/config.json\n');
    expect(await ok(here, ["init", "third", "-f"])).toContain('"third"');
    expect(readdirSync(join(here.work, ".engram"))).toEqual(["config.json"]);
    for (const wrong of ["a/b", "", "x\ny"]) expect(await refused(here, ["init", wrong, "-f"])).toMatch(/^engram: [^\n]+\n$/);
    expect(existsSync(here.data)).toBe(false);
    await ok(here, ["save", "t", "c"]);
    expect(query(storeOf(here), "SELECT project FROM observations")).toEqual([{ project: "third" }]);
  });

  test("doctor reports, and repairs only with --apply and after a backup", async () => {
    const here = place();
    expect(await ok(here, ["doctor"])).toStartWith("Engram Doctor: ok\n");
    writeFileSync(
      join(here.work, "odd.json"),
      JSON.stringify({ version: "0.2.0", sessions: [{ id: "manual-save-other", project: "shop", directory: "/" }] }),
    );
    await ok(here, ["import", "odd.json"]);
    const unknown = ["doctor", "repair", "--project", "shop", "--check", "manual_session_name_project_mismatch", "--apply"];
    expect(JSON.parse(await ok(here, unknown))).toMatchObject({ status: "noop", skipped: [{ session_id: "manual-save-other" }] });
    writeFileSync(
      join(here.work, "known.json"),
      JSON.stringify({ version: "0.2.0", sessions: [{ id: "known", project: "other" }] }),
    );
    await ok(here, ["import", "known.json"]);
    const found = await here.run(["doctor", "--check", "manual_session_name_project_mismatch"]);
    expect({ code: found.code, warned: found.stdout.startsWith("Engram Doctor: warning\n") }).toEqual({ code: 0, warned: true });
    const repair = ["doctor", "repair", "--project", "shop", "--check", "manual_session_name_project_mismatch"];
    expect(await refused(here, repair)).toContain("exactly one of --plan, --dry-run, or --apply is required");
    for (const mode of ["--plan", "--dry-run"]) {
      expect(JSON.parse(await ok(here, [...repair, mode]))).toMatchObject({ counts: { sessions_applied: 0 } });
      expect(existsSync(join(here.data, "backups"))).toBe(false);
    }
    const { status, backup_path } = JSON.parse(await ok(here, [...repair, "--apply"])) as { status: string; backup_path: string };
    expect(status).toBe("applied");
    expect(query(backup_path, "SELECT project FROM sessions WHERE id = 'manual-save-other'")).toEqual([{ project: "shop" }]);
    expect(query(storeOf(here), "SELECT project FROM sessions WHERE id = 'manual-save-other'")).toEqual([{ project: "other" }]);
    expect(JSON.parse(await ok(here, [...repair, "--apply"]))).toMatchObject({ status: "noop" });
    expect((await here.run(["doctor", "--check", "nonsense"])).code).toBe(1);
  });

  test("test tries the program in a store of its own and leaves nothing", async () => {
    const here = place();
    expect(await ok(here, ["test", "--quick"])).toMatch(/^(ok {4}[^\n]+\n)+$/);
    expect(JSON.parse(await ok(here, ["test", "performance", "--quick", "--json"]))).toMatchObject({
      kind: "performance",
      ok: true,
    });
    expect(readdirSync(join(here.root, "tmp"))).toEqual([]);
    expect(existsSync(here.data)).toBe(false);
  });
});
