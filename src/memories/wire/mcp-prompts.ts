// Prompts a person picks in the client, and resources an agent or person points at.
import { displayTime } from "../../kernel/clock.ts";
import { EngramError } from "../../kernel/errors.ts";
import type { McpPrompt, McpResource } from "../../registry/mcp.ts";
import { context } from "../operations/context.ts";
import { getObservation } from "../operations/observations.ts";
import { getSession } from "../operations/sessions.ts";
import { observationText } from "./mcp-render.ts";

export const memoryPrompts: McpPrompt[] = [
  {
    name: "recall",
    title: "Recall",
    description: "Look up what is known about a subject",
    arguments: [{ name: "subject", description: "what to recall", required: true }],
    render: ({ subject }) =>
      `Search memory for "${subject}" with mem_search (try other words, then all_projects, if nothing is found). Read the best hits whole with mem_get_observation, then tell me what we know and where it comes from.`,
  },
  {
    name: "save",
    title: "Save",
    description: "Save what was just learned",
    arguments: [{ name: "hint", description: "what to save, if not obvious", required: false }],
    render: ({ hint }) =>
      `Save what we just learned${hint ? ` about ${hint}` : ""} with mem_save: one memory per thing, a searchable title, content as What / Why / Where / Learned, a topic_key if the subject will evolve. Then tell me the ids.`,
  },
  {
    name: "session-summary",
    title: "Session summary",
    description: "Summarise this session for the next one",
    arguments: [],
    render: () =>
      "Write a summary of this session (Goal, Instructions, Discoveries, Accomplished, Next Steps, Relevant Files) and save it with mem_session_summary.",
  },
];

/** "Not there" is an answer, not a failure. */
async function orNone<T>(value: Promise<T>): Promise<T | undefined> {
  try {
    return await value;
  } catch (error) {
    if (error instanceof EngramError && error.kind === "not_found") return undefined;
    throw error;
  }
}

export const memoryResources: McpResource[] = [
  {
    template: "engram://observation/{id}",
    name: "Memory",
    description: "One memory, whole",
    mimeType: "text/plain",
    async read(id, cli) {
      if (!/^\d{1,15}$/.test(id)) return undefined;
      const observation = await orNone(cli.call(getObservation, { id: Number(id) }));
      return observation && observationText(observation, cli.timeZone);
    },
  },
  {
    template: "engram://session/{id}",
    name: "Session",
    description: "A session and how it ended",
    mimeType: "text/plain",
    async read(id, cli) {
      const session = await orNone(cli.call(getSession, { id }));
      if (!session) return undefined;
      const ended = session.ended_at ? `\nEnded: ${displayTime(session.ended_at, cli.timeZone)}` : "";
      return `Session ${session.id}\nProject: ${session.project}\nDirectory: ${session.directory}\nStarted: ${displayTime(session.started_at, cli.timeZone)}${ended}${session.summary ? `\n\n${session.summary}` : ""}`;
    },
  },
  {
    template: "engram://project/{name}/context",
    name: "Project context",
    description: "Recent sessions, prompts and memories of a project",
    mimeType: "text/markdown",
    async read(name, cli) {
      const { context: text } = await cli.call(context, { project: name, compact: false });
      return text === "" ? undefined : text;
    },
  },
];
