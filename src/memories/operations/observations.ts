// Reading and changing single observations: get, list, update, pin, review, delete, versions, timeline.
import { z } from "zod";
import { toStamp } from "../../kernel/clock.ts";
import { invalid, notFound } from "../../kernel/errors.ts";
import { normalizeProjectName } from "../../project/name.ts";
import { operation } from "../../registry/operation.ts";
import type { Observation, ObservationVersion, Timeline } from "../model.ts";
import {
  contentHash,
  normalizeScope,
  normalizeTopicKey,
  prepareContent,
  prepareTitle,
  type ReviewState,
  replaceLiterally,
  reviewAfter,
  reviewState,
  type Truncation,
} from "../rules/observation.ts";
import { suggestTopicKey } from "../rules/topic-key.ts";
import type { ObservationChange } from "../store.ts";
import { chooseProject, type MemoriesApp, observationId, positiveOr, requireFound, requireOwner, selection } from "./app.ts";

type ObservationApp = Pick<MemoriesApp, "memories" | "clock">;

export const getObservation = operation({
  name: "memories.get",
  kind: "read",
  summary: "One observation, whole.",
  input: () => z.object({ id: observationId() }),
  run: (app: ObservationApp, { id }): Observation => requireFound(app.memories.observations.get(id)),
});

export const recentObservations = operation({
  name: "memories.recent",
  kind: "read",
  summary: "Observations, newest first.",
  input: () => z.object({ ...selection(), scope: z.string().optional(), limit: z.number().int().optional() }),
  async run(app: MemoriesApp, input): Promise<{ observations: Observation[]; project: string | undefined }> {
    const project = await chooseProject(app, input);
    const scope = input.scope ? normalizeScope(input.scope) : undefined;
    return { observations: app.memories.observations.recent({ project, scope, limit: positiveOr(input.limit, 20) }), project };
  },
});

const updateInput = () =>
  z.object({
    id: observationId(),
    type: z.string().optional(),
    title: z.string().optional(),
    content: z.string().optional(),
    find: z.string().optional(),
    replace: z.string().optional(),
    project: z.string().optional(),
    scope: z.string().optional(),
    topic_key: z.string().optional(),
    expected_project: z.string().optional(),
  });

function changedContent(input: z.output<ReturnType<typeof updateInput>>, current: Observation): string | undefined {
  if (input.find === undefined && input.replace === undefined) return input.content;
  if (input.find === undefined || input.replace === undefined) throw invalid("find and replace must be given together");
  if (input.content !== undefined) throw invalid("find and replace cannot be combined with content");
  if (input.find === "") throw invalid("find must not be empty");
  return replaceLiterally(current.content, input.find, input.replace);
}

export const updateObservation = operation({
  name: "memories.update",
  kind: "write",
  summary: "Change fields of an observation; the text before stays readable as a version.",
  input: updateInput,
  run(app: ObservationApp, input): { observation: Observation; truncation: Truncation | null } {
    const { id, expected_project, ...fields } = input;
    if (Object.values(fields).every((value) => value === undefined)) throw invalid("at least one field is required");
    let truncation: Truncation | null = null;
    const observation = app.memories.observations.update(id, toStamp(app.clock.now()), (current) => {
      requireOwner(current.project, expected_project);
      const change: ObservationChange = {};
      if (input.type !== undefined) change.type = input.type;
      if (input.title !== undefined) change.title = prepareTitle(input.title);
      const content = changedContent(input, current);
      if (content !== undefined) {
        const prepared = prepareContent(content);
        truncation = prepared.truncation;
        change.content = prepared.text;
        change.hash = contentHash(prepared.text);
      }
      if (input.scope !== undefined) change.scope = normalizeScope(input.scope);
      if (input.topic_key !== undefined) change.topic_key = normalizeTopicKey(input.topic_key);
      if (input.project !== undefined) change.project = normalizeProjectName(input.project) || null;
      return change;
    });
    return { observation: requireFound(observation), truncation };
  },
});

export const pinObservation = operation({
  name: "memories.pin",
  kind: "write",
  summary: "Pin an observation to the context, or unpin it.",
  input: () => z.object({ id: observationId(), pinned: z.boolean() }),
  run: (app: ObservationApp, { id, pinned }): Observation => requireFound(app.memories.observations.pin(id, pinned)),
});

export const deleteObservation = operation({
  name: "memories.delete",
  kind: "admin",
  summary: "Delete an observation: hidden (soft) or gone (hard).",
  input: () => z.object({ id: observationId(), hard: z.boolean().default(false), expected_project: z.string().optional() }),
  run(app: ObservationApp, { id, hard, expected_project }): { id: number; hard: boolean } {
    const found = app.memories.observations.delete(id, hard, toStamp(app.clock.now()), (current) =>
      requireOwner(current.project, expected_project),
    );
    if (!found) throw notFound("observation not found");
    return { id, hard };
  },
});

export const observationVersions = operation({
  name: "memories.versions",
  kind: "read",
  summary: "Earlier texts of an observation, newest first.",
  input: () => z.object({ id: observationId() }),
  run(app: ObservationApp, { id }): { observation: Observation; versions: ObservationVersion[] } {
    const observation = requireFound(app.memories.observations.get(id));
    return { observation, versions: app.memories.observations.versions(id) };
  },
});

export const timeline = operation({
  name: "memories.timeline",
  kind: "read",
  summary: "An observation among its neighbours in the session.",
  input: () =>
    z.object({ ...selection(), id: observationId(), before: z.number().int().optional(), after: z.number().int().optional() }),
  async run(app: MemoriesApp, input): Promise<Timeline> {
    const project = await chooseProject(app, input);
    const found = requireFound(
      app.memories.observations.timeline(input.id, positiveOr(input.before, 5), positiveOr(input.after, 5)),
    );
    if (project !== undefined && normalizeProjectName(found.focus.project ?? "") !== normalizeProjectName(project)) {
      throw notFound("observation not found in resolved project", {
        project,
        owner_project: found.focus.project ?? "",
      });
    }
    return found;
  },
});

export interface ReviewItem {
  observation: Observation;
  state: ReviewState;
}

export const listReviews = operation({
  name: "memories.review.list",
  kind: "read",
  summary: "Observations whose review date has passed, oldest first.",
  input: () => z.object({ ...selection(), limit: z.number().int().optional() }),
  async run(app: MemoriesApp, input): Promise<{ items: ReviewItem[]; project: string | undefined }> {
    const project = await chooseProject(app, input);
    const now = app.clock.now();
    const rows = app.memories.observations.needingReview({ project, now: toStamp(now), limit: positiveOr(input.limit, 10) });
    return { items: rows.map((observation) => ({ observation, state: reviewState(observation.review_after, now) })), project };
  },
});

export const markReviewed = operation({
  name: "memories.review.mark",
  kind: "write",
  summary: "Mark an observation as reviewed; its next date follows from its type.",
  input: () => z.object({ id: observationId() }),
  run(app: ObservationApp, { id }): ReviewItem {
    const now = app.clock.now();
    const observation = requireFound(
      app.memories.observations.review(id, toStamp(now), (current) => reviewAfter(current.type, now)),
    );
    return { observation, state: reviewState(observation.review_after, now) };
  },
});

export const suggestKey = operation({
  name: "memories.suggest-topic-key",
  kind: "read",
  summary: "A stable topic key for a title or text.",
  input: () => z.object({ type: z.string().default(""), title: z.string().default(""), content: z.string().default("") }),
  run: (_app: object, input): { topic_key: string } => ({ topic_key: suggestTopicKey(input) }),
});
