import { describe, expect, test } from "bun:test";
import { openMemories, refusal } from "../../../test/support/memories.ts";
import { deleteObservation, recentObservations } from "./observations.ts";
import { capturePassive } from "./save.ts";

const ENGLISH =
  "Done.\n\n## Key Learnings:\n\n1. The **cookie** must be `Secure` when SameSite is None\n2. Retries need *full jitter* to avoid storms\n3. short\n";
const SPANISH =
  "Listo.\n\n### Aprendizajes Clave\n- La caché debe invalidarse al desplegar\n* Otra cosa importante que aprendimos hoy\n";

describe("learnings in an agent's text", () => {
  test("are saved one by one, in English and in Spanish", async () => {
    using room = openMemories();
    await room.session();
    expect(
      await room.call(capturePassive, { session_id: "s1", project: "alpha", source: "subagent-stop", content: ENGLISH }),
    ).toEqual({
      extracted: 2,
      saved: 2,
      duplicates: 0,
    });
    expect(await room.call(capturePassive, { session_id: "s1", content: SPANISH, project: "alpha" })).toMatchObject({
      extracted: 2,
      saved: 2,
    });
    const { observations } = await room.call(recentObservations, {});
    expect(observations.map((o) => o.content).sort()).toEqual([
      "La caché debe invalidarse al desplegar",
      "Otra cosa importante que aprendimos hoy",
      "Retries need full jitter to avoid storms",
      "The cookie must be Secure when SameSite is None",
    ]);
    expect(observations.at(-1)).toMatchObject({
      type: "passive",
      title: "The cookie must be Secure when SameSite is None",
      tool_name: "subagent-stop",
      scope: "project",
    });
    expect(observations[0]?.tool_name).toBeNull();
  });

  test("that are known in the project are counted, however old, and also when said twice at once", async () => {
    using room = openMemories();
    await room.session("s1", "alpha");
    await room.session("s2", "beta");
    await room.call(capturePassive, { session_id: "s1", project: "alpha", content: ENGLISH });
    room.clock.advance({ days: 400 });
    const again =
      "## Learnings\n1. the cookie must be SECURE when samesite is none\n2. A new thing learned in this very run\n3. A new thing  learned in this very run\n";
    expect(await room.call(capturePassive, { session_id: "s1", project: "alpha", content: again })).toEqual({
      extracted: 3,
      saved: 1,
      duplicates: 2,
    });
    expect(await room.call(capturePassive, { session_id: "s2", project: "beta", content: ENGLISH })).toMatchObject({
      saved: 2,
      duplicates: 0,
    });
  });

  test("that were deleted may come again", async () => {
    using room = openMemories();
    await room.session();
    await room.call(capturePassive, { session_id: "s1", project: "alpha", content: ENGLISH });
    await room.call(deleteObservation, { id: 1 });
    expect(await room.call(capturePassive, { session_id: "s1", project: "alpha", content: ENGLISH })).toMatchObject({
      saved: 1,
      duplicates: 1,
    });
  });

  test("are none in most texts, and that is fine", async () => {
    using room = openMemories();
    await room.session();
    for (const content of ["", "no section here at all", "## Key Learnings\n- short\n"]) {
      expect(await room.call(capturePassive, { session_id: "s1", content })).toEqual({ extracted: 0, saved: 0, duplicates: 0 });
    }
  });

  test("are none under a heading that is indented at the very start", async () => {
    using room = openMemories();
    await room.session();
    const section = "## Learnings\n1. Retries need full jitter to avoid storms\n";
    for (const blank of ["  ", "\t", "\n "]) {
      expect(await room.call(capturePassive, { session_id: "s1", project: "alpha", content: blank + section })).toEqual({
        extracted: 0,
        saved: 0,
        duplicates: 0,
      });
    }
    expect(await room.call(capturePassive, { session_id: "s1", project: "alpha", content: `\n${section}` })).toMatchObject({
      saved: 1,
    });
  });

  test("need a session that exists, but for no learnings of no project", async () => {
    using room = openMemories();
    const ghost = { session_id: "ghost" };
    const missing = { kind: "not_found", message: "session not found" };
    expect(await refusal(room.call(capturePassive, { ...ghost, content: ENGLISH }))).toMatchObject(missing);
    for (const content of ["nothing", ENGLISH]) {
      expect(await refusal(room.call(capturePassive, { ...ghost, project: "alpha", content }))).toMatchObject(missing);
    }
    for (const project of [undefined, "", "  "]) {
      expect(
        await room.call(capturePassive, { ...ghost, content: "nothing", ...(project === undefined ? {} : { project }) }),
      ).toEqual({
        extracted: 0,
        saved: 0,
        duplicates: 0,
      });
    }
    expect(room.one("SELECT COUNT(*) FROM observations")).toBe(0);
    expect(room.one("SELECT COUNT(*) FROM sessions")).toBe(0);
  });

  test("need a session that agrees, whether there are any or not", async () => {
    using room = openMemories();
    await room.session();
    for (const content of ["nothing", ENGLISH]) {
      expect(await refusal(room.call(capturePassive, { session_id: "s1", project: "beta", content }))).toMatchObject({
        details: { code: "session_project_mismatch" },
      });
    }
    expect(room.one("SELECT COUNT(*) FROM observations")).toBe(0);
  });

  test("have a long learning's title cut, its content whole", async () => {
    using room = openMemories();
    await room.session();
    const learning = "A very long learning that goes past sixty characters so that its title is cut";
    await room.call(capturePassive, { session_id: "s1", content: `## Learnings\n1. ${learning}` });
    expect(room.rows("SELECT title, content FROM observations")).toEqual([
      { title: "A very long learning that goes past sixty characters so that...", content: learning },
    ]);
  });
});

describe("private text among learnings", () => {
  const stored = async (content: string) => {
    using room = openMemories();
    await room.session();
    await room.call(capturePassive, { session_id: "s1", content });
    return room.dump();
  };

  test("inside one learning is not stored", async () => {
    expect(
      (await stored("## Learnings\n1. The key is <private>hunter2</private> and must rotate\n")).includes("hunter2"),
    ).toBeFalse();
  });

  test("that runs over several learnings is not stored", async () => {
    const content =
      "## Learnings\n1. This learning is for everybody to see\n<private>\n2. The root password is hunter2 for now\n</private>\n";
    const dump = await stored(content);
    expect(dump).toContain("This learning is for everybody to see");
    expect(dump.includes("hunter2")).toBeFalse();
  });

  test("at the place where a title is cut is not stored", async () => {
    const learning = "The production database password is <private>hunter2 with many more words after it</private> today";
    expect((await stored(`## Learnings\n1. ${learning}\n`)).includes("hunter2")).toBeFalse();
  });
});
