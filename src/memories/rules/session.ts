// Which session a write belongs to, and when that is refused. Pure.
import { invalid, notFound } from "../../kernel/errors.ts";
import { normalizeProjectName } from "../../project/name.ts";
import type { Session } from "../model.ts";

export const LEASE_MINUTES = 30;

/** The session of saves that name none: one per project, whatever the case it was written in. */
export const manualSessionId = (project: string): string =>
  project === "" ? "manual-save" : `manual-save-${normalizeProjectName(project)}`;

/** Over HTTP a session must exist and, when both name a project, agree with it. */
export function requireSession(session: Session | null, requestedProject: string | null): Session {
  if (!session) throw notFound("session not found");
  if (requestedProject && session.project !== "" && normalizeProjectName(session.project) !== requestedProject) {
    throw invalid("session project does not match requested project", {
      code: "session_project_mismatch",
      project: requestedProject,
      session_project: session.project,
    });
  }
  return session;
}
