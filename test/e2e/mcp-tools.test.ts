// What the tools, prompts and resources of `engram mcp` answer, through a real process.
import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { closed, connected, type Json, listOf, namesOf } from "../support/mcp-client.ts";
import { type Place, usePlaces } from "../support/process.ts";
import { describeUnless, NOT_BUILT } from "../support/skip.ts";
import { count, fingerprint, query } from "../support/sqlite-file.ts";

const place = usePlaces();
const storeOf = (here: Place): string => join(here.data, "engram.db");

/** A folder with two repositories in it: neither is its project. */
function ambiguousFolder(here: Place): void {
  for (const name of ["api", "web"]) mkdirSync(join(here.work, name, ".git"), { recursive: true });
}

describeUnless(NOT_BUILT, "calls that cannot be answered", () => {
  test("an unknown tool is a protocol error -32602, and the connection goes on", async () => {
    const mcp = await connected(place());
    const { error } = await mcp.request("tools/call", { name: "mem_nothing", arguments: {} });
    expect(error).toEqual({ code: -32602, message: expect.stringContaining("mem_nothing") as unknown as string });
    expect((await mcp.request("ping")).error).toBeUndefined();
    expect((await mcp.request("tools/call", { name: "mem_save", arguments: "text" })).error?.code).toBe(-32602);
    expect((await mcp.request("tools/call", {})).error?.code).toBe(-32602);
    expect((await mcp.request("no/such/method")).error?.code).toBe(-32601);
    await closed(mcp);
  });

  test("values of a wrong type count as absent, and the answer says what is needed", async () => {
    const here = place();
    const mcp = await connected(here);
    for (const [name, args, sentence] of [
      ["mem_search", { query: 12 }, "query is required"],
      ["mem_get_observation", { id: "1" }, "id is required"],
      ["mem_get_observation", {}, "id is required"],
      ["mem_save", { title: "T", content: ["C"] }, "content is required for mem_save"],
      ["mem_save", { title: 5, content: "C" }, "title is required"],
      ["mem_save_prompt", { content: null }, "content is required for mem_save_prompt"],
      ["mem_session_summary", { content: {} }, "content is required for mem_session_summary"],
      ["mem_session_start", { id: 1 }, "id is required for mem_session_start"],
      ["mem_update", { id: 1 }, "provide at least one field to update"],
      ["mem_review", { action: "burn" }, "action must be one of: list, mark_reviewed"],
      ["mem_timeline", { observation_id: true }, "observation_id is required"],
      ["mem_judge", { judgment_id: "rel-1", relation: "hates" }, "must be one of: related"],
      ["mem_compare", { memory_id_a: 1, memory_id_b: 2, relation: "related", confidence: "high" }, "confidence is required"],
      ["mem_search", { query: "x", match_mode: "some" }, 'must be "all" or "any"'],
      ["mem_merge_projects", { from: "a" }, "both 'from' and 'to' are required"],
    ] as const) {
      const { isError, text } = await mcp.call(name, args);
      expect({ name, args, isError, text }).toEqual({
        name,
        args,
        isError: true,
        text: expect.stringContaining(sentence) as unknown as string,
      });
    }
    expect(count(storeOf(here), "observations") + count(storeOf(here), "sessions")).toBe(0);
    await closed(mcp);
  });

  test("arguments nobody knows are tolerated, and numbers with a fraction are cut", async () => {
    const mcp = await connected(place());
    expect((await mcp.call("mem_save", { title: "T", content: "C", mood: "good" })).isError).toBe(false);
    expect((await mcp.call("mem_get_observation", { id: 1.9, colour: [] })).text).toContain("#1 [manual] T");
  });
});

/** Enough of JSON Schema for the shapes the tools declare. */
function violations(schema: Json, value: unknown): string[] {
  if (schema.type !== "object" || typeof value !== "object" || value === null) return ["not an object"];
  const record = value as Json;
  const properties = (schema.properties ?? {}) as Record<string, { type?: string }>;
  return [
    ...((schema.required ?? []) as string[]).filter((key) => !(key in record)).map((key) => `${key} is missing`),
    ...Object.entries(properties)
      .filter(([key, { type }]) => key in record && type !== undefined && typeof record[key] !== type)
      .map(([key, { type }]) => `${key} is not a ${type}`),
  ];
}

describeUnless(NOT_BUILT, "what tools answer", () => {
  test("every tool: structured content that is the JSON of the text and has the declared shape", async () => {
    const mcp = await connected(place());
    const tools = listOf<{ name: string; outputSchema: Json }>(await mcp.request("tools/list"), "tools");
    const good: [name: string, args: Json][] = [
      ["mem_session_start", { id: "s1" }],
      ["mem_save", { title: "First decision", content: "We use queues", type: "decision" }],
      ["mem_save", { title: "Second", content: "We use cron" }],
      ["mem_save_prompt", { content: "What do we use?" }],
      ["mem_capture_passive", { content: "## Key Learnings:\n\n- Queues are quicker than cron for this work\n" }],
      ["mem_search", { query: "queues" }],
      ["mem_search", { query: "queues", response_format: "compact" }],
      ["mem_search", { query: "zeppelin" }],
      ["mem_context", {}],
      ["mem_get_observation", { id: 1 }],
      ["mem_update", { id: 2, content: "We used cron" }],
      ["mem_review", { action: "list" }],
      ["mem_review", { action: "mark_reviewed", observation_id: 1 }],
      ["mem_suggest_topic_key", { title: "Auth model" }],
      ["mem_pin", { id: 1 }],
      ["mem_unpin", { id: 1 }],
      ["mem_compare", { memory_id_a: 1, memory_id_b: 2, relation: "supersedes", confidence: 0.9, reasoning: "newer" }],
      ["mem_current_project", {}],
      ["mem_list_projects", {}],
      ["mem_doctor", {}],
      ["mem_stats", {}],
      ["mem_timeline", { observation_id: 1 }],
      ["mem_session_summary", { content: "## Goal\nTo test" }],
      ["mem_session_end", { id: "s1", summary: "done" }],
      ["mem_merge_projects", { from: "nothing-yet", to: "work" }],
      ["mem_delete", { id: 2 }],
    ];
    const plain = new Set(["mem_suggest_topic_key", "mem_merge_projects", "mem_delete"]);
    for (const [name, args] of good) {
      const { isError, text, structured } = await mcp.call(name, args);
      expect({ name, isError, text }).toEqual({ name, isError: false, text });
      expect(structured).toEqual(plain.has(name) ? { result: text } : (JSON.parse(text) as Json));
      const schema = tools.find((tool) => tool.name === name)?.outputSchema ?? {};
      expect({ name, violations: violations(schema, structured) }).toEqual({ name, violations: [] });
    }
    const { structured } = await mcp.call("mem_compare", {
      memory_id_a: 1,
      memory_id_b: 3,
      relation: "related",
      confidence: 1,
      reasoning: "same",
    });
    const judged = await mcp.call("mem_judge", { judgment_id: structured?.sync_id, relation: "not_conflict" });
    expect(JSON.parse(judged.text)).toEqual(judged.structured);
    expect(judged.structured).toMatchObject({ relation: { relation: "not_conflict", judgment_status: "judged" } });
    expect(new Set([...good.map(([name]) => name), "mem_judge"])).toEqual(new Set(namesOf(tools)));
    await closed(mcp);
  });

  test("an envelope has its keys in alphabetical order", async () => {
    const mcp = await connected(place());
    const { text } = await mcp.call("mem_save", { title: "T", content: "C", type: "decision" });
    const keys = Object.keys(JSON.parse(text) as Json);
    expect(keys).toEqual([...keys].sort());
  });

  test("a session id nobody registered is created, and the answer says so", async () => {
    const here = place();
    const mcp = await connected(here);
    const first = await mcp.call("mem_save", { title: "T", content: "C", session_id: "mine" });
    expect(first.structured?.result).toContain('Session "mine" was not known and has been created.');
    const second = await mcp.call("mem_save", { title: "U", content: "D", session_id: "mine" });
    expect(second.structured?.result).not.toContain("was not known");
    expect(query(storeOf(here), "SELECT session_id FROM observations")).toEqual([{ session_id: "mine" }, { session_id: "mine" }]);
  });

  test("several live sessions: the save is kept without one, and the candidates are told", async () => {
    const here = place();
    const mcp = await connected(here);
    for (const id of ["one", "two"]) await mcp.call("mem_session_start", { id });
    const { isError, structured } = await mcp.call("mem_save", { title: "T", content: "C" });
    expect(isError).toBe(false);
    expect(new Set(structured?.session_candidates as string[])).toEqual(new Set(["one", "two"]));
    expect(structured).toMatchObject({ session_id: "manual-save-work" });
    expect(structured?.warning).toContain("session_id");
    expect(query(storeOf(here), "SELECT session_id FROM observations")).toEqual([{ session_id: "manual-save-work" }]);
    await mcp.call("mem_session_end", { id: "two" });
    expect((await mcp.call("mem_save", { title: "U", content: "D" })).structured?.session_candidates).toBeUndefined();
    expect(query(storeOf(here), "SELECT session_id FROM observations WHERE id = 2")).toEqual([{ session_id: "one" }]);
  });

  test("a folder with several repositories: saved under the folder's name, the candidates and the way to move it told", async () => {
    const here = place();
    ambiguousFolder(here);
    const mcp = await connected(here);
    const { isError, structured } = await mcp.call("mem_save", { title: "T", content: "C" });
    expect(isError).toBe(false);
    expect(structured).toMatchObject({ project: "work", project_source: "ambiguous", available_projects: ["api", "web"] });
    expect(structured?.warning).toContain("mem_update(id: 1");
    expect(query(storeOf(here), "SELECT project FROM observations")).toEqual([{ project: "work" }]);
    const retry = {
      title: "T",
      content: "C",
      project: "web",
      project_choice_reason: "user_selected_after_ambiguous_project",
      recovery_token: structured?.recovery_token,
    };
    expect((await mcp.call("mem_save", retry)).structured).toMatchObject({ id: 1, project: "web" });
    expect(query(storeOf(here), "SELECT project FROM observations")).toEqual([{ project: "web" }]);
    expect((await mcp.call("mem_update", { id: 1, project: "api" })).isError).toBe(false);
    expect(query(storeOf(here), "SELECT project FROM observations")).toEqual([{ project: "api" }]);
  });

  test("a session summary tells the candidates too, of projects and of sessions", async () => {
    const here = place();
    ambiguousFolder(here);
    const mcp = await connected(here);
    for (const id of ["one", "two"]) await mcp.call("mem_session_start", { id });
    const { isError, structured } = await mcp.call("mem_session_summary", { content: "## Goal\nTo ship" });
    expect(isError).toBe(false);
    expect(structured).toMatchObject({ project: "work", available_projects: ["api", "web"] });
    expect(new Set(structured?.session_candidates as string[])).toEqual(new Set(["one", "two"]));
  });

  test("a project nobody knows is refused with a code, what is valid and what to do; nothing is stored", async () => {
    const here = place();
    const mcp = await connected(here);
    await mcp.call("mem_save", { title: "T", content: "C" });
    for (const [name, args] of [
      ["mem_save", { title: "U", content: "D", project: "wrok" }],
      ["mem_search", { query: "T", project: "wrok" }],
    ] as const) {
      const { isError, text } = await mcp.call(name, args);
      expect({ isError, ...(JSON.parse(text) as Json) }).toMatchObject({
        isError: true,
        error_code: "unknown_project",
        available_projects: ["work"],
        message: expect.stringContaining("wrok") as unknown,
      });
    }
    expect(count(storeOf(here), "observations")).toBe(1);
  });

  test("the context stays within max_bytes, its last line included", async () => {
    const mcp = await connected(place());
    for (let i = 0; i < 10; i++) await mcp.call("mem_save", { title: `Nötiz ${i}`, content: `${i} ${"ä".repeat(400)}` });
    for (const max_bytes of [400, 1000]) {
      const { structured } = await mcp.call("mem_context", { max_bytes });
      expect(Buffer.byteLength(String(structured?.result))).toBeLessThanOrEqual(max_bytes);
      expect(structured?.result).toContain("Memory");
    }
  });

  test("private text is in no answer and nowhere in the data folder", async () => {
    const here = place();
    const mcp = await connected(here);
    const hidden = "<private>swordfish-4711</private>";
    await mcp.call("mem_save", { title: `Key ${hidden}`, content: `It is ${hidden}, keep it` });
    await mcp.call("mem_save", { title: `${hidden}`, content: `${hidden}` });
    await mcp.call("mem_save_prompt", { content: `Use ${hidden}` });
    await mcp.call("mem_session_summary", { content: `## Goal\n${hidden}` });
    await mcp.call("mem_capture_passive", { content: `## Key Learnings:\n\n- The password of the machine is ${hidden}\n` });
    await mcp.call("mem_suggest_topic_key", { title: `About ${hidden}` });
    await mcp.call("mem_update", { id: 1, content: `Now ${hidden}` });
    await mcp.call("mem_context");
    await closed(mcp);
    expect(mcp.lines().join("\n")).not.toContain("swordfish");
    for (const file of Object.keys(fingerprint(here.data)))
      expect({ file, found: readFileSync(join(here.data, file), "latin1").includes("swordfish") }).toEqual({
        file,
        found: false,
      });
  });
});

describeUnless(NOT_BUILT, "prompts and resources", () => {
  test("prompts are listed with their arguments, and rendered with what was given", async () => {
    const mcp = await connected(place());
    const prompts = listOf<{ name: string; arguments: Json[] }>(await mcp.request("prompts/list"), "prompts");
    expect(prompts.map(({ name }) => name)).toEqual(["recall", "save", "session-summary"]);
    expect(prompts[0]?.arguments).toMatchObject([{ name: "subject", required: true }]);
    const text = async (name: string, args: Json = {}) => {
      const answer = await mcp.request("prompts/get", { name, arguments: args });
      return JSON.stringify(answer.result?.messages ?? answer.error);
    };
    expect(await text("recall", { subject: "the login loop" })).toContain("the login loop");
    expect(await text("save")).toContain("mem_save");
    expect(await text("save", { hint: "queues" })).toContain("about queues");
    expect(await text("session-summary")).toContain("mem_session_summary");
    expect((await mcp.request("prompts/get", { name: "recall" })).error).toMatchObject({ code: -32602 });
    expect((await mcp.request("prompts/get", { name: "nothing" })).error).toMatchObject({ code: -32602 });
    await closed(mcp);
  });

  test("resources are templates, read by their address", async () => {
    const mcp = await connected(place());
    await mcp.call("mem_session_start", { id: "my session/1" });
    await mcp.call("mem_save", { title: "Login loop", content: "redirects on Safari" });
    const templates = listOf(await mcp.request("resources/templates/list"), "resourceTemplates");
    expect(templates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "engram://observation/{id}",
      "engram://session/{id}",
      "engram://project/{name}/context",
    ]);
    expect((await mcp.request("resources/list")).result?.resources).toEqual([]);
    for (const [uri, words] of [
      ["engram://observation/1", "redirects on Safari"],
      ["engram://session/my%20session%2F1", "Project: work"],
      ["engram://project/work/context", "Login loop"],
    ] as const) {
      const read = await mcp.request("resources/read", { uri });
      expect(read.result?.contents).toEqual([
        { uri, mimeType: expect.stringMatching(/^text\//) as unknown, text: expect.stringContaining(words) as unknown },
      ]);
    }
    await closed(mcp);
  });

  describe("a resource that is not there is a protocol error that names it", () => {
    for (const uri of [
      "engram://observation/99",
      "engram://observation/first",
      "engram://session/nobody",
      "engram://project/unknown/context",
      "engram://project/context",
      "engram://project//context",
      "engram://project/%20/context",
      "engram://observation/%E0%A4%A",
      "engram://weather/today",
      "https://example.org/",
    ]) {
      test(uri, async () => {
        const mcp = await connected(place());
        await mcp.call("mem_save", { title: "T", content: "C" });
        const { error } = await mcp.request("resources/read", { uri });
        expect(error?.code).toBeOneOf([-32002, -32602]);
        expect(error?.message).toContain(uri);
      });
    }
  });
});
