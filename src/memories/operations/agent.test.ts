import { describe, expect, test } from "bun:test";
import { agentIn, folderOfRepositories } from "../../../test/support/agent.ts";
import { openMemories, refusal, type TestMemories } from "../../../test/support/memories.ts";
import { agentCapture, agentEnd, agentMerge, agentPrompt, agentSave, agentStart, agentSummary } from "./agent.ts";

const shop = (room: TestMemories) => agentIn(room, room.directory("work", "Shop"));
const note = { title: "Login loop", content: "redirects on Safari" };
const CHOICE = "user_selected_after_ambiguous_project";

const countOf = (room: TestMemories, table: string) => room.one(`SELECT COUNT(*) FROM ${table}`);

describe("an agent's save", () => {
  test("is stored in the directory's project, in a session that is found for it", async () => {
    using room = openMemories();
    const saved = await shop(room).call(agentSave, note);
    expect(saved).toMatchObject({
      resolved: { project: "shop", source: "config" },
      session: { id: "manual-save-shop", candidates: [], created: false },
      observation: { id: 1, project: "shop", session_id: "manual-save-shop", type: "manual", ...note },
      state: "active",
      truncation: { truncated: false },
      suggestedKey: "topic/login-loop",
    });
    expect(saved.recoveryToken).toBeUndefined();
  });

  test("suggests a topic key only where none was given", async () => {
    using room = openMemories();
    const agent = shop(room);
    expect((await agent.call(agentSave, { ...note, topic_key: "bug/login" })).suggestedKey).toBeUndefined();
    const revised = await agent.call(agentSave, { ...note, content: "fixed", topic_key: "bug/login" });
    expect(revised).toMatchObject({ outcome: { kind: "revised" }, observation: { id: 1, content: "fixed" } });
  });

  test("warns of a project without memories whose name resembles one that has some, and only the first time", async () => {
    using room = openMemories();
    await room.saved({ project: "shop-api" });
    const agent = shop(room);
    expect((await agent.call(agentSave, note)).similar).toEqual({ name: "shop-api", observations: 1 });
    expect((await agent.call(agentSave, { ...note, content: "more" })).similar).toBeUndefined();
  });

  test("that is refused leaves neither a memory nor a session", async () => {
    using room = openMemories();
    const agent = shop(room);
    for (const bad of [
      { ...note, title: "  " },
      { ...note, title: "", session_id: "mine" },
      { ...note, project: "nobody" },
    ])
      await refusal(agent.call(agentSave, bad));
    expect([countOf(room, "observations"), countOf(room, "sessions")]).toEqual([0, 0]);
  });

  test("has its private parts in no field of the answer and nowhere in the store", async () => {
    using room = openMemories();
    const hidden = "<private>swordfish</private>";
    const saved = await shop(room).call(agentSave, { title: `Key ${hidden}`, content: `${hidden} opens` });
    expect(saved.observation).toMatchObject({ title: "Key [REDACTED]", content: "[REDACTED] opens" });
    expect(JSON.stringify(saved) + room.dump()).not.toContain("swordfish");
  });

  test("into a session id nobody registered is kept, and told", async () => {
    using room = openMemories();
    const saved = await shop(room).call(agentSave, { ...note, session_id: "mine" });
    expect(saved).toMatchObject({ session: { id: "mine", created: true }, observation: { session_id: "mine", project: "shop" } });
  });

  test("into an ended session is not refused", async () => {
    using room = openMemories();
    const agent = shop(room);
    await agent.call(agentStart, { id: "mine" });
    await agent.call(agentEnd, { id: "mine" });
    expect((await agent.call(agentSave, { ...note, session_id: "mine" })).observation.session_id).toBe("mine");
  });

  test("among several live sessions is kept without one, and the candidates are told", async () => {
    using room = openMemories();
    const agent = shop(room);
    for (const id of ["one", "two"]) await agent.call(agentStart, { id });
    const { session, observation } = await agent.call(agentSave, note);
    expect(new Set(session.candidates)).toEqual(new Set(["one", "two"]));
    expect(observation.session_id).toBe("manual-save-shop");
  });
});

describe("a save where several repositories could be meant", () => {
  const asked = { ...note, choiceReason: CHOICE };

  test("is kept under the folder's name, and moved, never doubled, once the user has chosen", async () => {
    using room = openMemories();
    const agent = agentIn(room, folderOfRepositories(room, "many"));
    const saved = await agent.call(agentSave, note);
    expect(saved).toMatchObject({
      resolved: { source: "ambiguous", candidates: ["api", "web"] },
      observation: { project: "many" },
    });
    const retry = { ...asked, project: "Web", recoveryToken: saved.recoveryToken };
    for (let times = 0; times < 2; times++) {
      expect(await agent.call(agentSave, retry)).toMatchObject({
        resolved: { project: "web", source: CHOICE },
        observation: { id: saved.observation.id, project: "web", session_id: "manual-save-web" },
      });
    }
    expect(room.rows("SELECT project FROM observations")).toEqual([{ project: "web" }]);
  });

  test("is moved by its own token only, to a candidate only, to one only, and for five minutes", async () => {
    using room = openMemories();
    const agent = agentIn(room, folderOfRepositories(room, "many"));
    const { recoveryToken } = await agent.call(agentSave, note);
    const code = async (change: object) => (await refusal(agent.call(agentSave, { ...asked, ...change }))).details.error_code;
    expect(await code({ project: "web" })).toBe("missing_recovery_token");
    expect(await code({ project: "web", recoveryToken: "0".repeat(32) })).toBe("invalid_recovery_token");
    expect(await code({ project: "elsewhere", recoveryToken })).toBe("invalid_project_choice");
    room.clock.advance({ minutes: 5 });
    await agent.call(agentSave, { ...asked, project: "web", recoveryToken });
    expect(await code({ project: "api", recoveryToken })).toBe("invalid_recovery_token");
    room.clock.advance({ seconds: 1 });
    expect(await code({ project: "web", recoveryToken })).toBe("invalid_recovery_token");
    expect(room.rows("SELECT project FROM observations")).toEqual([{ project: "web" }]);
  });

  test("a session summary can be moved in the same way", async () => {
    using room = openMemories();
    const agent = agentIn(room, folderOfRepositories(room, "many"));
    const { recoveryToken } = await agent.call(agentSummary, { content: "## Goal\nTo ship" });
    const retry = { content: "## Goal\nTo ship", project: "web", choiceReason: CHOICE, recoveryToken };
    await agent.call(agentSummary, retry);
    expect(room.rows("SELECT project FROM observations")).toEqual([{ project: "web" }]);
  });
});

describe("a session summary", () => {
  test("is a memory of its own type, named after the project", async () => {
    using room = openMemories();
    const saved = await shop(room).call(agentSummary, { content: "## Goal\nTo ship" });
    expect(saved.observation).toMatchObject({ type: "session_summary", title: "Session summary: shop", project: "shop" });
  });

  test("goes into the named session and its project", async () => {
    using room = openMemories();
    await room.session("s1", "alpha");
    const saved = await shop(room).call(agentSummary, { content: "Done", session_id: "s1" });
    expect(saved.observation).toMatchObject({ title: "Session summary: alpha", project: "alpha", session_id: "s1" });
  });
});

describe("an agent's prompt", () => {
  test("is stored without its private parts, and answered with its beginning", async () => {
    using room = openMemories();
    const { preview, session } = await shop(room).call(agentPrompt, {
      content: `Use <private>swordfish</private> ${"x".repeat(100)}`,
    });
    expect(preview).toStartWith("Use [REDACTED] xxx");
    expect(preview).toEndWith("...");
    expect(session.id).toBe("manual-save-shop");
    expect(room.rows("SELECT project, session_id FROM user_prompts")).toEqual([
      { project: "shop", session_id: "manual-save-shop" },
    ]);
    expect(room.dump()).not.toContain("swordfish");
  });

  test("is refused when nothing is in it, and leaves nothing", async () => {
    using room = openMemories();
    const agent = shop(room);
    for (const content of ["", " \n "])
      expect((await refusal(agent.call(agentPrompt, { content }))).message).toBe("content is required for mem_save_prompt");
    expect([countOf(room, "user_prompts"), countOf(room, "sessions")]).toEqual([0, 0]);
  });
});

describe("captured learnings", () => {
  test("become memories of the current project; known ones are counted, not stored again", async () => {
    using room = openMemories();
    const agent = shop(room);
    const content =
      "## Key Learnings:\n\n- Queues are quicker than cron for this kind of work\n- Safari drops cookies on redirects\n";
    expect(await agent.call(agentCapture, { content })).toMatchObject({
      resolved: { project: "shop" },
      extracted: 2,
      saved: 2,
      duplicates: 0,
    });
    expect(await agent.call(agentCapture, { content })).toMatchObject({ extracted: 2, saved: 0, duplicates: 2 });
    expect(room.rows("SELECT DISTINCT project, session_id, tool_name FROM observations")).toEqual([
      { project: "shop", session_id: "manual-save-shop", tool_name: "mcp-passive" },
    ]);
  });

  test("of a text without any are none", async () => {
    using room = openMemories();
    const answer = await shop(room).call(agentCapture, { content: "Nothing to see", session_id: "mine" });
    expect(answer).toMatchObject({ extracted: 0, saved: 0, duplicates: 0 });
    expect(countOf(room, "observations")).toBe(0);
  });
});

describe("an agent's session", () => {
  test("starts in the current project, or in that of the directory it names", async () => {
    using room = openMemories();
    const agent = shop(room);
    const elsewhere = room.directory("other", "Blog");
    expect(await agent.call(agentStart, { id: "s1" })).toMatchObject({ id: "s1", resolved: { project: "shop" } });
    expect(await agent.call(agentStart, { id: "s2", directory: elsewhere })).toMatchObject({ resolved: { project: "blog" } });
    expect(room.rows("SELECT id, project, directory FROM sessions ORDER BY id")).toEqual([
      { id: "s1", project: "shop", directory: agent.app.cwd },
      { id: "s2", project: "blog", directory: elsewhere },
    ]);
  });

  test("started twice is one; ended, it keeps its summary without the private parts", async () => {
    using room = openMemories({ start: "2026-03-01T12:00:00Z" });
    const agent = shop(room);
    await agent.call(agentStart, { id: "s1" });
    await agent.call(agentStart, { id: "s1" });
    await agent.call(agentEnd, { id: "s1", summary: "Used <private>swordfish</private>" });
    expect(room.rows("SELECT ended_at, summary FROM sessions")).toEqual([
      { ended_at: "2026-03-01 12:00:00", summary: "Used [REDACTED]" },
    ]);
  });

  test("needs an id, to start and to end", async () => {
    using room = openMemories();
    const agent = shop(room);
    expect((await refusal(agent.call(agentStart, { id: " " }))).message).toBe("id is required for mem_session_start");
    expect((await refusal(agent.call(agentEnd, { id: "" }))).message).toBe("id is required for mem_session_end");
  });
});

describe("merging projects", () => {
  test("moves everything of the named ones, whatever their spelling, and counts it", async () => {
    using room = openMemories();
    await room.saved({ project: "alpha" });
    await room.saved({ project: "beta", session_id: "s2", content: "two" });
    room.change("UPDATE observations SET project = 'Beta' WHERE id = 2");
    const agent = shop(room);
    expect(await agent.call(agentMerge, { from: "ALPHA, beta,, shop", to: "Shop" })).toMatchObject({
      sources: 2,
      to: "shop",
      observations: 2,
      sessions: 2,
      prompts: 0,
    });
    expect(room.rows("SELECT DISTINCT project FROM observations")).toEqual([{ project: "shop" }]);
  });

  test("needs both names", async () => {
    using room = openMemories();
    const agent = shop(room);
    for (const [from, to] of [
      ["", "shop"],
      ["alpha", " "],
    ] as const)
      expect((await refusal(agent.call(agentMerge, { from, to }))).message).toBe("both 'from' and 'to' are required");
    expect((await refusal(agent.call(agentMerge, { from: " , ", to: "shop" }))).message).toContain("at least one source");
  });
});
