import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { openMemories, refusal, type TestMemories } from "../../../test/support/memories.ts";
import { deleteObservation, updateObservation } from "./observations.ts";
import { search, searchPrompts } from "./search.ts";

const look = async (room: TestMemories, query: string, input = {}) => {
  const { hits, stage, tried } = await room.call(search, { query, ...input });
  return { titles: hits.map((hit) => hit.title), stage, tried };
};

async function library(): Promise<TestMemories> {
  const room = openMemories();
  const rows = [
    { title: "Login loop", content: "The login redirects forever on Safari", type: "bugfix" },
    {
      title: "Rate limiter",
      content: "Sits before authentication so that brute force costs nothing",
      topic_key: "architecture/rate-limiter",
    },
    { title: "Canción de búsqueda", content: "Los acentos no importan", scope: "personal" },
    { title: "数据库连接池", content: "每个节点二十个连接", type: "config" },
    { title: "Emoji 😀 note", content: "Deploy on friday 🚀 never" },
  ];
  for (const row of rows) {
    await room.saved(row);
    room.clock.advance({ minutes: 1 });
  }
  await room.saved({ session_id: "b1", project: "beta", title: "Login in beta", content: "another project" });
  return room;
}

describe("a search", () => {
  test("asks for all words first, and says so", async () => {
    using room = await library();
    expect(await look(room, "safari login")).toEqual({ titles: ["Login loop"], stage: "all", tried: ["all"] });
  });

  test("goes on to any word when no memory has them all", async () => {
    using room = await library();
    expect(await look(room, "safari limiter")).toMatchObject({ stage: "any", tried: ["all", "any"] });
    expect((await look(room, "safari limiter")).titles.sort()).toEqual(["Login loop", "Rate limiter"]);
  });

  test("does not count words that say nothing among any words", async () => {
    using room = await library();
    expect((await look(room, "what is the limiter")).titles).toEqual(["Rate limiter"]);
  });

  test("goes on to the beginnings of words", async () => {
    using room = await library();
    expect(await look(room, "authent")).toEqual({ titles: ["Rate limiter"], stage: "prefix", tried: ["all", "prefix"] });
    expect((await look(room, "authent*")).titles).toEqual(["Rate limiter"]);
  });

  test("goes on to parts of words, also inside a run of Chinese", async () => {
    using room = await library();
    expect(await look(room, "thenticat")).toEqual({ titles: ["Rate limiter"], stage: "part", tried: ["all", "prefix", "part"] });
    expect((await look(room, "连接")).titles).toEqual(["数据库连接池"]);
    expect(await look(room, "据库")).toMatchObject({ titles: ["数据库连接池"], stage: "part" });
  });

  test("that finds nothing says everything it tried", async () => {
    using room = await library();
    expect(await look(room, "zebra unicorn")).toEqual({ titles: [], stage: undefined, tried: ["all", "any", "prefix", "part"] });
  });

  test("puts the topic itself first, then what matches every word", async () => {
    using room = await library();
    await room.saved({ title: "Mentions it", content: "see architecture/rate-limiter for the reasons" });
    const answer = await room.call(search, { query: " architecture/rate-limiter " });
    expect(answer.stage).toBe("topic_key");
    expect(answer.hits.map((hit) => [hit.title, hit.rank === -1000])).toEqual([
      ["Rate limiter", true],
      ["Mentions it", false],
    ]);
    expect((await room.call(search, { query: "architecture/rate-limiter", limit: 1 })).hits.map((hit) => hit.title)).toEqual([
      "Rate limiter",
    ]);
  });

  test("with a slash that is no topic is a search like any other", async () => {
    using room = await library();
    expect(await look(room, "limiter/authentication")).toMatchObject({ tried: ["topic_key", "all", "prefix", "part"] });
    expect(await look(room, "zebra/x")).toMatchObject({ titles: [], stage: undefined });
  });

  test("folds case and accents", async () => {
    using room = await library();
    expect((await look(room, "CANCION busqueda")).titles).toEqual(["Canción de búsqueda"]);
    expect((await look(room, "LOGIN SAFARI")).titles).toEqual(["Login loop"]);
  });

  test("obeys a forced mode and goes no further", async () => {
    using room = await library();
    expect(await look(room, "safari limiter", { matchMode: "all" })).toEqual({ titles: [], stage: undefined, tried: ["all"] });
    expect(await look(room, "safari limiter", { matchMode: "any" })).toMatchObject({ stage: "any", tried: ["any"] });
    expect(await look(room, "authent", { matchMode: "all" })).toMatchObject({ titles: [] });
    expect(await refusal(room.call(search, { query: "x", matchMode: "most" }))).toMatchObject({
      kind: "invalid",
      message: expect.stringContaining("match_mode"),
    });
  });

  test("filters by project in any spelling, type and scope, and tells the project", async () => {
    using room = await library();
    expect((await look(room, "login", { project: "BETA" })).titles).toEqual(["Login in beta"]);
    expect((await look(room, "login", { type: "bugfix" })).titles).toEqual(["Login loop"]);
    expect((await look(room, "cancion", { scope: "Personal" })).titles).toEqual(["Canción de búsqueda"]);
    expect((await look(room, "cancion", { scope: "project" })).titles).toEqual([]);
    expect((await look(room, "login", { project: "nobody" })).titles).toEqual([]);
    expect((await room.call(search, { query: "login", project: "beta" })).project).toBe("beta");
    expect((await room.call(search, { query: "login", project: "beta", allProjects: true })).hits).toHaveLength(2);
    expect((await room.call(search, { query: "login", cwd: room.directory("w", "beta") })).hits).toHaveLength(1);
  });

  test("gives ten, at most twenty", async () => {
    using room = openMemories();
    for (let i = 0; i < 25; i++) await room.saved({ title: `Item ${i}`, content: "common" });
    const count = async (limit?: number) =>
      (await room.call(search, { query: "common", ...(limit === undefined ? {} : { limit }) })).hits.length;
    expect([await count(), await count(3), await count(100), await count(0), await count(-1)]).toEqual([10, 3, 20, 10, 10]);
  });

  test("ranks the title above the content, better ranks first", async () => {
    using room = openMemories();
    await room.saved({ title: "Other", content: "queue is mentioned here in passing among many other words of this text" });
    await room.saved({ title: "Queue", content: "unrelated words" });
    const { hits } = await room.call(search, { query: "queue" });
    expect(hits.map((hit) => hit.title)).toEqual(["Queue", "Other"]);
    expect(hits[0]?.rank as number).toBeLessThan(hits[1]?.rank as number);
  });

  test("follows every change", async () => {
    using room = openMemories();
    const { id } = await room.saved({ title: "Before", content: "apples" });
    await room.call(updateObservation, { id, content: "oranges" });
    expect([(await look(room, "apples")).titles, (await look(room, "oranges")).titles]).toEqual([[], ["Before"]]);
    await room.saved({ topic_key: "t/k", title: "T", content: "pears" });
    await room.saved({ topic_key: "t/k", title: "T", content: "plums" });
    expect([(await look(room, "pears")).titles, (await look(room, "plums")).titles]).toEqual([[], ["T"]]);
    await room.call(deleteObservation, { id });
    expect((await look(room, "oranges")).titles).toEqual([]);
  });

  test("needs words", async () => {
    using room = openMemories();
    for (const query of ["", "   ", "\n"])
      expect(await refusal(room.call(search, { query }))).toMatchObject({ kind: "invalid", message: "q parameter is required" });
  });

  test("takes signs for signs: quotes, operators and wildcards find themselves or nothing", async () => {
    using room = openMemories();
    await room.saved({ title: "Signs", content: "100%_done C++ a.b x:y" });
    await room.saved({ title: "Plain", content: "1000 done c ab xy" });
    expect((await look(room, "100%_d")).titles).toEqual(["Signs"]);
    expect((await look(room, "a_b")).titles).not.toContain("Plain");
    for (const query of [
      '"',
      '""',
      "'",
      "AND",
      "OR",
      "NOT x",
      "NEAR(a b)",
      "x AND",
      "(",
      ")",
      "a*",
      "*",
      "^a",
      "title:x",
      "-x",
      "+",
      "{",
      "%",
      "_",
      "\\",
      "--",
      ";",
    ]) {
      await look(room, query);
    }
  });
});

describe("any text at all", () => {
  const SPECIAL = [
    "\u0000",
    "\ud800",
    "\udfff",
    '"',
    "'",
    "*",
    "(",
    ")",
    ":",
    "^",
    "-",
    "+",
    "%",
    "_",
    "\\",
    "{",
    "}",
    ",",
    ";",
    "/",
    " ",
    "\n",
    "\t",
  ];
  const WORDS = [
    "AND",
    "OR",
    "NOT",
    "NEAR",
    "NEAR(",
    "title:",
    "login",
    "the",
    "ñ",
    "漢字",
    "😀",
    "e\u0301",
    "\u200b",
    "\ufeff",
    "a",
  ];
  const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 50 }).map((codes) => String.fromCharCode(...codes));
  const queries = fc.oneof(
    units,
    fc.string({ unit: "binary", maxLength: 50 }),
    fc.array(fc.constantFrom(...SPECIAL, ...WORDS), { maxLength: 30 }).map((parts) => parts.join("")),
    fc.array(fc.constantFrom(...SPECIAL, ...WORDS), { maxLength: 30 }).map((parts) => parts.join(" ")),
  );
  const modes = fc.constantFrom(undefined, "all", "any");

  test("is searched for without an error", async () => {
    using room = await library();
    await fc.assert(
      fc.asyncProperty(queries, modes, async (query, matchMode) => {
        fc.pre(query.trim() !== "");
        const { hits, stage, tried } = await room.call(search, { query, ...(matchMode ? { matchMode } : {}) });
        expect(hits.length > 0).toBe(stage !== undefined);
        if (stage) expect(tried).toContain(stage);
        await room.call(searchPrompts, { query });
      }),
      { numRuns: 300 },
    );
  });

  test("may be very long", async () => {
    using room = await library();
    const hundredKilobytes = [
      "login ".repeat(17_000),
      "x".repeat(100_000),
      Array.from({ length: 20_000 }, (_, i) => `w${i}`).join(" "),
      "漢".repeat(34_000),
      `a/${"b".repeat(100_000)}`,
      "\u0000".repeat(100_000),
      `${'"'.repeat(30_000)}login`,
      `login${'"'.repeat(30_000)}x`,
    ];
    for (const query of hundredKilobytes)
      for (const matchMode of [undefined, "all", "any"]) await look(room, query, matchMode ? { matchMode } : {});
    expect((await look(room, `login ${"x".repeat(100_000)}`)).titles).toContain("Login loop");
  });

  test("that is part of a saved word finds it", async () => {
    using room = openMemories();
    let run = 0;
    const word = fc.stringMatching(/^[a-z0-9ñ漢字数据]{2,12}$/);
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { minLength: 1, maxLength: 4 }),
        fc.nat(),
        fc.nat(),
        fc.nat(),
        async (parts, which, from, length) => {
          const project = `q${++run}`;
          await room.saved({ session_id: project, project, title: "T", content: parts.join(" ") });
          const target = [...(parts[which % parts.length] as string)];
          const start = from % (target.length - 1);
          const query = target.slice(start, start + 2 + (length % (target.length - start - 1))).join("");
          expect((await room.call(search, { query, project })).hits).toHaveLength(1);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("that was saved is found by its own words", async () => {
    using room = openMemories();
    let run = 0;
    const word = fc.stringMatching(/^[a-zñé漢字]{3,12}$/).filter((text) => !/^(the|and|for|las|los|una|con|por|que)$/.test(text));
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(word, { minLength: 1, maxLength: 5 }), async (parts) => {
        const project = `p${++run}`;
        await room.saved({ session_id: project, project, title: "T", content: parts.join(" ") });
        const { hits, stage } = await room.call(search, { query: parts.join(" "), project });
        expect({ stage, count: hits.length }).toEqual({ stage: "all", count: 1 });
      }),
      { numRuns: 40 },
    );
  });
});
