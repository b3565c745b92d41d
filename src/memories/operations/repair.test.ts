import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { openMemories, refusal, type TestMemories } from "../../../test/support/memories.ts";
import { doctor } from "./doctor.ts";
import { recentObservations } from "./observations.ts";
import { savePrompt } from "./prompts.ts";
import { repair } from "./repair.ts";

const status = async (room: TestMemories, check: string) => (await room.call(doctor, { check })).status;

/** A directory inside a repository, as git would make one. */
function repository(room: TestMemories, path: string, remote?: string): string {
  const made = room.directory(path);
  for (const folder of ["objects", "refs"]) mkdirSync(room.path(path, ".git", folder), { recursive: true });
  writeFileSync(room.path(path, ".git", "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(room.path(path, ".git", "config"), remote === undefined ? "" : `[remote "origin"]\n\turl = ${remote}\n`);
  return made;
}

/** A session of `wrong` in the repository of `shop`, a project that is known unless told otherwise. */
async function drifted({ known = true } = {}): Promise<TestMemories> {
  const room = openMemories();
  if (known) await room.session("shop-1", "shop");
  await room.session("drift", "wrong", repository(room, "shop"));
  await room.saved({ session_id: "drift", project: "wrong", title: "Moved" });
  await room.call(savePrompt, { session_id: "drift", content: "a prompt" });
  await room.saved({ session_id: "fine", project: "wrong", title: "Stays" });
  return room;
}

describe("a repair", () => {
  const input = { project: "Wrong", check: "session_project_directory_mismatch" };
  const action = {
    session_id: "drift",
    from_project: "wrong",
    to_project: "shop",
    reason_code: input.check,
    evidence_source: "git_root",
  };
  const planned = { sessions_planned: 1, observations_planned: 1, prompts_planned: 1 };

  for (const mode of ["plan", "dry_run"] as const) {
    test(`in mode ${mode} says what it would do and touches nothing`, async () => {
      using room = await drifted();
      const before = room.dump();
      const report = await room.call(repair, { ...input, mode });
      expect(report).toMatchObject({
        project: "wrong",
        mode,
        status: mode === "plan" ? "planned" : "dry_run",
        actions: [action],
      });
      expect(report.counts).toEqual({ ...planned, sessions_applied: 0, observations_applied: 0, prompts_applied: 0 });
      expect(report).not.toHaveProperty("backup_path");
      expect(report).not.toHaveProperty("skipped");
      expect(room.dump()).toBe(before);
      expect(existsSync(room.path("backups"))).toBeFalse();
    });
  }

  test("that is applied moves what it said, after a private backup of the state before", async () => {
    using room = await drifted();
    const report = await room.call(repair, { ...input, mode: "apply" });
    expect(report).toMatchObject({
      status: "applied",
      actions: [action],
      counts: { ...planned, sessions_applied: 1, observations_applied: 1, prompts_applied: 1 },
    });
    expect(room.rows("SELECT title, project FROM observations ORDER BY id")).toEqual([
      { title: "Moved", project: "shop" },
      { title: "Stays", project: "wrong" },
    ]);
    expect(room.one("SELECT project FROM user_prompts")).toBe("shop");
    const path = report.backup_path as string;
    expect(path).toStartWith(room.path("backups"));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const backup = new DatabaseSync(path, { readOnly: true });
    expect(backup.prepare("SELECT COUNT(*) AS n FROM observations WHERE project = 'wrong'").get()).toEqual({ n: 2 });
    backup.close();
    expect(await status(room, input.check)).toBe("ok");
  });

  test("has nothing to do the second time, and makes no backup for it", async () => {
    using room = await drifted();
    await room.call(repair, { ...input, mode: "apply" });
    expect(await room.call(repair, { ...input, mode: "apply" })).toMatchObject({
      status: "noop",
      actions: [],
      counts: { sessions_planned: 0 },
    });
    expect(readdirSync(room.path("backups"))).toHaveLength(1);
  });

  test("tells sync of everything that it moved into an enrolled project", async () => {
    using room = await drifted();
    room.enroll("shop");
    await room.call(repair, { ...input, mode: "apply" });
    expect(room.rows("SELECT entity, op FROM sync_mutations WHERE project = 'shop' ORDER BY entity")).toEqual([
      { entity: "observation", op: "upsert" },
      { entity: "prompt", op: "upsert" },
      { entity: "session", op: "upsert" },
    ]);
  });

  test("reaches a project under the name that an older program stored", async () => {
    using room = await drifted();
    room.change(
      "UPDATE sessions SET project = 'My__App' WHERE id = 'drift'; UPDATE observations SET project = 'My__App' WHERE session_id = 'drift'",
    );
    expect(await room.call(repair, { ...input, project: "My__App", mode: "plan" })).toMatchObject({
      status: "planned",
      counts: { observations_planned: 1 },
    });
  });

  for (const mode of ["plan", "dry_run", "apply"] as const) {
    test(`in mode ${mode} moves nothing into a project that has no session, and says so`, async () => {
      using room = await drifted({ known: false });
      const before = room.dump();
      const report = await room.call(repair, { ...input, mode });
      expect(report).toMatchObject({ status: "noop", actions: [], counts: { sessions_planned: 0, sessions_applied: 0 } });
      expect(report.skipped).toEqual([
        { session_id: "drift", reason_code: "unknown_target_project", message: expect.stringContaining('"shop"') },
      ]);
      expect(room.dump()).toBe(before);
      expect(existsSync(room.path("backups"))).toBeFalse();
    });
  }

  test("moves what it can and skips the rest", async () => {
    using room = await drifted();
    await room.session("stray", "wrong", repository(room, "nobody"));
    const report = await room.call(repair, { ...input, mode: "apply" });
    expect(report).toMatchObject({
      status: "applied",
      actions: [action],
      skipped: [{ session_id: "stray", reason_code: "unknown_target_project" }],
      counts: { sessions_planned: 1, sessions_applied: 1 },
    });
    expect(room.one("SELECT project FROM sessions WHERE id = 'stray'")).toBe("wrong");
  });

  test("is known for some checks only", async () => {
    using room = openMemories();
    for (const check of ["database_integrity", "cholesterol", ""]) {
      expect(await refusal(room.call(repair, { project: "alpha", check, mode: "apply" }))).toMatchObject({ kind: "invalid" });
    }
  });
});

test("a manual session named after another project goes there with what it holds", async () => {
  using room = openMemories();
  await room.saved({ session_id: "manual-save-shop", project: "blog", title: "Lost" });
  const check = "manual_session_name_project_mismatch";
  const before = room.dump();
  const refused = await room.call(repair, { project: "blog", check, mode: "apply" });
  expect(refused).toMatchObject({ status: "noop", actions: [] });
  expect(refused.skipped).toEqual([
    { session_id: "manual-save-shop", reason_code: "manual_name_unknown_project", message: expect.stringContaining('"shop"') },
  ]);
  expect(room.dump()).toBe(before);
  await room.session("shop-1", "Shop");
  expect(await room.call(repair, { project: "blog", check, mode: "apply" })).toMatchObject({
    status: "applied",
    actions: [{ to_project: "shop" }],
  });
  expect((await room.call(recentObservations, { project: "shop" })).observations.map((o) => o.title)).toEqual(["Lost"]);
  expect(await status(room, check)).toBe("ok");
});

test("a session whose id no client can send gets another, and keeps what it holds", async () => {
  using room = openMemories();
  room.change(`INSERT INTO sessions (id, project, directory, started_at, summary) VALUES (' bad', 'alpha', '/srv', '2026-01-01 00:00:00', 'sum');
    INSERT INTO observations (session_id, type, title, content, project) VALUES (' bad', 'manual', 'T', 'C', 'alpha');
    INSERT INTO user_prompts (session_id, content, project) VALUES (' bad', 'P', 'alpha')`);
  const check = "invalid_session_identity";
  const report = await room.call(repair, { project: "alpha", check, mode: "apply" });
  const renamed = report.actions[0]?.new_session_id as string;
  expect(report).toMatchObject({
    status: "applied",
    actions: [{ session_id: " bad" }],
    counts: { sessions_planned: 1, sessions_applied: 1 },
  });
  expect(renamed).toMatch(/^recovered-[0-9a-f]{16}$/);
  expect(room.rows("SELECT id, project, started_at, summary FROM sessions")).toEqual([
    { id: renamed, project: "alpha", started_at: "2026-01-01 00:00:00", summary: "sum" },
  ]);
  expect(room.rows("SELECT session_id FROM observations UNION ALL SELECT session_id FROM user_prompts")).toEqual([
    { session_id: renamed },
    { session_id: renamed },
  ]);
  expect(room.rows("PRAGMA foreign_key_check")).toEqual([]);
});

describe("a journal row that cannot be sent", () => {
  const row = (target: string, payload: string) =>
    `INSERT INTO sync_mutations (target_key, entity, entity_key, op, payload, project) VALUES ('${target}', 'session', 's', 'upsert', '${payload}', 'alpha')`;
  const COMPLETE = '{"id":"s","directory":"/srv"}';

  test.each([
    ["fields", "sync_mutation_required_fields", row("cloud", "{}")],
    ["a target", "sync_target_closed_space", row("mars", COMPLETE)],
  ])("for want of %s is set aside, and the others stay", async (_want, check, broken) => {
    using room = openMemories();
    room.enroll("alpha");
    room.change(broken);
    room.change(row("cloud", COMPLETE));
    expect(await status(room, check)).toBe("blocked");
    expect(await room.call(repair, { project: "alpha", check, mode: "apply" })).toMatchObject({
      status: "applied",
      actions: [{ seq: 1 }],
    });
    expect(room.rows("SELECT seq, disposition FROM sync_mutations ORDER BY seq")).toEqual([
      { seq: 1, disposition: "quarantined" },
      { seq: 2, disposition: "pending" },
    ]);
    expect(await status(room, check)).toBe("ok");
  });
});
