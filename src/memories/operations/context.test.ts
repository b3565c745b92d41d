import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { openMemories, refusal, type TestMemories } from "../../../test/support/memories.ts";
import { byteLength } from "../../kernel/text.ts";
import { compactionContext, context } from "./context.ts";
import { pinObservation } from "./observations.ts";
import { savePrompt } from "./prompts.ts";
import { endSession } from "./sessions.ts";

const text = async (room: TestMemories, input = {}) => (await room.call(context, input)).context;

/** The bullets of each section. */
function sections(markdown: string): Record<string, string[]> {
  const parts = markdown.split(/^### /m).slice(1);
  return Object.fromEntries(
    parts.map((part) => [part.split("\n")[0] as string, part.split("\n").filter((line) => line.startsWith("- "))]),
  );
}

async function busyRoom(): Promise<TestMemories> {
  const room = openMemories();
  for (let i = 1; i <= 30; i++) {
    await room.saved({ session_id: `s${i % 7}`, title: `Note ${i}`, content: `content of note ${i}` });
    await room.call(savePrompt, { session_id: `s${i % 7}`, content: `Prompt ${i}` });
    room.clock.advance({ minutes: 1 });
  }
  for (const id of [1, 2, 3]) await room.call(pinObservation, { id, pinned: true });
  return room;
}

describe("the context of a project", () => {
  test("holds five sessions, ten prompts, every pin and twenty others, newest first", async () => {
    using room = await busyRoom();
    const found = sections(await text(room));
    expect(Object.keys(found)).toEqual(["Recent Sessions", "Recent User Prompts", "Pinned", "Recent Observations"]);
    expect(Object.values(found).map((lines) => lines.length)).toEqual([5, 10, 3, 20]);
    expect(found["Recent Observations"]?.[0]).toBe("- [manual] **Note 30**: content of note 30");
    expect(found.Pinned?.[0]).toContain("Note 3");
    expect(found["Recent Observations"]?.join()).not.toContain("**Note 3**");
    expect(found["Recent User Prompts"]?.[0]).toContain("Prompt 30");
  });

  test("holds as many as asked for, and none of a section for less than zero", async () => {
    using room = await busyRoom();
    const counts = async (input: object) =>
      Object.fromEntries(Object.entries(sections(await text(room, input))).map(([name, lines]) => [name, lines.length]));
    expect(await counts({ sessions: 2, prompts: 3, pinned: 1, observations: 4 })).toEqual({
      "Recent Sessions": 2,
      "Recent User Prompts": 3,
      Pinned: 1,
      "Recent Observations": 4,
    });
    expect(await counts({ sessions: 0, prompts: 0, pinned: 0, observations: 0 })).toEqual(await counts({}));
    expect(await counts({ sessions: -1, prompts: -1, pinned: -1 })).toEqual({ "Recent Observations": 20 });
    expect(await counts({ observations: 100_000 })).toMatchObject({ "Recent Observations": 27 });
    expect(await text(room, { sessions: -1, prompts: -1, pinned: -1, observations: -1 })).toBe("");
  });

  test("in short form has titles only", async () => {
    using room = await busyRoom();
    const short = await text(room, { compact: true });
    expect(short).toContain("- [manual] **Note 30**\n");
    expect(short).not.toContain("content of note");
  });

  test("is that of one project in any spelling, and of one scope among observations", async () => {
    using room = openMemories();
    await room.saved({ title: "Mine", content: "a" });
    await room.saved({ title: "Personal", content: "b", scope: "personal" });
    await room.saved({ title: "Foreign", content: "c", session_id: "b", project: "beta" });
    expect(await text(room, { project: "ALPHA" })).not.toContain("Foreign");
    const personal = await text(room, { project: "alpha", scope: "personal" });
    expect([personal.includes("Personal"), personal.includes("Mine"), personal.includes("Recent Sessions")]).toEqual([
      true,
      false,
      true,
    ]);
    expect(await text(room, { cwd: room.directory("w", "beta") })).toContain("Foreign");
    expect((await room.call(context, { project: "beta" })).project).toBe("beta");
  });

  test("is empty where there is nothing", async () => {
    using room = openMemories();
    expect(await text(room)).toBe("");
    await room.session();
    expect(await text(room, { project: "nobody" })).toBe("");
  });

  test("tells how a session ended", async () => {
    using room = openMemories();
    await room.saved();
    await room.call(endSession, { id: "s1", summary: "All done" });
    expect(await text(room)).toContain(": All done [1 observations]");
  });

  test("stays within a byte budget, whatever the characters", async () => {
    using room = openMemories();
    for (let i = 0; i < 10; i++) await room.saved({ title: `漢字 ${i}`, content: "😀é".repeat(40) });
    const whole = await text(room);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: byteLength(whole) + 100 }), async (maxBytes) => {
        const cut = await text(room, { maxBytes });
        expect(byteLength(cut)).toBeLessThanOrEqual(maxBytes);
        expect(cut.isWellFormed()).toBeTrue();
        expect(cut === whole).toBe(byteLength(whole) <= maxBytes);
      }),
      { numRuns: 60 },
    );
    for (const none of [0, -5]) expect(await text(room, { maxBytes: none })).toBe(whole);
  });

  test("never exceeds 64 KiB once a budget is given", async () => {
    using room = openMemories();
    for (let i = 0; i < 300; i++) await room.saved({ title: `${i}`, content: "x".repeat(400) });
    expect(byteLength(await text(room, { observations: 500, maxBytes: 10_000_000 }))).toBeLessThanOrEqual(65_536);
    expect(byteLength(await text(room, { observations: 500 }))).toBeGreaterThan(65_536);
  });
});

describe("the context of one session", () => {
  test("holds that session's rows only", async () => {
    using room = openMemories();
    await room.saved({ session_id: "mine", title: "Mine" });
    const pinned = await room.saved({ session_id: "mine", title: "Kept" });
    await room.call(pinObservation, { id: pinned.id, pinned: true });
    await room.saved({ session_id: "theirs", title: "Theirs" });
    await room.call(savePrompt, { session_id: "mine", content: "My question" });
    await room.call(savePrompt, { session_id: "theirs", content: "Their question" });
    const { context: markdown } = await room.call(compactionContext, { session_id: "mine" });
    expect(markdown).toStartWith("## Memory from This Session\n\n### Session\n- **mine** (");
    expect(Object.keys(sections(markdown))).toEqual(["Session", "Recent User Prompts", "Pinned", "Recent Observations"]);
    expect(markdown).not.toMatch(/Theirs|Their question/);
  });

  test("needs a session that exists", async () => {
    using room = openMemories();
    expect(await refusal(room.call(compactionContext, { session_id: "ghost" }))).toMatchObject({ kind: "not_found" });
  });
});
