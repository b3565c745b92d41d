import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { byteLength } from "../../kernel/text.ts";
import type { Observation, Prompt, Session, SessionSummary } from "../model.ts";
import { type ContextParts, renderContext, renderSessionContext, withinBudget } from "./context.ts";

const observation = (title: string, content: string, type = "manual"): Observation => ({
  id: 1,
  sync_id: "obs-1",
  session_id: "s1",
  type,
  title,
  content,
  tool_name: null,
  project: "alpha",
  scope: "project",
  topic_key: null,
  revision_count: 1,
  duplicate_count: 1,
  last_seen_at: null,
  pinned: false,
  review_after: null,
  created_at: "2026-01-01 10:00:00",
  updated_at: "2026-01-01 10:00:00",
  deleted_at: null,
});
const prompt = (content: string): Prompt => ({
  id: 1,
  sync_id: "prompt-1",
  source_inbox_id: null,
  session_id: "s1",
  content,
  project: "alpha",
  created_at: "2026-01-01 09:00:00",
});
const summary = (text: string | null, observation_count = 3): SessionSummary => ({
  id: "s1",
  project: "alpha",
  started_at: "2026-01-01 08:00:00",
  ended_at: null,
  summary: text,
  observation_count,
});
const session: Session = {
  id: "s1",
  project: "alpha",
  ownership_mode: null,
  directory: "/srv",
  started_at: "2026-01-01 08:00:00",
  ended_at: null,
  summary: null,
};
const nothing: ContextParts = { sessions: [], prompts: [], pinned: [], observations: [] };
const full: ContextParts = {
  sessions: [summary("Did things")],
  prompts: [prompt("Fix it")],
  pinned: [observation("Keep", "always", "policy")],
  observations: [observation("New", "today", "bugfix")],
};
const style = { compact: false, time: (stamp: string) => `@${stamp}` };

describe("the context text", () => {
  test("has four sections in order, each closed by an empty line", () => {
    expect(renderContext(full, style)).toBe(
      [
        "## Memory from Previous Sessions",
        "",
        "### Recent Sessions",
        "- **alpha** (@2026-01-01 08:00:00): Did things [3 observations]",
        "",
        "### Recent User Prompts",
        "- @2026-01-01 09:00:00: Fix it",
        "",
        "### Pinned",
        "- [policy] **Keep**: always",
        "",
        "### Recent Observations",
        "- [bugfix] **New**: today",
        "",
        "",
      ].join("\n"),
    );
  });

  test("leaves out empty sections, and is empty where all are", () => {
    expect(renderContext({ ...nothing, prompts: full.prompts }, style)).toBe(
      "## Memory from Previous Sessions\n\n### Recent User Prompts\n- @2026-01-01 09:00:00: Fix it\n\n",
    );
    expect(renderContext(nothing, style)).toBe("");
  });

  test("names a session without summary by project and time alone", () => {
    expect(renderContext({ ...nothing, sessions: [summary(null, 0)] }, style)).toContain(
      "- **alpha** (@2026-01-01 08:00:00) [0 observations]\n",
    );
  });

  test("cuts long texts in characters: 200 of summaries and prompts, 300 of contents", () => {
    const long = "😀".repeat(400);
    const text = renderContext(
      {
        sessions: [summary(long)],
        prompts: [prompt(long)],
        pinned: [observation("P", long)],
        observations: [observation("O", long)],
      },
      style,
    );
    const lengths = [...text.matchAll(/(😀+)(\.\.\.)?/gu)].map((match) => [[...(match[1] as string)].length, match[2]]);
    expect(lengths).toEqual([
      [200, "..."],
      [200, "..."],
      [300, "..."],
      [300, "..."],
    ]);
    expect(renderContext({ ...nothing, prompts: [prompt("x".repeat(200))] }, style)).not.toContain("...");
  });

  test("in short form tells titles only", () => {
    const text = renderContext(full, { ...style, compact: true });
    expect(text).toContain("- [policy] **Keep**\n");
    expect(text).toContain("- [bugfix] **New**\n");
    expect(text).toContain(": Did things");
  });

  test("of one session has its own heading and names the session", () => {
    expect(renderSessionContext(session, { prompts: full.prompts, pinned: [], observations: full.observations }, style)).toBe(
      "## Memory from This Session\n\n### Session\n- **s1** (@2026-01-01 08:00:00)\n\n### Recent User Prompts\n- @2026-01-01 09:00:00: Fix it\n\n### Recent Observations\n- [bugfix] **New**: today\n\n",
    );
  });
});

describe("a byte budget", () => {
  const texts = fc.string({ unit: fc.constantFrom("a", "é", "漢", "😀", "\n"), maxLength: 60, size: "max" });
  const limited = texts.chain((text) => fc.tuple(fc.constant(text), fc.integer({ min: 0, max: byteLength(text) + 3 })));
  const MARK = "\n[truncated]\n";

  test("is never exceeded, and never splits a character", () => {
    fc.assert(
      fc.property(limited, ([text, limit]) => {
        const kept = withinBudget(text, limit);
        expect(byteLength(kept)).toBeLessThanOrEqual(limit);
        expect(kept.isWellFormed()).toBeTrue();
      }),
    );
  });

  test("changes nothing that fits, and nothing when there is none", () => {
    fc.assert(
      fc.property(limited, ([text, limit]) => {
        if (byteLength(text) <= limit) expect(withinBudget(text, limit)).toBe(text);
        expect(withinBudget(text, undefined)).toBe(text);
      }),
    );
  });

  test("keeps a beginning and says that it was cut, where there is room to say so", () => {
    fc.assert(
      fc.property(limited, ([text, limit]) => {
        fc.pre(byteLength(text) > limit);
        const kept = withinBudget(text, limit);
        const head = limit > MARK.length ? kept.slice(0, -MARK.length) : kept;
        if (limit > MARK.length) expect(kept.endsWith(MARK)).toBeTrue();
        expect(text.startsWith(head)).toBeTrue();
      }),
    );
  });
});
