import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { openMemories, refusal, type TestMemories } from "../../../test/support/memories.ts";
import { toStamp } from "../../kernel/clock.ts";
import { deleteObservation, getObservation, pinObservation, recentObservations } from "./observations.ts";
import { stats } from "./projects.ts";
import { deletePrompt, recentPrompts, savePrompt } from "./prompts.ts";
import { search } from "./search.ts";
import { endSession, getSession } from "./sessions.ts";
import { exportMemories, importMemories } from "./transfer.ts";

type Rows = Record<string, unknown>[];
interface Document {
  version: string;
  exported_at: string;
  sessions: Rows;
  observations: Rows;
  prompts: Rows;
  relations?: Rows;
  prompt_tombstones?: Rows;
}

const exportText = async (room: TestMemories, input = {}) => [...(await room.call(exportMemories, input)).pieces].join("");
const exported = async (room: TestMemories, input = {}) => JSON.parse(await exportText(room, input)) as Document;
const imported = (room: TestMemories, data: unknown) => room.call(importMemories, { data });

/** Numbers are given anew by every store; everything else travels. */
function essence(document: Document): unknown {
  const withoutId = (rows: Rows) => rows.map(({ id: _, ...row }) => row);
  const { exported_at: _, ...rest } = document;
  return { ...rest, observations: withoutId(document.observations), prompts: withoutId(document.prompts) };
}

const SESSION = { id: "s1", project: "alpha", directory: "/srv/alpha", started_at: "2026-01-01 08:00:00" };
const OBSERVATION = {
  id: 1,
  sync_id: "obs-0000000000000001",
  session_id: "s1",
  type: "manual",
  title: "First",
  content: "some words",
  project: "alpha",
  scope: "project",
  revision_count: 1,
  duplicate_count: 1,
  created_at: "2026-01-01 09:00:00",
  updated_at: "2026-01-01 09:00:00",
};
const PROMPT = {
  id: 1,
  sync_id: "prompt-0000000000000001",
  session_id: "s1",
  content: "A question",
  project: "alpha",
  created_at: "2026-01-01 09:30:00",
};
const file = (part: object = {}) => ({
  version: "0.2.0",
  sessions: [SESSION],
  observations: [OBSERVATION],
  prompts: [PROMPT],
  ...part,
});

async function lively(): Promise<TestMemories> {
  const room = openMemories();
  const a = await room.saved({
    title: "Pinned",
    content: "kept 😀 <tag> & more",
    topic_key: "a/b",
    type: "decision",
    tool_name: "edit",
  });
  room.clock.advance({ minutes: 1 });
  await room.saved({ title: "Revised", content: "again", topic_key: "a/b" });
  const b = await room.saved({ title: "Gone", content: "hidden", scope: "personal" });
  const c = await room.saved({ title: "Erased", content: "for good" });
  await room.saved({ session_id: "b1", project: "beta", title: "Other", content: "elsewhere", scope: "global" });
  await room.call(pinObservation, { id: a.id, pinned: true });
  await room.call(deleteObservation, { id: b.id });
  await room.call(savePrompt, { session_id: "s1", content: "kept question", source_inbox_id: "in-1" });
  const prompt = await room.call(savePrompt, { session_id: "s1", content: "erased question" });
  await room.call(deletePrompt, { id: prompt.id });
  await room.call(endSession, { id: "b1", summary: "done" });
  room.change(`INSERT INTO memory_relations (sync_id, source_id, target_id, relation, judgment_status, confidence) VALUES
    ('rel-1', '${a.sync_id}', '${b.sync_id}', 'related', 'judged', 0.5), ('rel-2', '${a.sync_id}', '${c.sync_id}', 'related', 'judged', 1)`);
  await room.call(deleteObservation, { id: c.id, hard: true });
  return room;
}

describe("an export", () => {
  test("of an empty store is a document with empty lists", async () => {
    using room = openMemories({ start: "2026-03-01T12:00:00Z" });
    expect(await exportText(room)).toBe(
      '{"version":"0.2.0","exported_at":"2026-03-01 12:00:00","sessions":[],"observations":[],"prompts":[]}\n',
    );
    expect(await exported(room, { indent: true })).toEqual(await exported(room));
  });

  test("holds every row, hidden ones too, and counts what it wrote", async () => {
    using room = await lively();
    const stream = await room.call(exportMemories, {});
    const document = JSON.parse([...stream.pieces].join("")) as Document;
    expect(stream.counts).toEqual({ sessions: 2, observations: 3, prompts: 1 });
    expect(stream.size).toBe(2 + 3 + 1 + 2 + 1);
    expect(document.observations.map((o) => [o.title, o.pinned, o.deleted_at !== undefined])).toEqual([
      ["Revised", true, false],
      ["Gone", false, true],
      ["Other", false, false],
    ]);
    expect(document.relations?.map((r) => [r.sync_id, r.judgment_status])).toEqual([
      ["rel-1", "judged"],
      ["rel-2", "orphaned"],
    ]);
    expect(document.prompt_tombstones).toHaveLength(1);
  });

  test("is the same document with and without line breaks", async () => {
    using room = await lively();
    const pretty = await exportText(room, { indent: true });
    expect(pretty).toStartWith('{\n  "version": "0.2.0",\n');
    expect(JSON.parse(pretty)).toEqual(await exported(room));
    expect(pretty).not.toMatch(/[<>&]/);
  });

  test("is well formed whichever lists are empty", async () => {
    const without = fc.subarray(["sessions", "observations", "prompts", "relations", "prompt_tombstones"]);
    const tables = {
      sessions: "sessions",
      observations: "observations",
      prompts: "user_prompts",
      relations: "memory_relations",
      prompt_tombstones: "prompt_tombstones",
    };
    using room = await lively();
    const full = await exported(room);
    await fc.assert(
      fc.asyncProperty(without, fc.boolean(), async (empty, indent) => {
        using copy = openMemories();
        await imported(copy, full);
        for (const name of empty) copy.change(`DELETE FROM ${tables[name as keyof typeof tables]}`);
        const document = (await exported(copy, { indent })) as unknown as Record<string, Rows | undefined>;
        for (const name of Object.keys(tables)) expect((document[name] ?? []).length > 0).toBe(!empty.includes(name));
      }),
      { numRuns: 20 },
    );
  });

  test("of a project brings the sessions its rows live in, and no row of others", async () => {
    using room = openMemories();
    await room.saved({ session_id: "a", project: "alpha", title: "Mine" });
    await room.saved({ session_id: "b", project: "beta", title: "Theirs" });
    room.change(
      "INSERT INTO observations (sync_id, session_id, type, title, content, project) VALUES ('obs-g', 'b', 'manual', 'Guest', 'x', 'Alpha')",
    );
    await room.session("c", "gamma");
    const document = await exported(room, { project: "ALPHA" });
    expect(document.observations.map((o) => o.title)).toEqual(["Mine", "Guest"]);
    expect(document.sessions.map((s) => s.id)).toEqual(["a", "b"]);
    expect((await room.call(exportMemories, { project: "ALPHA" })).size).toBe(4);
    using copy = openMemories();
    expect(await imported(copy, document)).toMatchObject({ observations_imported: 2, rejected: [] });
  });

  test("is one moment: what is written meanwhile is neither seen nor blocked", async () => {
    using room = openMemories();
    await room.saved({ title: "before" });
    const { pieces } = await room.call(exportMemories, {});
    let text = "";
    let number = 0;
    for (const piece of pieces) {
      text += piece;
      if (number++ > 0 && number < 5) await room.saved({ title: `meanwhile ${number}` });
    }
    expect((JSON.parse(text) as Document).observations.map((o) => o.title)).toEqual(["before"]);
    expect((await exported(room)).observations).toHaveLength(4);
  });

  test("that nobody reads to its end leaves nothing open", async () => {
    using room = await lively();
    for (const _ of (await room.call(exportMemories, {})).pieces) break;
    room.change("PRAGMA wal_checkpoint(TRUNCATE)");
    expect(room.one("PRAGMA wal_checkpoint(TRUNCATE)")).toBe(0);
  });
});

describe("an import", () => {
  test("into an empty store brings the same memories, searchable", async () => {
    using room = await lively();
    using copy = openMemories();
    const document = await exported(room);
    expect(await imported(copy, document)).toEqual({
      sessions_imported: 2,
      observations_imported: 3,
      observations_updated: 0,
      observations_skipped_stale: 0,
      prompts_imported: 1,
      relations_imported: 2,
      rejected: [],
    });
    expect(essence(await exported(copy))).toEqual(essence(document));
    expect((await copy.call(search, { query: "elsewhere" })).hits).toHaveLength(1);
    expect((await copy.call(search, { query: "hidden" })).hits).toEqual([]);
  });

  test("of the same file twice changes nothing", async () => {
    using room = await lively();
    using copy = openMemories();
    const document = await exported(room);
    await imported(copy, document);
    const before = copy.dump();
    for (const store of [copy, room]) {
      expect(await imported(store, document)).toMatchObject({
        sessions_imported: 0,
        observations_imported: 0,
        observations_updated: 0,
        observations_skipped_stale: 3,
        prompts_imported: 0,
        relations_imported: 0,
        rejected: [],
      });
    }
    expect(copy.dump()).toBe(before);
  });

  test("of rows without ids of their own, twice, doubles neither memories nor prompts", async () => {
    using room = openMemories();
    const { sync_id: _, ...observation } = OBSERVATION;
    const { sync_id: __, ...prompt } = PROMPT;
    const old = {
      version: "0.1.0",
      exported_at: "2026-05-01 00:00:00",
      sessions: [SESSION],
      observations: [observation],
      prompts: [prompt],
    };
    expect(await imported(room, old)).toMatchObject({ observations_imported: 1, prompts_imported: 1 });
    expect(await imported(room, old)).toMatchObject({ observations_imported: 0, prompts_imported: 0 });
    expect(await room.call(stats, {})).toMatchObject({ total_sessions: 1, total_observations: 1, total_prompts: 1 });
    expect(room.one("SELECT sync_id FROM observations")).toMatch(/^obs-[0-9a-f]{16}$/);
  });

  test("reads both versions and refuses every other before it writes", async () => {
    using room = openMemories();
    await room.session("kept");
    const before = room.dump();
    for (const version of [undefined, "0.3.0", "1.0.0", 2]) {
      expect(await refusal(imported(room, file({ version })))).toMatchObject({
        kind: "invalid",
        message: expect.stringContaining("unsupported export version"),
      });
    }
    for (const data of [null, [], "text"]) expect(await refusal(imported(room, data))).toMatchObject({ kind: "invalid" });
    expect(room.dump()).toBe(before);
    expect(await imported(room, file({ version: "0.1.0" }))).toMatchObject({ observations_imported: 1 });
    using other = openMemories();
    expect(await imported(other, file({ version: "0.2.0" }))).toMatchObject({ observations_imported: 1 });
  });

  test("updates a known row only by a newer one", async () => {
    using room = openMemories();
    await imported(room, file());
    const row = { ...OBSERVATION, title: "Second", content: "newer words", pinned: true, revision_count: 4 };
    for (const updated_at of ["2026-01-01 09:00:00", "2026-01-01 08:59:59", "2026-01-01T10:00:00+01:00"]) {
      expect(await imported(room, file({ observations: [{ ...row, updated_at }] }))).toMatchObject({
        observations_updated: 0,
        observations_skipped_stale: 1,
      });
    }
    expect(await room.call(getObservation, { id: 1 })).toMatchObject({ title: "First", pinned: false });
    expect(await imported(room, file({ observations: [{ ...row, updated_at: "2026-01-01T09:00:01Z" }] }))).toMatchObject({
      observations_updated: 1,
      observations_skipped_stale: 0,
    });
    expect(await room.call(getObservation, { id: 1 })).toMatchObject({
      title: "Second",
      content: "newer words",
      pinned: true,
      revision_count: 4,
      updated_at: "2026-01-01 09:00:01",
    });
    expect((await room.call(search, { query: "some" })).hits).toEqual([]);
    expect((await room.call(search, { query: "newer" })).hits).toHaveLength(1);
  });

  test("can hide a row, and can bring a hidden one back, where it is the newer word", async () => {
    using room = openMemories();
    await imported(room, file());
    await imported(
      room,
      file({ observations: [{ ...OBSERVATION, updated_at: "2026-01-02 00:00:00", deleted_at: "2026-01-02 00:00:00" }] }),
    );
    expect(await refusal(room.call(getObservation, { id: 1 }))).toMatchObject({ kind: "not_found" });
    await imported(room, file({ observations: [{ ...OBSERVATION, updated_at: "2026-01-03 00:00:00" }] }));
    expect((await room.call(getObservation, { id: 1 })).title).toBe("First");
  });

  test("keeps a known session as it is", async () => {
    using room = openMemories();
    await imported(room, file());
    await imported(
      room,
      file({ sessions: [{ ...SESSION, project: "renamed", directory: "/x", ended_at: "2026-09-09 00:00:00" }] }),
    );
    expect(await room.call(getSession, { id: "s1" })).toMatchObject({
      project: "alpha",
      directory: "/srv/alpha",
      ended_at: null,
    });
  });

  test("brings back nothing that was deleted for good", async () => {
    using room = openMemories();
    await imported(room, file());
    await room.call(deleteObservation, { id: 1, hard: true });
    await room.call(deletePrompt, { id: 1 });
    const newer = { ...OBSERVATION, updated_at: "2030-01-01 00:00:00" };
    expect(await imported(room, file({ observations: [newer] }))).toMatchObject({
      observations_imported: 0,
      observations_updated: 0,
      prompts_imported: 0,
    });
    expect(await room.call(stats, {})).toMatchObject({ total_observations: 0, total_prompts: 0 });
  });

  test("learns which prompts were deleted elsewhere, and has none that is both there and deleted", async () => {
    using room = openMemories();
    await imported(room, file());
    await imported(
      room,
      file({
        prompts: [],
        prompt_tombstones: [{ sync_id: PROMPT.sync_id, session_id: "s1", project: "alpha", deleted_at: "2026-02-01 00:00:00" }],
      }),
    );
    expect(room.rows("SELECT sync_id FROM user_prompts INTERSECT SELECT sync_id FROM prompt_tombstones")).toEqual([]);
    expect(await imported(room, file())).toMatchObject({ prompts_imported: 0 });
  });

  test("takes relations whose memories are there, and orphaned ones", async () => {
    using room = openMemories();
    const second = { ...OBSERVATION, id: 2, sync_id: "obs-0000000000000002", title: "Second" };
    const relation = {
      sync_id: "rel-1",
      source_id: OBSERVATION.sync_id,
      target_id: second.sync_id,
      relation: "related",
      judgment_status: "judged",
      created_at: "2026-01-02 00:00:00",
      updated_at: "2026-01-02 00:00:00",
    };
    const relations = [
      relation,
      { ...relation, sync_id: "rel-2", target_id: "obs-missing" },
      { ...relation, sync_id: "rel-3", target_id: "obs-missing", judgment_status: "orphaned" },
    ];
    expect(await imported(room, file({ observations: [OBSERVATION, second], relations }))).toMatchObject({
      relations_imported: 2,
      rejected: [{ kind: "relation", id: "rel-2" }],
    });
    expect(await imported(room, file({ relations: [{ ...relation, relation: "supersedes" }] }))).toMatchObject({
      relations_imported: 0,
    });
    expect(
      await imported(room, file({ relations: [{ ...relation, relation: "supersedes", updated_at: "2026-01-03 00:00:00" }] })),
    ).toMatchObject({ relations_imported: 1 });
    expect(room.one("SELECT relation FROM memory_relations WHERE sync_id = 'rel-1'")).toBe("supersedes");
  });

  test("stores nothing private", async () => {
    using room = openMemories();
    await imported(
      room,
      file({
        observations: [{ ...OBSERVATION, title: "<private>hunter2</private>", content: "a <private>hunter2</private>" }],
        prompts: [{ ...PROMPT, content: "<private>hunter2</private> b" }],
      }),
    );
    expect(room.dump().includes("hunter2")).toBeFalse();
  });

  test("stores no summary with private parts", async () => {
    using room = openMemories();
    await imported(room, file({ sessions: [{ ...SESSION, summary: "used <private>hunter2</private>" }] }));
    expect(room.dump().includes("hunter2")).toBeFalse();
  });

  test("tells how far it is", async () => {
    using room = openMemories();
    const steps: [number, number][] = [];
    const observations = Array.from({ length: 1200 }, (_, i) => ({ ...OBSERVATION, sync_id: `obs-${i}`, title: `T${i}` }));
    await room.call(importMemories, {
      data: file({ observations }),
      progress: (done: number, total: number) => void steps.push([done, total]),
    });
    expect(steps).toEqual([
      [500, 1202],
      [1000, 1202],
      [1202, 1202],
    ]);
  });
});

describe("a bad row", () => {
  const good = { ...OBSERVATION, id: 2, sync_id: "obs-0000000000000002", title: "Good" };

  test("that has no session is named and left out, the others go in", async () => {
    using room = openMemories();
    const data = file({
      observations: [{ ...OBSERVATION, session_id: "ghost" }, good],
      prompts: [
        { ...PROMPT, session_id: "ghost" },
        { ...PROMPT, sync_id: "prompt-2", content: "Good" },
      ],
    });
    const outcome = await imported(room, data);
    expect(outcome).toMatchObject({ observations_imported: 1, prompts_imported: 1 });
    expect(outcome.rejected).toEqual([
      { kind: "observation", id: OBSERVATION.sync_id, reason: 'session "ghost" is not in the store nor in the file' },
      { kind: "prompt", id: PROMPT.sync_id, reason: 'session "ghost" is not in the store nor in the file' },
    ]);
  });

  for (const [what, part] of [
    ["an observation without a title", { observations: [{ ...OBSERVATION, title: undefined }, good] }],
    ["an observation whose content is a number", { observations: [{ ...OBSERVATION, content: 7 }, good] }],
    ["an observation that is no object", { observations: [null, good] }],
    ["a prompt without content", { observations: [good], prompts: [{ ...PROMPT, content: null }] }],
    ["a session without an id", { sessions: [{ ...SESSION, id: "" }, SESSION], observations: [good] }],
    ["a relation without an id", { observations: [good], relations: [{ source_id: "a", target_id: "b" }] }],
    ["a tombstone without an id", { observations: [good], prompt_tombstones: [{ project: "alpha" }] }],
  ] as [string, object][]) {
    test(`of the wrong shape does not hold up the others: ${what}`, async () => {
      using room = openMemories();
      const outcome = await imported(room, file(part));
      expect(outcome.observations_imported).toBe(1);
      expect(outcome.rejected).toHaveLength(1);
      expect((await room.call(recentObservations, {})).observations.map((o) => o.title)).toEqual(["Good"]);
    });
  }

  test("whose inbox id another prompt already has does not hold up the others", async () => {
    using room = openMemories();
    await imported(room, file({ prompts: [{ ...PROMPT, source_inbox_id: "in-1" }] }));
    const outcome = await imported(
      room,
      file({ observations: [good], prompts: [{ ...PROMPT, sync_id: "prompt-2", content: "Other", source_inbox_id: "in-1" }] }),
    );
    expect(outcome).toMatchObject({ observations_imported: 1, prompts_imported: 0 });
    expect((await room.call(recentPrompts, {})).prompts.map((p) => p.content)).toEqual(["A question"]);
  });
});

describe("any row at all", () => {
  test("with counts beyond all measure spoils nothing that is read later", async () => {
    using room = openMemories();
    const counts = [2 ** 53, 1e18, 1e300, -1e300, 1.5];
    const observations = counts.map((n, i) => ({
      ...OBSERVATION,
      sync_id: `obs-${i}`,
      title: `T${i}`,
      revision_count: n,
      duplicate_count: n,
    }));
    expect((await imported(room, file({ observations }))).observations_imported).toBe(counts.length);
    expect((await room.call(recentObservations, {})).observations).toHaveLength(counts.length);
    expect((await room.call(search, { query: "words" })).hits).toHaveLength(counts.length);
    expect((await exported(room)).observations).toHaveLength(counts.length);
  });

  test("is taken, rejected or refused, and the store can be read afterwards", async () => {
    const fields = [
      ...new Set([
        ...Object.keys(OBSERVATION),
        ...Object.keys(PROMPT),
        ...Object.keys(SESSION),
        "deleted_at",
        "pinned",
        "topic_key",
        "source_inbox_id",
        "summary",
      ]),
    ];
    const odd = fc.oneof(
      fc.jsonValue({ maxDepth: 1 }),
      fc.string({ unit: "binary" }),
      fc.constantFrom("\ud800", "\u0000", -0, 1e21, "9999-99-99 99:99:99"),
    );
    const lists = fc.constantFrom("sessions", "observations", "prompts", "relations", "prompt_tombstones");
    using room = openMemories();
    await fc.assert(
      fc.asyncProperty(lists, fc.constantFrom(...fields), odd, async (list, field, value) => {
        const whole = file({
          relations: [{ sync_id: "rel-1" }],
          prompt_tombstones: [{ sync_id: "gone-1" }],
        }) as unknown as Record<string, Rows>;
        const rows = (whole[list] ?? []).map((row) => ({ ...row, [field]: value }));
        try {
          await imported(room, { ...whole, [list]: rows });
        } catch (error) {
          expect(error).toMatchObject({ name: "EngramError", kind: "invalid" });
        }
        await room.call(recentObservations, {});
        await room.call(recentPrompts, {});
        await exportText(room);
      }),
      { numRuns: 150 },
    );
  });
});

describe("export and import together", () => {
  test("keep a text that was once cut as it is", async () => {
    using room = openMemories();
    for (const [title, character] of Object.entries({ two: "é", three: "漢", four: "😀" }))
      await room.saved({ title, content: `x${character.repeat(30_000)}` });
    using copy = openMemories();
    const document = await exported(room);
    await imported(copy, document);
    const tails = async (store: TestMemories) =>
      (await store.call(recentObservations, {})).observations.map((o) => o.content.slice(-20));
    expect(await tails(copy)).toEqual(await tails(room));
  });

  const letters = fc
    .string({ unit: fc.constantFrom("a", "ñ", "漢", "😀", " ", "\n", "<", '"', "\\", "\u0000", "\u2028"), maxLength: 20 })
    .map((text) => text.trim());
  const words = letters.filter((text) => text !== "");
  const stamp = fc
    .date({ min: new Date("2020-01-01T00:00:00Z"), max: new Date("2030-01-01T00:00:00Z"), noInvalidDate: true })
    .map(toStamp);
  const absent = { nil: undefined };
  const sessionIds = ["s1", "s2", "s 3"];
  const session = (id: string) =>
    fc.record({
      id: fc.constant(id),
      project: letters,
      directory: letters,
      started_at: stamp,
      ended_at: fc.option(stamp, absent),
      summary: fc.option(words, absent),
      ownership_mode: fc.option(fc.constantFrom("shared", "project_owned"), absent),
    });
  const observation = fc.record({
    session_id: fc.constantFrom(...sessionIds),
    type: words,
    title: words,
    content: words,
    tool_name: fc.option(words, absent),
    project: fc.option(words, absent),
    scope: fc.constantFrom("project", "personal", "global"),
    topic_key: fc.option(fc.stringMatching(/^[a-z]{1,5}\/[a-z-]{1,9}$/), absent),
    revision_count: fc.integer({ min: 1, max: 9 }),
    duplicate_count: fc.integer({ min: 1, max: 9 }),
    last_seen_at: fc.option(stamp, absent),
    pinned: fc.boolean(),
    review_after: fc.option(stamp, absent),
    created_at: stamp,
    updated_at: stamp,
    deleted_at: fc.option(stamp, absent),
  });
  const prompt = fc.record({
    session_id: fc.constantFrom(...sessionIds),
    content: words,
    project: fc.option(words, absent),
    created_at: stamp,
  });
  const documents = fc
    .record({
      sessions: fc.tuple(...sessionIds.map(session)),
      observations: fc.array(observation, { maxLength: 6 }),
      prompts: fc.array(prompt, { maxLength: 4 }),
      deleted: fc.array(stamp, { maxLength: 2 }),
      judged: fc.option(stamp, { nil: null }),
    })
    .map(({ sessions, observations, prompts, deleted, judged }) => ({
      version: "0.2.0",
      sessions,
      observations: observations.map((row, i) => ({ ...row, sync_id: `obs-${i}` })),
      prompts: prompts.map((row, i) => ({ ...row, sync_id: `prompt-${i}`, ...(i % 2 ? { source_inbox_id: `in-${i}` } : {}) })),
      prompt_tombstones: deleted.map((deleted_at, i) => ({ sync_id: `gone-${i}`, deleted_at })),
      relations:
        judged === null
          ? []
          : [
              {
                sync_id: "rel-1",
                source_id: "obs-x",
                relation: "related",
                judgment_status: "orphaned",
                created_at: judged,
                updated_at: judged,
              },
            ],
    }));

  test("are the identity, for any store", async () => {
    await fc.assert(
      fc.asyncProperty(documents, async (document) => {
        using first = openMemories();
        using second = openMemories();
        const outcome = await imported(first, document);
        expect(outcome.rejected).toEqual([]);
        expect(outcome.observations_imported).toBe(document.observations.length);
        const once = await exported(first);
        await imported(second, once);
        expect(essence(await exported(second))).toEqual(essence(once));
      }),
      { numRuns: 25 },
    );
  });
});
