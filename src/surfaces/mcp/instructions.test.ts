import { describe, expect, test } from "bun:test";
import type { McpTool } from "../../registry/mcp.ts";
import { instructionsFor } from "./instructions.ts";

const tool = (name: string, deferred = false): McpTool => ({
  name,
  title: name,
  profile: "agent",
  deferred,
  readOnly: true,
  destructive: false,
  idempotent: true,
  description: "",
  parameters: {},
  required: [],
  output: {},
  operations: [],
  call: () => Promise.resolve({ structured: {} }),
});

describe("the instructions", () => {
  test("have a line for each core tool that is offered, and none for the others", () => {
    const text = instructionsFor([tool("mem_search"), tool("mem_context")]);
    expect(text).toContain("- mem_search: ");
    expect(text).toContain("- mem_context: ");
    expect(text).not.toContain("mem_save");
    expect(text).not.toContain("mem_session_summary");
    expect(text).not.toContain("mem_judge");
  });

  test("ask to save without being asked only where saving is offered", () => {
    const rule = "Save without being asked";
    expect(instructionsFor([tool("mem_save")])).toContain(rule);
    expect(instructionsFor([tool("mem_search")])).not.toContain(rule);
  });

  test("explain judgments only where judging is offered", () => {
    const rule = "call mem_judge once per candidate with its own judgment_id";
    expect(instructionsFor([tool("mem_judge")])).toContain(rule);
    expect(instructionsFor([tool("mem_save")])).not.toContain(rule);
  });

  test("name the deferred tools, in the order they are offered", () => {
    expect(instructionsFor([tool("mem_save"), tool("mem_pin", true), tool("mem_update", true)])).toContain(
      "More through tool search: mem_pin, mem_update.",
    );
    expect(instructionsFor([tool("mem_save")])).not.toContain("tool search");
  });

  test("say always what this is, and that the answer to the user comes last", () => {
    const text = instructionsFor([]);
    expect(text).toContain("Engram is your memory across sessions.");
    expect(text).toContain("your full answer to the user is still your last message");
    expect(text).not.toContain("mem_");
  });
});
