import { describe, expect, test } from "bun:test";
import type { Session } from "../model.ts";
import { manualSessionId, requireSession } from "./session.ts";

const session = (project: string): Session => ({
  id: "s1",
  project,
  ownership_mode: null,
  directory: "",
  started_at: "2026-01-01 08:00:00",
  ended_at: null,
  summary: null,
});

test("saves without a session share one per project, however the name is written", () => {
  expect(manualSessionId("")).toBe("manual-save");
  expect(manualSessionId("shop")).toBe("manual-save-shop");
  expect(manualSessionId("Shop")).toBe(manualSessionId(" shop "));
  expect(manualSessionId("my__app")).toBe("manual-save-my_app");
});

describe("the session of a write", () => {
  test("must exist", () => {
    expect(() => requireSession(null, null)).toThrow("session not found");
  });

  test("must be of the project that is named, in whatever case it was stored", () => {
    expect(requireSession(session("alpha"), "alpha").id).toBe("s1");
    expect(requireSession(session("Alpha"), "alpha").id).toBe("s1");
    expect(() => requireSession(session("alpha"), "beta")).toThrow("session project does not match requested project");
  });

  test("may be of any project where one of the two names none", () => {
    expect(requireSession(session("alpha"), null).id).toBe("s1");
    expect(requireSession(session("alpha"), "").id).toBe("s1");
    expect(requireSession(session(""), "beta").id).toBe("s1");
  });
});
