// What an agent should know when it starts, or starts again after compaction.
import { z } from "zod";
import { displayTime } from "../../kernel/clock.ts";
import { operation } from "../../registry/operation.ts";
import { renderContext, renderSessionContext, withinBudget } from "../rules/context.ts";
import { normalizeScope } from "../rules/observation.ts";
import { chooseProject, type MemoriesApp, requireFound, selection } from "./app.ts";

const MOST_ROWS = 500;
export const MOST_BYTES = 65_536;
const EVERY_PIN = 10_000;

/** 0 or absent: the default; negative: the section is left out. */
const rows = (wanted: number | undefined, fallback: number): number => {
  if (wanted === undefined || wanted === 0) return fallback;
  return wanted < 0 ? 0 : Math.min(wanted, MOST_ROWS);
};

const budget = (wanted: number | undefined): number | undefined =>
  wanted === undefined || wanted <= 0 ? undefined : Math.min(wanted, MOST_BYTES);

type ContextApp = MemoriesApp & { timeZone: string | undefined };

export const context = operation({
  name: "memories.context",
  kind: "read",
  summary: "Recent sessions, prompts, pinned and recent observations as text for an agent.",
  input: () =>
    z.object({
      ...selection(),
      scope: z.string().optional(),
      observations: z.number().int().optional(),
      prompts: z.number().int().optional(),
      sessions: z.number().int().optional(),
      pinned: z.number().int().optional(),
      compact: z.boolean().default(false),
      maxBytes: z.number().int().optional(),
    }),
  async run(app: ContextApp, input): Promise<{ context: string; project: string | undefined }> {
    const project = await chooseProject(app, input);
    const scope = input.scope ? normalizeScope(input.scope) : undefined;
    const { sessions, prompts, observations } = app.memories;
    const limit = {
      sessions: rows(input.sessions, 5),
      prompts: rows(input.prompts, 10),
      pinned: rows(input.pinned, EVERY_PIN),
      observations: rows(input.observations, 20),
    };
    const text = renderContext(
      {
        sessions: limit.sessions === 0 ? [] : sessions.recent({ project, limit: limit.sessions }),
        prompts: limit.prompts === 0 ? [] : prompts.recent({ project, limit: limit.prompts }),
        pinned: limit.pinned === 0 ? [] : observations.recent({ project, scope, pinned: true, limit: limit.pinned }),
        observations:
          limit.observations === 0 ? [] : observations.recent({ project, scope, pinned: false, limit: limit.observations }),
      },
      { compact: input.compact, time: (stamp) => displayTime(stamp, app.timeZone) },
    );
    return { context: withinBudget(text, budget(input.maxBytes)), project };
  },
});

export const compactionContext = operation({
  name: "memories.context.compaction",
  kind: "read",
  summary: "The memory of one session alone, for the moment an agent's context is compacted.",
  input: () => z.object({ session_id: z.string() }),
  run(app: Pick<ContextApp, "memories" | "timeZone">, { session_id }): { context: string } {
    const session = requireFound(app.memories.sessions.get(session_id), "session not found");
    const { prompts, observations } = app.memories;
    const text = renderSessionContext(
      session,
      {
        prompts: prompts.recent({ session: session_id, limit: 10 }),
        pinned: observations.recent({ session: session_id, pinned: true, limit: EVERY_PIN }),
        observations: observations.recent({ session: session_id, pinned: false, limit: 20 }),
      },
      { compact: false, time: (stamp) => displayTime(stamp, app.timeZone) },
    );
    return { context: text };
  },
});
