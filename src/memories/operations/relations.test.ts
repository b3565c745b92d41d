import { describe, expect, test } from "bun:test";
import { openMemories, refusal, type TestMemories } from "../../../test/support/memories.ts";
import { compareMemories, judgeRelation, RELATIONS } from "./relations.ts";

async function twoMemories(room: TestMemories): Promise<void> {
  await room.saved({ title: "Old", content: "we use cron" });
  await room.saved({ title: "New", content: "we use queues" });
}

const verdict = { a: 1, b: 2, relation: "supersedes", confidence: 0.9, reasoning: "newer" };
const relations = (room: TestMemories) => room.rows("SELECT * FROM memory_relations ORDER BY id");
const syncIdOf = (room: TestMemories, id: number) => room.one("SELECT sync_id FROM observations WHERE id = ?", id) as string;

describe("a verdict on two memories", () => {
  test("is one judged row between them, with who judged and when", async () => {
    using room = openMemories({ start: "2026-03-01T12:00:00Z" });
    await twoMemories(room);
    const sync_id = await room.call(compareMemories, { ...verdict, model: "m-1" });
    expect(sync_id).toMatch(/^rel-[0-9a-f]+$/);
    expect(relations(room)).toMatchObject([
      {
        sync_id,
        source_id: syncIdOf(room, 1),
        target_id: syncIdOf(room, 2),
        relation: "supersedes",
        reason: "newer",
        confidence: 0.9,
        judgment_status: "judged",
        marked_by_actor: "engram",
        marked_by_kind: "system",
        marked_by_model: "m-1",
        created_at: "2026-03-01 12:00:00",
        updated_at: "2026-03-01 12:00:00",
      },
    ]);
  });

  test("given again keeps the one row of the pair; the newest verdict decides, its direction included", async () => {
    using room = openMemories();
    await twoMemories(room);
    const first = await room.call(compareMemories, verdict);
    room.clock.advance({ minutes: 1 });
    expect(await room.call(compareMemories, verdict)).toBe(first);
    expect(await room.call(compareMemories, { ...verdict, a: 2, b: 1, reasoning: "the other way" })).toBe(first);
    expect(relations(room)).toMatchObject([
      { sync_id: first, source_id: syncIdOf(room, 2), target_id: syncIdOf(room, 1), reason: "the other way" },
    ]);
  });

  test("takes every relation, not_conflict included", async () => {
    using room = openMemories();
    await twoMemories(room);
    for (const relation of RELATIONS) {
      await room.call(compareMemories, { ...verdict, relation });
      expect(relations(room)).toMatchObject([{ relation }]);
    }
  });

  test("is refused, and leaves nothing, when it makes no sense", async () => {
    using room = openMemories();
    await twoMemories(room);
    await room.saved({ title: "Elsewhere", content: "other", project: "beta", session_id: "s2" });
    for (const [change, sentence] of [
      [{ relation: "hates" }, "must be one of: related, compatible, scoped, conflicts_with, supersedes, not_conflict"],
      [{ confidence: 1.2 }, "confidence must be between 0.0 and 1.0"],
      [{ confidence: -0.1 }, "confidence must be between 0.0 and 1.0"],
      [{ b: 1 }, "cannot be compared with itself"],
      [{ b: 99 }, "observation id=99 not found"],
      [{ b: 3 }, "different projects"],
    ] as const) {
      expect({ change, message: (await refusal(room.call(compareMemories, { ...verdict, ...change }))).message }).toEqual({
        change,
        message: expect.stringContaining(sentence) as unknown as string,
      });
    }
    expect(relations(room)).toEqual([]);
  });

  test("is journaled for an enrolled project, and for no other", async () => {
    using room = openMemories();
    await twoMemories(room);
    const journaled = () => room.one("SELECT COUNT(*) FROM sync_mutations WHERE entity = 'relation'");
    await room.call(compareMemories, verdict);
    expect(journaled()).toBe(0);
    room.enroll("alpha");
    await room.call(compareMemories, { ...verdict, relation: "related" });
    expect(journaled()).toBe(1);
  });

  test("keeps no private part of its reason", async () => {
    using room = openMemories();
    await twoMemories(room);
    const hidden = "because of <private>swordfish</private>";
    const judgment_id = await room.call(compareMemories, { ...verdict, reasoning: hidden });
    expect(room.dump()).not.toContain("swordfish");
    const told = await room.call(judgeRelation, { judgment_id, relation: "related", reason: hidden, evidence: hidden });
    expect(JSON.stringify(told)).not.toContain("swordfish");
    expect(room.dump()).not.toContain("swordfish");
  });
});

describe("the judgment of a pair", () => {
  async function pending(room: TestMemories): Promise<string> {
    await twoMemories(room);
    room.change(`INSERT INTO memory_relations (sync_id, source_id, target_id, created_at, updated_at)
      VALUES ('rel-1', '${syncIdOf(room, 1)}', '${syncIdOf(room, 2)}', '2026-01-01 08:00:00', '2026-01-01 08:00:00')`);
    return "rel-1";
  }

  test("settles it, tells the relation as it now is, and leaves out what was not given", async () => {
    using room = openMemories({ start: "2026-03-01T12:00:00Z" });
    const judgment_id = await pending(room);
    expect(await room.call(judgeRelation, { judgment_id, relation: "conflicts_with", reason: "both", confidence: 0.8 })).toEqual({
      id: 1,
      sync_id: "rel-1",
      source_id: syncIdOf(room, 1),
      target_id: syncIdOf(room, 2),
      relation: "conflicts_with",
      reason: "both",
      confidence: 0.8,
      judgment_status: "judged",
      marked_by_actor: "agent",
      marked_by_kind: "agent",
      created_at: "2026-01-01 08:00:00",
      updated_at: "2026-03-01 12:00:00",
    });
  });

  test("can be changed by a later one", async () => {
    using room = openMemories();
    const judgment_id = await pending(room);
    await room.call(judgeRelation, { judgment_id, relation: "related", confidence: 0 });
    expect(await room.call(judgeRelation, { judgment_id, relation: "not_conflict", confidence: 1 })).toMatchObject({
      relation: "not_conflict",
      confidence: 1,
    });
    expect(relations(room)).toHaveLength(1);
  });

  test("is refused for a pair nobody reported, a relation nobody knows, a confidence out of range", async () => {
    using room = openMemories();
    const judgment_id = await pending(room);
    expect(await refusal(room.call(judgeRelation, { judgment_id: "rel-9", relation: "related" }))).toMatchObject({
      kind: "not_found",
      message: expect.stringContaining("rel-9") as unknown as string,
    });
    expect((await refusal(room.call(judgeRelation, { judgment_id, relation: "hates" }))).message).toContain("must be one of");
    for (const confidence of [-0.01, 1.01])
      expect((await refusal(room.call(judgeRelation, { judgment_id, relation: "related", confidence }))).message).toContain(
        "between 0.0 and 1.0",
      );
    expect(relations(room)).toMatchObject([{ judgment_status: "pending", relation: "pending" }]);
  });
});
