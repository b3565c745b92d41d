// Saving: the pipeline in order, one transaction. `save` wants a session that exists; `saveManual` brings its own.
import { z } from "zod";
import { minutesBefore, toStamp } from "../../kernel/clock.ts";
import { syncId } from "../../kernel/ids.ts";
import { withoutPrivate } from "../../language/secrets/private-text.ts";
import { normalizeProjectName } from "../../project/name.ts";
import { operation } from "../../registry/operation.ts";
import {
  contentHash,
  DEDUPE_MINUTES,
  normalizeScope,
  normalizeTopicKey,
  prepareContent,
  prepareTitle,
  reviewAfter,
  type Truncation,
} from "../rules/observation.ts";
import { extractLearnings, learningTitle } from "../rules/passive-capture.ts";
import { manualSessionId, requireSession } from "../rules/session.ts";
import type { ObservationDraft, SaveDecision, SaveOutcome, SaveSituation } from "../store.ts";
import { folderName, type MemoriesApp, requireDetection } from "./app.ts";
import { sessionDraft } from "./sessions.ts";

type SaveApp = Pick<MemoriesApp, "memories" | "clock" | "ids">;

const fields = () => ({
  type: z.string(),
  title: z.string(),
  content: z.string(),
  tool_name: z.string().optional(),
  project: z.string().optional(),
  scope: z.string().optional(),
  topic_key: z.string().optional(),
});

interface DraftInput {
  session_id: string;
  type: string;
  title: string;
  content: string;
  tool_name?: string | undefined;
  project?: string | undefined;
  scope?: string | undefined;
  topic_key?: string | undefined;
}

export function draftObservation(
  app: Pick<MemoriesApp, "clock" | "ids">,
  input: DraftInput,
): { draft: ObservationDraft; truncation: Truncation } {
  const now = app.clock.now();
  const { text: content, truncation } = prepareContent(input.content);
  const draft: ObservationDraft = {
    sync_id: syncId(app.ids, "obs"),
    session_id: input.session_id,
    type: input.type,
    title: prepareTitle(input.title),
    content,
    tool_name: input.tool_name || null,
    project: normalizeProjectName(input.project ?? "") || null,
    scope: normalizeScope(input.scope),
    topic_key: normalizeTopicKey(input.topic_key),
    hash: contentHash(content),
    review_after: reviewAfter(input.type, now),
    now: toStamp(now),
    twins_since: toStamp(minutesBefore(now, DEDUPE_MINUTES)),
  };
  return { draft, truncation };
}

/** A topic is revised in place; the same words again within the window are counted; everything else is new. */
export function decideSave({ sameTopic, twin }: SaveSituation, topicKey: string | null): SaveDecision {
  if (topicKey !== null && sameTopic) return { kind: "revise", id: sameTopic.id };
  return twin ? { kind: "count_duplicate", id: twin.id } : { kind: "insert" };
}

export const save = operation({
  name: "memories.save",
  kind: "write",
  summary: "Save an observation into an existing session.",
  input: () => z.object({ ...fields(), session_id: z.string() }),
  run(app: SaveApp, input): SaveOutcome {
    const { draft } = draftObservation(app, input);
    return app.memories.observations.save(draft, (situation) => {
      requireSession(situation.session, draft.project);
      return decideSave(situation, draft.topic_key);
    });
  },
});

export interface ManualSave {
  outcome: SaveOutcome;
  truncation: Truncation;
  warnings: string[];
}

/** Never refuses for bookkeeping: an ambiguous directory is stored under its own name, and the answer says so. */
export const saveManual = operation({
  name: "memories.save-manual",
  kind: "write",
  summary: "Save an observation by hand; the project is the given one or that of the directory.",
  input: () => z.object({ ...fields(), cwd: z.string() }),
  async run(app: MemoriesApp, input): Promise<ManualSave> {
    const warnings: string[] = [];
    const project = input.project?.trim() ? input.project : await projectForWrite(app, input.cwd, warnings);
    const name = normalizeProjectName(project);
    if (name !== project.trim()) warnings.push(`⚠️ Project name normalized: ${JSON.stringify(project)} → ${JSON.stringify(name)}`);
    const session_id = manualSessionId(name);
    const { draft, truncation } = draftObservation(app, { ...input, project: name, session_id });
    if (truncation.truncated) {
      warnings.push(
        `⚠ WARNING: Content was truncated from ${truncation.original_bytes} to ${truncation.limit_bytes} bytes. Consider splitting into smaller observations.`,
      );
    }
    const session = sessionDraft(app, { id: session_id, project: name, directory: input.cwd, ownership_mode: "project_owned" });
    const outcome = app.memories.observations.save(draft, (situation) => decideSave(situation, draft.topic_key), session);
    return { outcome, truncation, warnings };
  },
});

async function projectForWrite(app: MemoriesApp, cwd: string, warnings: string[]): Promise<string> {
  const detection = await app.locator.detect(cwd, { bind: true });
  if (detection.warning) warnings.push(detection.warning);
  if (detection.problem?.code !== "ambiguous_project") return requireDetection(detection).project;
  const nearest = folderName(cwd);
  warnings.push(
    `several repositories here (${detection.available.join(", ")}): saved under "${nearest}"; use --project <name> to choose, or run engram init in this folder`,
  );
  return nearest;
}

export const capturePassive = operation({
  name: "memories.capture-passive",
  kind: "write",
  summary: "Pick the learnings out of an agent's text and save those that are new.",
  input: () =>
    z.object({ session_id: z.string(), content: z.string(), project: z.string().optional(), source: z.string().optional() }),
  run(app: SaveApp, input): { extracted: number; saved: number; duplicates: number } {
    const project = normalizeProjectName(input.project ?? "") || null;
    // Before the text is taken apart: a private part may span several items.
    const learnings = extractLearnings(withoutPrivate(input.content));
    if (learnings.length === 0) {
      if (project !== null) requireSession(app.memories.sessions.get(input.session_id), project);
      return { extracted: 0, saved: 0, duplicates: 0 };
    }
    const drafts = learnings.map((learning) => {
      const { draft } = draftObservation(app, {
        session_id: input.session_id,
        type: "passive",
        title: learningTitle(learning),
        content: learning,
        project: project ?? undefined,
        tool_name: input.source,
      });
      return draft;
    });
    return {
      extracted: learnings.length,
      ...app.memories.observations.capture(drafts, (session) => void requireSession(session, project)),
    };
  },
});
