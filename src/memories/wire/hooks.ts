// Agents' hooks, JSON text in and a JSON value out. They must never fail the agent: what cannot be read is answered, not thrown.

const WRITING_TOOLS = new Set([
  "mem_save",
  "mem_update",
  "mem_review",
  "mem_delete",
  "mem_save_prompt",
  "mem_pin",
  "mem_unpin",
  "mem_session_summary",
  "mem_session_start",
  "mem_session_end",
  "mem_capture_passive",
  "mem_merge_projects",
  "mem_judge",
  "mem_compare",
]);
const PREFIXES = ["mcp__plugin_engram_engram__", "mcp__engram__"];
/** These two name the session itself. */
const SESSION_TOOLS = new Set(["mem_session_start", "mem_session_end"]);

type Json = Record<string, unknown>;

function parse(source: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(source);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}

const deny = (reason: string): Json => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: reason },
});

/** Writes go to the session the agent really is in, whatever id the model made up. */
export function answerClaudePreToolUse(source: string): Json {
  const event = parse(source);
  if (!event) return deny("the hook's input is not a JSON object");
  const name = typeof event.tool_name === "string" ? event.tool_name : "";
  const prefix = PREFIXES.find((candidate) => name.startsWith(candidate));
  const tool = prefix === undefined ? "" : name.slice(prefix.length);
  if (!WRITING_TOOLS.has(tool)) return {};
  const session = event.session_id;
  const input = event.tool_input;
  if (typeof session !== "string" || session.trim() === "") return deny("the hook's input has no session_id");
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return deny("the hook's input has no tool_input object");
  const updatedInput = { ...input, [SESSION_TOOLS.has(tool) ? "id" : "session_id"]: session };
  return { hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput } };
}

/** The body of `POST /prompts` for a prompt hook; undefined when there is nothing to save. */
export function promptOfHook(source: string): { session_id: string; content: string } | undefined {
  const event = parse(source);
  const session_id = event?.session_id;
  const content = event?.prompt;
  if (typeof session_id !== "string" || session_id === "" || typeof content !== "string" || content.trim() === "")
    return undefined;
  return { session_id, content };
}
