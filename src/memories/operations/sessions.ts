// Sessions: opened by agents, kept when known, resumed under a number after their end.
import { z } from "zod";
import { toStamp } from "../../kernel/clock.ts";
import { conflict, notFound } from "../../kernel/errors.ts";
import { redactPrivate } from "../../language/secrets/private-text.ts";
import { normalizeProjectName } from "../../project/name.ts";
import { operation } from "../../registry/operation.ts";
import type { Session, SessionSummary } from "../model.ts";
import { LEASE_MINUTES } from "../rules/session.ts";
import type { SessionDraft } from "../store.ts";
import { chooseProject, type MemoriesApp, positiveOr, requireFound, requireText, selection } from "./app.ts";

type SessionApp = Pick<MemoriesApp, "memories" | "clock">;

export function sessionDraft(
  app: Pick<MemoriesApp, "clock">,
  input: { id: string; project: string; directory: string; ownership_mode: "shared" | "project_owned" },
): SessionDraft {
  const now = app.clock.now();
  return { ...input, started_at: toStamp(now), lease_until: toStamp(new Date(now.getTime() + LEASE_MINUTES * 60_000)) };
}

const openInput = () =>
  z.object({
    id: z.string(),
    project: z.string(),
    directory: z.string().default(""),
    ownership_mode: z.enum(["shared", "project_owned"]).default("shared"),
    resume: z.boolean().default(false),
    isolated: z.boolean().default(false),
  });

/** A caller that asks for isolation gets a new session, or its own that still runs in the same directory; never somebody else's. */
function refuseShared(known: Session | null, wanted: { project: string; directory: string }): void {
  if (!known) return;
  const details = { session_id: known.id };
  if (normalizeProjectName(known.project) !== wanted.project) {
    throw conflict("session belongs to another project", {
      code: "session_project_conflict",
      ...details,
      owner_project: known.project,
      requested_project: wanted.project,
    });
  }
  if (known.ended_at) throw conflict("session already ended", { code: "session_already_ended", ...details });
  if (known.directory !== "" && wanted.directory !== "" && known.directory !== wanted.directory) {
    throw conflict("session runs in another directory", { code: "session_isolation_conflict", ...details });
  }
}

export const openSession = operation({
  name: "memories.sessions.open",
  kind: "write",
  summary: "Register a session; a known one is kept as it is.",
  input: openInput,
  run(app: SessionApp, input): { id: string; resumed_from: string | null } {
    const id = requireText(input.id, "id and project are required");
    const project = normalizeProjectName(requireText(input.project, "id and project are required"));
    const draft = sessionDraft(app, { id, project, directory: input.directory, ownership_mode: input.ownership_mode });
    if (input.resume) {
      const root = app.memories.sessions.get(id);
      if (input.isolated && root && normalizeProjectName(root.project) !== project) refuseShared(root, draft);
      const session = app.memories.sessions.resume(draft);
      return { id: session.id, resumed_from: session.id === id ? null : id };
    }
    app.memories.sessions.open(draft, input.isolated ? (known) => refuseShared(known, draft) : undefined);
    return { id, resumed_from: null };
  },
});

export const endSession = operation({
  name: "memories.sessions.end",
  kind: "write",
  summary: "End a session, with a summary or without.",
  input: () => z.object({ id: z.string(), summary: z.string().optional() }),
  run(app: SessionApp, input): { id: string } {
    app.memories.sessions.end(input.id, redactPrivate(input.summary ?? "") || null, toStamp(app.clock.now()));
    return { id: input.id };
  },
});

export const endRuntimeSession = operation({
  name: "memories.sessions.end-runtime",
  kind: "write",
  summary: "End the live continuation of a resumed session, or the session itself.",
  input: () => openInput().omit({ resume: true, isolated: true }),
  run(app: SessionApp, input): { id: string } {
    const id = requireText(input.id, "id and project are required");
    requireText(input.project, "id and project are required");
    const root = app.memories.sessions.get(id);
    const live = root?.ended_at ? app.memories.sessions.continuation(id) : root;
    if (live && normalizeProjectName(live.project) === normalizeProjectName(input.project))
      app.memories.sessions.end(live.id, null, toStamp(app.clock.now()));
    return { id: live?.id ?? id };
  },
});

export const getSession = operation({
  name: "memories.sessions.get",
  kind: "read",
  summary: "One session.",
  input: () => z.object({ id: z.string() }),
  run: (app: SessionApp, { id }): Session => requireFound(app.memories.sessions.get(id), "session not found"),
});

export const recentSessions = operation({
  name: "memories.sessions.recent",
  kind: "read",
  summary: "Sessions, latest activity first.",
  input: () => z.object({ ...selection(), limit: z.number().int().optional() }),
  async run(app: MemoriesApp, input): Promise<{ sessions: SessionSummary[]; project: string | undefined }> {
    const project = await chooseProject(app, input);
    return { sessions: app.memories.sessions.recent({ project, limit: positiveOr(input.limit, 5) }), project };
  },
});

export const deleteSession = operation({
  name: "memories.sessions.delete",
  kind: "admin",
  summary: "Delete a session that holds no observation, together with its prompts.",
  input: () => z.object({ id: z.string() }),
  run(app: SessionApp, { id }): { id: string } {
    const { found, observations } = app.memories.sessions.delete(id, toStamp(app.clock.now()));
    if (!found) throw notFound(`session not found: ${JSON.stringify(id)}`);
    if (observations > 0) {
      throw conflict(`session still has observations: session ${JSON.stringify(id)} has ${observations} observation(s)`);
    }
    return { id };
  },
});
