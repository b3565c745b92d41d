import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { openMemories, refusal, type TestMemories } from "../../../test/support/memories.ts";
import { doctor } from "./doctor.ts";
import { recentObservations } from "./observations.ts";
import { savePrompt } from "./prompts.ts";
import { repair } from "./repair.ts";

const status = async (room: TestMemories, check: string) => (await room.call(doctor, { check })).status;

async function drifted(): Promise<TestMemories> {
  const room = openMemories();
  await room.session("drift", "wrong", room.directory("shop", "shop"));
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
    evidence_source: "config",
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

  test("for want of fields is set aside, and the others stay", async () => {
    using room = openMemories();
    room.enroll("alpha");
    room.change(row("cloud", "{}"));
    room.change(row("cloud", COMPLETE));
    const check = "sync_mutation_required_fields";
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

  test("for want of a target is set aside, and the others stay", async () => {
    using room = openMemories();
    room.enroll("alpha");
    room.change(row("mars", COMPLETE));
    room.change(row("cloud", COMPLETE));
    const check = "sync_target_closed_space";
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
