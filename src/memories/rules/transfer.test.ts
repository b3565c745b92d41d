import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { countingIds } from "../../../test/support/memories.ts";
import { toStamp } from "../../kernel/clock.ts";
import type { Observation, Prompt, Relation, Session } from "../model.ts";
import { contentHash } from "./observation.ts";
import { EXPORT_VERSION, exportRow, type ImportPlan, planImport } from "./transfer.ts";

function plan(data: unknown): ImportPlan {
  const made = planImport(data, countingIds());
  if ("problem" in made) throw new Error(made.problem);
  return made;
}
const problem = (data: unknown) => (planImport(data, countingIds()) as { problem?: string }).problem;
const observation = { session_id: "s1", type: "manual", title: "T", content: "C", created_at: "2026-01-01 10:00:00" };

describe("a document to import", () => {
  test("must be an object", () => {
    for (const data of [null, [], "text", 7, undefined]) expect(problem(data)).toStartWith("invalid json:");
  });

  test("must be of a version that we read", () => {
    for (const version of [undefined, null, "", "0.3.0", "1.0.0", "0.2", 1, {}]) {
      expect(problem({ version, sessions: [] })).toMatch(/^unsupported export version .* nothing was imported$/);
    }
    for (const version of ["0.1.0", "0.2.0"])
      expect(plan({ version })).toEqual({
        rejected: [],
        sessions: [],
        observations: [],
        prompts: [],
        relations: [],
        tombstones: [],
      });
  });

  test("may have lists that are missing or null, and keys that nobody knows", () => {
    expect(
      plan({ version: "0.1.0", sessions: null, observations: [{ ...observation, extra: { a: 1 } }], other: true }).observations,
    ).toHaveLength(1);
  });
});

describe("a row of the wrong shape", () => {
  test("is named with what is wrong with it, and the others are taken", () => {
    const { observations, rejected } = plan({
      version: "0.2.0",
      observations: [{ ...observation, sync_id: "obs-1", title: 7 }, observation, "text"],
      sessions: [{ id: "" }],
      prompts: [{ id: 3, session_id: "s1" }],
    });
    expect(observations).toHaveLength(1);
    expect(rejected.map(({ kind, id, reason }) => [kind, id, reason.split(":")[0]])).toEqual([
      ["session", "number 1", "id"],
      ["observation", "obs-1", "title"],
      ["observation", "number 3", "row"],
      ["prompt", "3", "content"],
    ]);
  });

  test("is not the same as a list that is none: then nothing is taken", () => {
    expect(problem({ version: "0.2.0", observations: {} })).toContain("observations");
  });
});

describe("an incoming row", () => {
  const taken = (row: object) => plan({ version: "0.1.0", observations: [{ ...observation, ...row }] }).observations[0];

  test("without an id of its own gets one, and is called by its number", () => {
    expect(taken({ id: 9 })).toMatchObject({ sync_id: null, fresh_sync_id: "obs-0000000000000001", label: "#9" });
    expect(taken({ sync_id: "obs-abc" })).toMatchObject({ sync_id: "obs-abc", label: "obs-abc" });
  });

  test("is normalised as a save would", () => {
    expect(
      taken({ scope: "weird", topic_key: "A B", revision_count: 0, duplicate_count: -4, pinned: 1, project: "", tool_name: "" }),
    ).toMatchObject({
      scope: "project",
      topic_key: "a-b",
      revision_count: 1,
      duplicate_count: 1,
      pinned: true,
      project: null,
      tool_name: null,
    });
  });

  test("keeps the spelling of its project", () => {
    expect(taken({ project: "Odd Project" })?.project).toBe("Odd Project");
  });

  test("loses private parts and what is too long before it is hashed", () => {
    const secret = taken({ title: "a <private>b</private>", content: "x <private>y</private>" });
    expect(secret).toMatchObject({ title: "a [REDACTED]", content: "x [REDACTED]", hash: contentHash("x [REDACTED]") });
    expect(taken({ content: "z".repeat(60_000) })?.content).toBe(`${"z".repeat(50_000)}... [truncated]`);
  });

  test("has stored times, from whichever form they came in", () => {
    expect(
      taken({ created_at: "2026-01-01T12:00:00+02:00", updated_at: "2026-01-02T03:04:05.678Z", deleted_at: "" }),
    ).toMatchObject({
      created_at: "2026-01-01 10:00:00",
      updated_at: "2026-01-02 03:04:05",
      deleted_at: null,
    });
    expect(taken({ created_at: "2026-01-01 10:00:00", updated_at: undefined })?.updated_at).toBe("2026-01-01 10:00:00");
    expect(taken({ created_at: undefined })?.created_at).toBe("1970-01-01 00:00:00");
    expect(taken({ created_at: "some day" })?.created_at).toBe("some day");
  });
});

describe("a row of the document", () => {
  test("has no key for what is absent, and always says whether it is pinned", () => {
    const row = plan({ version: "0.1.0", observations: [observation] }).observations[0] as unknown as Observation;
    const out = exportRow({ kind: "observation", row });
    expect(out).toMatchObject({ title: "T", pinned: false });
    for (const key of ["project", "tool_name", "topic_key", "deleted_at", "review_after", "last_seen_at"])
      expect(out).not.toHaveProperty(key);
  });

  const words = fc
    .string({ unit: fc.constantFrom("a", "ñ", "漢", "😀", " ", "\n", "<", '"'), maxLength: 30 })
    .map((text) => text.trim());
  const present = words.filter((text) => text !== "");
  const maybe = fc.option(present, { nil: null });
  const stamps = fc
    .date({ min: new Date("1970-01-01T00:00:00Z"), max: new Date("2999-01-01T00:00:00Z"), noInvalidDate: true })
    .map(toStamp);
  const maybeStamp = fc.option(stamps, { nil: null });

  const observations: fc.Arbitrary<Observation> = fc.record({
    id: fc.nat(),
    sync_id: present,
    session_id: present,
    type: words,
    title: words,
    content: words,
    tool_name: maybe,
    project: maybe,
    scope: fc.constantFrom("project", "personal", "global"),
    topic_key: fc.option(fc.stringMatching(/^[a-z]{1,9}\/[a-z-]{1,20}$/), { nil: null }),
    revision_count: fc.integer({ min: 1, max: 99 }),
    duplicate_count: fc.integer({ min: 1, max: 99 }),
    last_seen_at: maybeStamp,
    pinned: fc.boolean(),
    review_after: maybeStamp,
    created_at: stamps,
    updated_at: stamps,
    deleted_at: maybeStamp,
  });
  const sessions: fc.Arbitrary<Session> = fc.record({
    id: present,
    project: words,
    ownership_mode: fc.constantFrom(null, "shared", "project_owned"),
    directory: words,
    started_at: stamps,
    ended_at: maybeStamp,
    summary: maybe,
  });
  const prompts: fc.Arbitrary<Prompt> = fc.record({
    id: fc.nat(),
    sync_id: present,
    source_inbox_id: maybe,
    session_id: present,
    content: words,
    project: maybe,
    created_at: stamps,
  });
  const relations: fc.Arbitrary<Relation> = fc.record({
    sync_id: present,
    source_id: maybe,
    target_id: maybe,
    relation: present,
    reason: maybe,
    evidence: maybe,
    confidence: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: null }),
    judgment_status: present,
    marked_by_actor: maybe,
    marked_by_kind: maybe,
    marked_by_model: maybe,
    session_id: maybe,
    created_at: stamps,
    updated_at: stamps,
  });

  test("comes back as the row it was made of", () => {
    fc.assert(
      fc.property(sessions, observations, prompts, relations, (session, observation, prompt, relation) => {
        const document = {
          version: EXPORT_VERSION,
          sessions: [exportRow({ kind: "session", row: session })],
          observations: [exportRow({ kind: "observation", row: observation })],
          prompts: [exportRow({ kind: "prompt", row: prompt })],
          relations: [exportRow({ kind: "relation", row: relation })],
        };
        const back = plan(JSON.parse(JSON.stringify(document)));
        const { id: _, ...observed } = observation;
        const { id: __, ...prompted } = prompt;
        expect(back.sessions).toEqual([session]);
        expect(back.observations[0]).toMatchObject(observed);
        expect(back.prompts[0]).toMatchObject(prompted);
        expect(back.relations[0]).toEqual({ ...relation, confidence: relation.confidence === 0 ? 0 : relation.confidence });
      }),
    );
  });
});
