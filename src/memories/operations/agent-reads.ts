// Reads through tools: the same reads as everywhere, in the project of the agent, with what the answer must tell about it.
import { z } from "zod";
import { EngramError, notFound } from "../../kernel/errors.ts";
import type { Detection } from "../../project/detect.ts";
import { normalizeProjectName } from "../../project/name.ts";
import { operation } from "../../registry/operation.ts";
import type { Observation, Stats, Timeline } from "../model.ts";
import type { DoctorReport } from "../rules/diagnosis.ts";
import type { Truncation } from "../rules/observation.ts";
import { manualSessionId } from "../rules/session.ts";
import { type AgentApp, type Resolved, resolveForRead } from "./agent-project.ts";
import { positiveOr } from "./app.ts";
import { context, MOST_BYTES } from "./context.ts";
import { type DoctorApp, doctor } from "./doctor.ts";
import { listReviews, type ReviewItem, timeline as timelineOperation, updateObservation } from "./observations.ts";
import { type SearchAnswer, search } from "./search.ts";

type ContextApp = AgentApp & { timeZone: string | undefined };

/** The session a read is counted for: the newest live one, else the manual one. */
const readingSession = (app: AgentApp, resolved: Resolved): string =>
  resolved.project === "" ? "" : (app.memories.sessions.live(resolved.project, "")[0]?.id ?? manualSessionId(resolved.project));

/** Personal memories are the person's, not a project's: unless one is named, all are looked at. */
const everywhere = (input: { scope?: string | undefined; project?: string | undefined }): boolean =>
  input.scope?.trim().toLowerCase() === "personal" && !input.project?.trim();

const filterOf = (resolved: Resolved, all: boolean): { project?: string; allProjects: boolean } =>
  all || resolved.project === "" ? { allProjects: true } : { project: resolved.project, allProjects: false };

export const agentSearch = operation({
  name: "memories.agent.search",
  kind: "read",
  summary: "Find memories of the current project by words.",
  input: () =>
    z.object({
      query: z.string(),
      type: z.string().optional(),
      project: z.string().optional(),
      allProjects: z.boolean().default(false),
      scope: z.string().optional(),
      matchMode: z.string().optional(),
      limit: z.number().int().optional(),
    }),
  async run(app: AgentApp, input): Promise<{ resolved: Resolved; answer: SearchAnswer; session: string }> {
    const resolved = await resolveForRead(app, input);
    const session = readingSession(app, resolved);
    if (input.query.trim() === "") throw new EngramError("invalid", "query is required: pass the words to look for");
    const { query, type, scope, matchMode, limit } = input;
    const answer = await search.run(app, { query, type, scope, matchMode, limit, ...filterOf(resolved, everywhere(input)) });
    return { resolved, answer, session };
  },
});

const DEFAULT_BYTES = 16_384;
const PINNED = 20;

export const agentContext = operation({
  name: "memories.agent.context",
  kind: "read",
  summary: "The context of the current project, within a byte budget.",
  input: () =>
    z.object({
      project: z.string().optional(),
      scope: z.string().optional(),
      maxBytes: z.number().int().optional(),
      compact: z.boolean().default(false),
    }),
  async run(app: ContextApp, input): Promise<{ resolved: Resolved; text: string; stats: Stats; session: string; limit: number }> {
    const resolved = await resolveForRead(app, input);
    const limit = positiveOr(input.maxBytes, DEFAULT_BYTES, MOST_BYTES);
    const { context: text } = await context.run(app, {
      ...filterOf(resolved, everywhere(input)),
      scope: input.scope,
      compact: input.compact,
      pinned: PINNED,
      maxBytes: limit,
    });
    return { resolved, text, stats: app.memories.projects.stats(), session: readingSession(app, resolved), limit };
  },
});

/** A memory is found wherever it belongs; where the directory does not say, its own project does. */
async function aroundRow(app: AgentApp, observation: Observation): Promise<Resolved> {
  const detection = await app.locator.detect(app.cwd, { bind: true });
  if (!detection.problem)
    return {
      project: normalizeProjectName(detection.project),
      path: detection.path,
      source: detection.source,
      warning: detection.warning,
    };
  return { project: observation.project ?? "", path: "", source: "stored_project" };
}

export const agentGet = operation({
  name: "memories.agent.get",
  kind: "read",
  summary: "One memory whole, of whatever project.",
  input: () => z.object({ id: z.number().int() }),
  async run(app: AgentApp, { id }): Promise<{ resolved: Resolved; observation: Observation }> {
    const observation = app.memories.observations.get(id);
    if (!observation) throw notFound(`Observation #${id} not found`);
    return { resolved: await aroundRow(app, observation), observation };
  },
});

export const agentUpdate = operation({
  name: "memories.agent.update",
  kind: "write",
  summary: "Change fields of a memory.",
  input: () => updateObservation.input() as z.ZodType<Parameters<typeof updateObservation.run>[1]>,
  async run(app: AgentApp, input): Promise<{ resolved: Resolved; observation: Observation; truncation: Truncation | null }> {
    const { observation, truncation } = await updateObservation.run(app, input);
    return { resolved: await aroundRow(app, observation), observation, truncation };
  },
});

export const agentTimeline = operation({
  name: "memories.agent.timeline",
  kind: "read",
  summary: "A memory among its neighbours.",
  input: () =>
    z.object({
      id: z.number().int(),
      before: z.number().int().optional(),
      after: z.number().int().optional(),
      project: z.string().optional(),
    }),
  async run(app: AgentApp, input): Promise<{ resolved: Resolved; timeline: Timeline }> {
    const resolved = await resolveForRead(app, input);
    const project = input.project?.trim() ? resolved.project : undefined;
    return {
      resolved,
      timeline: await timelineOperation.run(app, { id: input.id, before: input.before, after: input.after, project }),
    };
  },
});

export const agentReview = operation({
  name: "memories.agent.review",
  kind: "read",
  summary: "Memories to review, of one project or of all.",
  input: () => z.object({ project: z.string().optional(), limit: z.number().int().optional() }),
  async run(app: AgentApp, input): Promise<{ resolved: Resolved; items: ReviewItem[] }> {
    const resolved = await resolveForRead(app, input);
    const named = input.project?.trim() ? resolved.project : undefined;
    const { items } = await listReviews.run(app, { project: named, limit: input.limit });
    return { resolved: named === undefined ? { ...resolved, source: "all_projects" } : resolved, items };
  },
});

export const agentStats = operation({
  name: "memories.agent.stats",
  kind: "read",
  summary: "Counts over all projects.",
  input: () => z.object({ project: z.string().optional() }),
  async run(app: AgentApp, input): Promise<{ resolved: Resolved; stats: Stats }> {
    return { resolved: await resolveForRead(app, input), stats: app.memories.projects.stats() };
  },
});

export const agentDoctor = operation({
  name: "memories.agent.doctor",
  kind: "read",
  summary: "Checks of the store, for the current project.",
  input: () => z.object({ project: z.string().optional(), check: z.string().optional() }),
  async run(app: AgentApp & DoctorApp, input): Promise<DoctorReport> {
    const { project } = await resolveForRead(app, input);
    return doctor.run(app, { project, check: input.check, mustExist: false });
  },
});

export const whereAmI = operation({
  name: "memories.agent.project",
  kind: "read",
  summary: "The agent's project and how it is known.",
  input: () => z.object({}),
  run: (app: AgentApp): Promise<Detection> => app.locator.detect(app.cwd, { bind: true }),
});
