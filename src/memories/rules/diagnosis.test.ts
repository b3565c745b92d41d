import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Session } from "../model.ts";
import {
  failed,
  invalidIdentity,
  type MutationRow,
  manualNameMismatch,
  missingFields,
  passed,
  report,
  unknownCheck,
} from "./diagnosis.ts";

const session = (id: string, project: string): Session => ({
  id,
  project,
  ownership_mode: null,
  directory: "",
  started_at: "2026-01-01 08:00:00",
  ended_at: null,
  summary: null,
});
const mutation = (entity: string, payload: unknown, op = "upsert"): MutationRow => ({
  seq: 1,
  target_key: "cloud",
  entity,
  entity_key: "k",
  op,
  payload: typeof payload === "string" ? payload : JSON.stringify(payload),
  project: "alpha",
});

describe("a manual session", () => {
  test("should be named after its project", () => {
    expect(manualNameMismatch(session("manual-save-shop", "shop"))).toBeUndefined();
    expect(manualNameMismatch(session("manual-save-Shop", "shop"))).toBeUndefined();
    expect(manualNameMismatch(session("manual-save-shop", "blog"))).toBe("shop");
  });

  test("is not accused without a name, and others never are", () => {
    expect(manualNameMismatch(session("manual-save", "blog"))).toBeUndefined();
    expect(manualNameMismatch(session("manual-save-", "blog"))).toBeUndefined();
    expect(manualNameMismatch(session("run-shop", "blog"))).toBeUndefined();
  });
});

test("a session id must not be blank, padded, or hold control characters", () => {
  for (const id of ["", " ", " s1", "s1\n", "a\u0000b", "a\tb", "a\u007f"]) expect(invalidIdentity(session(id, "p"))).toBeTrue();
  for (const id of ["s1", "run:resume:2", "with space", "ñ😀"]) expect(invalidIdentity(session(id, "p"))).toBeFalse();
});

describe("a journal row", () => {
  const observation = { sync_id: "obs-1", session_id: "s1", type: "manual", title: "t", content: "c", scope: "project" };

  test("is complete with every field that a receiver insists on", () => {
    expect(missingFields(mutation("observation", observation))).toBeUndefined();
    expect(missingFields(mutation("prompt", { sync_id: "p", session_id: "s", content: "c" }))).toBeUndefined();
    expect(missingFields(mutation("session", { id: "s", directory: "/srv" }))).toBeUndefined();
  });

  test("lacks what is absent, blank or no text", () => {
    expect(missingFields(mutation("observation", { ...observation, title: "", type: 7, scope: undefined }))).toEqual([
      "type",
      "title",
      "scope",
    ]);
    expect(missingFields(mutation("session", { id: "s" }))).toEqual(["directory"]);
  });

  test("of a session that a project owns needs no directory", () => {
    expect(missingFields(mutation("session", { id: "s", ownership_mode: "project_owned" }))).toBeUndefined();
  });

  test("needs nothing to delete, and nothing of a kind nobody knows", () => {
    expect(missingFields(mutation("observation", {}, "delete"))).toBeUndefined();
    expect(missingFields(mutation("picture", {}))).toBeUndefined();
  });

  test("with a payload that is no JSON lacks its payload", () => {
    expect(missingFields(mutation("observation", "{oops"))).toEqual(["payload"]);
  });

  test("is judged whatever its payload and kind are", () => {
    for (const payload of ["null", "[]", "7", '"text"', "true"])
      expect(missingFields(mutation("observation", payload))).toBeArray();
    for (const entity of ["constructor", "toString", "__proto__"]) expect(missingFields(mutation(entity, {}))).toBeUndefined();
    fc.assert(
      fc.property(
        fc.json(),
        fc.constantFrom("session", "observation", "prompt", "relation"),
        (json, entity) => void missingFields(mutation(entity, json)),
      ),
    );
  });
});

describe("a report", () => {
  const ok = passed("database_integrity", "why", {});
  const warning = failed("sqlite_lock_contention", "warning", "why", [{ message: "m", evidence: { a: 1 }, next: "n" }]);
  const blocked = failed("sync_mutation_required_fields", "blocked", "why", [
    { message: "m", evidence: {}, next: "n" },
    { message: "m2", evidence: {}, next: "n2" },
  ]);

  test("is as bad as its worst check", () => {
    expect(report([ok], undefined).status).toBe("ok");
    expect(report([ok, warning], undefined).status).toBe("warning");
    expect(report([warning, blocked], undefined).status).toBe("blocked");
    expect(report([blocked, unknownCheck("x"), ok], undefined).status).toBe("error");
  });

  test("counts every check once", () => {
    expect(report([ok, ok, warning, blocked, unknownCheck("x")], "alpha")).toMatchObject({
      project: "alpha",
      summary: { total: 5, ok: 2, warnings: 1, blocked: 1, errors: 1 },
    });
    expect(report([ok], undefined)).not.toHaveProperty("project");
  });

  test("tells one finding in its own words and several by their number", () => {
    expect(warning).toMatchObject({ message: "m", severity: "warning", safe_next_step: "n", evidence: { finding_count: 1 } });
    expect(blocked).toMatchObject({ message: "2 findings", severity: "blocking", reason_code: "sync_mutation_required_fields" });
    expect(blocked.findings?.map((finding) => finding.message)).toEqual(["m", "m2"]);
    expect(unknownCheck("nope").safe_next_step).toContain("database_integrity");
  });
});
