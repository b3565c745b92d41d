import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { openMemories, refusal, type TestMemories } from "../../../test/support/memories.ts";
import { CHECK_IDS, type CheckId } from "../rules/diagnosis.ts";
import { doctor } from "./doctor.ts";
import { saveManual } from "./save.ts";
import { endSession } from "./sessions.ts";

async function check(room: TestMemories, id: CheckId, input = {}) {
  const report = await room.call(doctor, { check: id, ...input });
  const [only] = report.checks;
  return { result: only?.result, findings: only?.findings?.map((finding) => finding.evidence) ?? [] };
}

/** A directory inside a repository, as git would make one. */
function repository(room: TestMemories, path: string, remote?: string): string {
  const made = room.directory(path);
  for (const folder of ["objects", "refs"]) mkdirSync(room.path(path, ".git", folder), { recursive: true });
  writeFileSync(room.path(path, ".git", "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(room.path(path, ".git", "config"), remote === undefined ? "" : `[remote "origin"]\n\turl = ${remote}\n`);
  return made;
}

describe("the doctor", () => {
  test("finds nothing wrong in a new store and in one that was only used", async () => {
    using room = openMemories();
    const clean = {
      status: "ok",
      summary: { total: CHECK_IDS.length, ok: CHECK_IDS.length, warnings: 0, blocked: 0, errors: 0 },
    };
    expect(await room.call(doctor, {})).toMatchObject(clean);
    await room.saved();
    await room.call(saveManual, { type: "manual", title: "t", content: "c", cwd: room.directory("work", "shop") });
    expect(await room.call(doctor, {})).toMatchObject(clean);
  });

  test("runs every check in the order of their names, or the one that was named", async () => {
    using room = openMemories();
    expect((await room.call(doctor, {})).checks.map((item) => item.check_id)).toEqual([...CHECK_IDS].sort());
    expect((await room.call(doctor, { check: "database_integrity" })).checks).toHaveLength(1);
    expect(await room.call(doctor, { check: "cholesterol" })).toMatchObject({
      status: "error",
      checks: [{ reason_code: "invalid_check" }],
    });
  });

  test("changes nothing", async () => {
    using room = openMemories();
    await room.saved({ session_id: "manual-save-other" });
    const before = room.dump();
    await room.call(doctor, {});
    expect(room.dump()).toBe(before);
  });

  test("looks at one project, at that of a directory, or at all", async () => {
    using room = openMemories();
    await room.session("manual-save-x", "alpha");
    await room.session("manual-save-y", "beta");
    const found = async (input: object) => (await check(room, "manual_session_name_project_mismatch", input)).findings.length;
    expect([
      await found({}),
      await found({ project: "ALPHA" }),
      await found({ cwd: room.directory("w", "beta") }),
      await found({ project: "none" }),
    ]).toEqual([2, 1, 1, 0]);
    expect((await room.call(doctor, { project: "Alpha" })).project).toBe("alpha");
    expect(await room.call(doctor, {})).not.toHaveProperty("project");
  });

  test("refuses a project that nobody has where it must exist, and tells the others", async () => {
    using room = openMemories();
    await room.session("s", "alpha");
    expect(await refusal(room.call(doctor, { project: "ghost", mustExist: true }))).toMatchObject({
      kind: "not_found",
      details: { code: "unknown_project", available_projects: ["alpha"] },
    });
    expect((await room.call(doctor, { project: "ALPHA", mustExist: true })).status).toBe("ok");
  });

  test("reaches a project under the name that an older program stored", async () => {
    using room = openMemories();
    room.change("INSERT INTO sessions (id, project, directory) VALUES ('manual-save-x', 'My__App', '/srv')");
    for (const project of ["My__App", "my__app"]) {
      expect((await check(room, "manual_session_name_project_mismatch", { project, mustExist: true })).findings).toHaveLength(1);
    }
  });
});

describe("a session", () => {
  test("should be of the project that the repository of its directory vouches for", async () => {
    using room = openMemories();
    const shop = repository(room, "shop");
    const clone = repository(room, "clone", "https://git.example.org/acme/Widget.git");
    await room.session("drift", "wrong", shop);
    await room.session("drift too", "wrong", clone);
    await room.session("remote", "widget", clone);
    await room.session("configured", "anything", room.directory("configured", "named"));
    await room.session("fine", "shop", shop);
    await room.session("plain", "anything", room.directory("no-repository"));
    await room.session("gone", "anything", room.path("does", "not", "exist"));
    await room.session("nowhere", "anything", "");
    expect(await check(room, "session_project_directory_mismatch")).toEqual({
      result: "warning",
      findings: [
        {
          directory: shop,
          directory_project: "shop",
          directory_project_path: shop,
          directory_project_source: "git_root",
          session_id: "drift",
          session_project: "wrong",
        },
        {
          directory: clone,
          directory_project: "widget",
          directory_project_path: clone,
          directory_project_source: "git_remote",
          session_id: "drift too",
          session_project: "wrong",
        },
      ],
    });
  });

  test("of saves by hand may lie in any directory, under its own project's name only", async () => {
    using room = openMemories();
    const shop = repository(room, "shop");
    await room.call(saveManual, { type: "manual", title: "t", content: "c", cwd: shop, project: "Blog" });
    await room.session("manual-save-wiki", "wrong", shop);
    await room.session("manual-save-wrong-2", "wrong", shop);
    await room.session("manual-save", "wrong", shop);
    const { findings } = await check(room, "session_project_directory_mismatch");
    expect(findings.map((found) => found.session_id).sort()).toEqual(["manual-save", "manual-save-wiki", "manual-save-wrong-2"]);
  });

  test("that a project's own saves use should carry its name", async () => {
    using room = openMemories();
    await room.session("manual-save-shop", "blog");
    await room.session("manual-save-blog", "blog");
    expect(await check(room, "manual_session_name_project_mismatch")).toEqual({
      result: "warning",
      findings: [
        { name_project: "shop", session_id: "manual-save-shop", session_name: "manual-save-shop", session_project: "blog" },
      ],
    });
  });

  test("should be the only live one of its project in its directory, while its lease lasts", async () => {
    using room = openMemories();
    for (const id of ["a", "b"]) await room.session(id, "alpha", "/srv");
    await room.session("c", "alpha", "/elsewhere");
    expect(await check(room, "ambiguous_active_runtime_sessions")).toEqual({
      result: "warning",
      findings: [{ project: "alpha", directory: "/srv", session_ids: ["a", "b"] }],
    });
    await room.call(endSession, { id: "b" });
    expect((await check(room, "ambiguous_active_runtime_sessions")).result).toBe("ok");
    await room.session("d", "alpha", "/srv");
    room.clock.advance({ minutes: 30 });
    expect((await check(room, "ambiguous_active_runtime_sessions")).result).toBe("ok");
  });

  test("should have an id that clients can send, and a project", async () => {
    using room = openMemories();
    room.change(
      "INSERT INTO sessions (id, project, directory) VALUES ('', 'alpha', '/srv'), (' x', 'alpha', '/srv'), ('tab' || char(9), 'alpha', '/srv'), ('ok', '', '/srv')",
    );
    expect((await check(room, "invalid_session_identity")).findings.map((f) => f.session_id).sort()).toEqual(["", " x", "tab\t"]);
    for (const input of [{}, { project: "alpha" }, { project: "none" }]) {
      expect(await check(room, "unowned_session_project", input)).toEqual({
        result: "warning",
        findings: [{ session_id: "ok", directory: "/srv" }],
      });
    }
  });

  test("should exist for every observation", async () => {
    using room = openMemories();
    await room.saved();
    room.change("INSERT INTO observations (session_id, type, title, content) VALUES ('ghost', 'manual', 'Lost', 'x')");
    expect(await check(room, "orphaned_observation_session")).toEqual({
      result: "warning",
      findings: [{ observation_id: 2, session_id: "ghost", title: "Lost" }],
    });
  });
});

describe("the journal", () => {
  const broken =
    "INSERT INTO sync_mutations (target_key, entity, entity_key, op, payload, project) VALUES ('cloud', 'observation', 'obs-1', 'upsert', '{\"title\":\"\"}', 'alpha')";

  test("must hold what a receiver insists on, in projects that somebody enrolled", async () => {
    using room = openMemories();
    room.change(broken);
    expect((await check(room, "sync_mutation_required_fields")).result).toBe("ok");
    room.enroll("alpha");
    expect(await check(room, "sync_mutation_required_fields")).toMatchObject({
      result: "blocked",
      findings: [
        {
          entity: "observation",
          entity_key: "obs-1",
          missing_fields: ["sync_id", "session_id", "type", "title", "content", "scope"],
        },
      ],
    });
    room.change("UPDATE sync_mutations SET acked_at = '2026-01-01 00:00:00'");
    expect((await check(room, "sync_mutation_required_fields")).result).toBe("ok");
  });

  test("is judged also where its rows are no objects at all", async () => {
    using room = openMemories();
    room.enroll("alpha");
    for (const payload of ["null", "[]", "7", "{oops"]) room.change(broken.replace('{"title":""}', payload));
    expect((await check(room, "sync_mutation_required_fields")).findings).toHaveLength(4);
  });

  test("must speak to targets that exist", async () => {
    using room = openMemories();
    room.change(broken.replace("'cloud'", "'mars'"));
    expect(await check(room, "sync_target_closed_space")).toEqual({
      result: "blocked",
      findings: [{ target_key: "mars", mutations: 1 }],
    });
    expect((await room.call(doctor, {})).status).toBe("blocked");
  });
});

test("the file is sound and in the mode where readers and writers do not wait for each other", async () => {
  using room = openMemories();
  await room.saved();
  expect((await room.call(doctor, { check: "database_integrity" })).checks[0]?.evidence).toEqual({ quick_check: "ok" });
  expect((await room.call(doctor, { check: "sqlite_lock_contention" })).checks[0]).toMatchObject({
    result: "ok",
    evidence: { journal_mode: "wal", busy_timeout_ms: 5000, checkpoint_busy: 0 },
  });
});
