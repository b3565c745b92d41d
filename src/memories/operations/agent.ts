// What agents do through tools: the room's operations with project and session found for them.
import { z } from "zod";
import { toStamp } from "../../kernel/clock.ts";
import { EngramError, invalid } from "../../kernel/errors.ts";
import { byteLength, clip } from "../../kernel/text.ts";
import { redactPrivate } from "../../language/secrets/private-text.ts";
import { normalizeProjectName } from "../../project/name.ts";
import { operation } from "../../registry/operation.ts";
import type { Observation } from "../model.ts";
import { MAX_CONTENT_BYTES, type ReviewState, reviewState, type Truncation } from "../rules/observation.ts";
import { similarProject } from "../rules/similar-project.ts";
import { suggestTopicKey } from "../rules/topic-key.ts";
import type { SaveOutcome } from "../store.ts";
import {
  type AgentApp,
  assumed,
  type ChosenSession,
  chooseSession,
  type Resolved,
  refusal,
  resolveForWrite,
} from "./agent-project.ts";
import { requireText } from "./app.ts";
import { savePrompt } from "./prompts.ts";
import { capturePassive, decideSave, draftObservation } from "./save.ts";
import { sessionDraft } from "./sessions.ts";

export interface AgentSave {
  resolved: Resolved;
  session: ChosenSession;
  outcome: SaveOutcome;
  observation: Observation;
  state: ReviewState;
  truncation: Truncation;
  suggestedKey: string | undefined;
  similar: { name: string; observations: number } | undefined;
  /** With it the same save can be moved to the project the user names. */
  recoveryToken: string | undefined;
}

/** Where a save goes: what the agent says of it, or the user's choice among the projects an earlier answer named. */
const target = () => ({
  session_id: z.string().optional(),
  project: z.string().optional(),
  choiceReason: z.string().optional(),
  recoveryToken: z.string().optional(),
});

async function store(
  app: AgentApp,
  input: { project?: string | undefined; session_id?: string | undefined },
  fields: { type: string; title: string; content: string; scope?: string | undefined; topic_key?: string | undefined },
): Promise<AgentSave> {
  const resolved = await resolveForWrite(app, { project: input.project, session: input.session_id });
  const similar = similarProject(resolved.project, app.memories.projects.list());
  // Before anything is made: a draft that is refused must not leave a session behind.
  const { draft, truncation } = draftObservation(app, { ...fields, project: resolved.project, session_id: "" });
  const session = chooseSession(app, resolved, input.session_id);
  const outcome = app.memories.observations.save({ ...draft, session_id: session.id }, (situation) =>
    decideSave(situation, draft.topic_key),
  );
  const { observation } = outcome;
  const suggestedKey = draft.topic_key === null ? suggestTopicKey(fields) : undefined;
  return {
    resolved,
    session,
    outcome,
    observation,
    state: reviewState(observation.review_after, app.clock.now()),
    truncation,
    suggestedKey,
    similar,
    recoveryToken: resolved.candidates && app.recoveries.issue(resolved.candidates, observation.id),
  };
}

const CHOICE = "user_selected_after_ambiguous_project";

interface Choice {
  project?: string | undefined;
  choiceReason?: string | undefined;
  recoveryToken?: string | undefined;
}

/** When the user has chosen, what was saved under an assumed name is moved, never saved twice. */
function moveChosen(app: AgentApp, { project, choiceReason, recoveryToken: token }: Choice): AgentSave | undefined {
  if (choiceReason !== CHOICE || project === undefined) return undefined;
  const name = normalizeProjectName(project);
  if (!token) {
    throw refusal(
      "missing_recovery_token",
      `project_choice_reason=${CHOICE} for ${JSON.stringify(name)} requires the recovery_token of the answer that named the candidates`,
      {
        hint: "Pass the recovery_token of that answer, or use mem_update(id, project).",
      },
    );
  }
  const pending = app.recoveries.find(token);
  if (pending && !pending.candidates.map(normalizeProjectName).includes(name)) {
    throw refusal("invalid_project_choice", `Project choice ${JSON.stringify(name)} is not one of available_projects`, {
      available_projects: pending.candidates,
      hint: "Choose one of available_projects.",
    });
  }
  if (!pending || (pending.chosen !== undefined && pending.chosen !== name)) {
    throw refusal(
      "invalid_recovery_token",
      `recovery_token is invalid, stale, or not valid for selected project ${JSON.stringify(name)}`,
      {
        hint: "Tokens last five minutes and move to one project. Use mem_update(id, project) instead.",
      },
    );
  }
  pending.chosen = name;
  const resolved: Resolved = { project: name, path: "", source: CHOICE, warning: "moved to the project the user chose" };
  const session = chooseSession(app, resolved, undefined);
  const now = toStamp(app.clock.now());
  let moved: Observation | null = null;
  for (const id of pending.observations)
    moved = app.memories.observations.update(id, now, () => ({ project: name, session_id: session.id })) ?? moved;
  if (!moved) throw refusal("invalid_recovery_token", "what this token stood for is no longer there");
  const truncation = { original_bytes: byteLength(moved.content), limit_bytes: MAX_CONTENT_BYTES, truncated: false };
  const outcome: SaveOutcome = { kind: "revised", observation: moved };
  return {
    resolved,
    session,
    outcome,
    observation: moved,
    state: reviewState(moved.review_after, app.clock.now()),
    truncation,
    suggestedKey: undefined,
    similar: undefined,
    recoveryToken: undefined,
  };
}

export const agentSave = operation({
  name: "memories.agent.save",
  kind: "write",
  summary: "Save what an agent learned; project and session are found for it.",
  input: () =>
    z.object({
      title: z.string(),
      content: z.string(),
      type: z.string().default("manual"),
      scope: z.string().optional(),
      topic_key: z.string().optional(),
      ...target(),
    }),
  async run(app: AgentApp, input): Promise<AgentSave> {
    return moveChosen(app, input) ?? store(app, input, input);
  },
});

export const agentSummary = operation({
  name: "memories.agent.summary",
  kind: "write",
  summary: "Save the summary of a session as a memory.",
  input: () =>
    z.object({
      content: z.string(),
      ...target(),
    }),
  async run(app: AgentApp, input): Promise<AgentSave> {
    const moved = moveChosen(app, input);
    if (moved) return moved;
    const { project } = await resolveForWrite(app, { project: input.project, session: input.session_id });
    return store(app, input, { type: "session_summary", title: `Session summary: ${project}`, content: input.content });
  },
});

export const agentPrompt = operation({
  name: "memories.agent.prompt",
  kind: "write",
  summary: "Save what the user asked.",
  input: () => z.object({ content: z.string(), session_id: z.string().optional() }),
  async run(app: AgentApp, input): Promise<{ resolved: Resolved; session: ChosenSession; preview: string }> {
    const content = redactPrivate(input.content);
    if (content === "") throw invalid("content is required for mem_save_prompt");
    const resolved = await resolveForWrite(app, { session: input.session_id });
    const session = chooseSession(app, resolved, input.session_id);
    await savePrompt.run(app, { session_id: session.id, content, project: resolved.project });
    return { resolved, session, preview: clip(content, 80) };
  },
});

export const agentCapture = operation({
  name: "memories.agent.capture",
  kind: "write",
  summary: "Save the learnings listed in a text.",
  input: () => z.object({ content: z.string(), session_id: z.string().optional(), source: z.string().default("mcp-passive") }),
  async run(app: AgentApp, input): Promise<{ resolved: Resolved; extracted: number; saved: number; duplicates: number }> {
    const resolved = await resolveForWrite(app, { session: input.session_id });
    const session = chooseSession(app, resolved, input.session_id);
    const counts = await capturePassive.run(app, {
      session_id: session.id,
      content: input.content,
      project: resolved.project,
      source: input.source,
    });
    return { resolved, ...counts };
  },
});

export const agentStart = operation({
  name: "memories.agent.start",
  kind: "write",
  summary: "Register the agent's session.",
  input: () => z.object({ id: z.string(), directory: z.string().optional() }),
  async run(app: AgentApp, { id, directory }): Promise<{ resolved: Resolved; id: string }> {
    requireText(id, "id is required for mem_session_start");
    const cwd = directory?.trim() || app.cwd;
    const detection = await app.locator.detect(cwd, { bind: true, processProject: !directory?.trim() });
    const resolved = assumed(detection, cwd);
    app.memories.sessions.open(
      sessionDraft(app, {
        id,
        project: resolved.project,
        directory: directory?.trim() || resolved.path || cwd,
        ownership_mode: "shared",
      }),
    );
    return { resolved, id };
  },
});

export const agentEnd = operation({
  name: "memories.agent.end",
  kind: "write",
  summary: "End the agent's session.",
  input: () => z.object({ id: z.string(), summary: z.string().optional() }),
  async run(app: AgentApp, { id, summary }): Promise<{ resolved: Resolved; id: string }> {
    requireText(id, "id is required for mem_session_end");
    const resolved = assumed(await app.locator.detect(app.cwd, { bind: true }), app.cwd);
    app.memories.sessions.end(id, redactPrivate(summary ?? "") || null, toStamp(app.clock.now()));
    return { resolved, id };
  },
});

export const agentMerge = operation({
  name: "memories.agent.merge",
  kind: "admin",
  summary: "Merge projects, whatever their names, into one.",
  input: () => z.object({ from: z.string(), to: z.string() }),
  run(app: AgentApp, input): { sources: number; to: string; observations: number; sessions: number; prompts: number } {
    if (input.from === "" || input.to.trim() === "") throw new EngramError("invalid", "both 'from' and 'to' are required");
    const to = normalizeProjectName(input.to);
    const names = input.from
      .split(",")
      .map(normalizeProjectName)
      .filter((name) => name !== "");
    if (names.length === 0) throw new EngramError("invalid", "at least one source project name is required in 'from'");
    const sources = [...new Set(names)].filter((name) => name !== to);
    const spellings = app.memories.projects.names().filter((known) => sources.includes(normalizeProjectName(known)));
    return { sources: sources.length, to, ...app.memories.projects.move(spellings, to, toStamp(app.clock.now())) };
  },
});
