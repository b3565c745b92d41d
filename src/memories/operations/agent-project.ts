// Which project and session an agent's tool call is about. Reads want a known project; writes are never refused for bookkeeping:
// what is unclear is stored, marked, and told together with the way to put it right.
import { toStamp } from "../../kernel/clock.ts";
import { EngramError } from "../../kernel/errors.ts";
import { nearest } from "../../kernel/text.ts";
import type { Detection } from "../../project/detect.ts";
import { foundProjectName, normalizeProjectName, projectNameProblem } from "../../project/name.ts";
import type { Session } from "../model.ts";
import { manualSessionId } from "../rules/session.ts";
import { folderName, type MemoriesApp } from "./app.ts";
import type { Recoveries } from "./recovery.ts";
import { sessionDraft } from "./sessions.ts";

export interface Resolved {
  project: string;
  path: string;
  source: string;
  warning?: string | undefined;
  /** The name as it was found, where it is stored under another. */
  found?: string;
  /** Set when the directory holds several repositories and one had to be assumed. */
  candidates?: string[];
}

export interface AgentApp extends MemoriesApp {
  /** Where the agent works. */
  cwd: string;
  recoveries: Recoveries;
}

/** A failure a model can act on: a code, what is valid, what to do next. */
export const refusal = (error_code: string, message: string, extra: Record<string, unknown> = {}): EngramError =>
  new EngramError("invalid", message, { error_code, available_projects: null, ...extra });

const knownNames = (app: AgentApp): string[] => app.memories.projects.names();
const isKnown = (app: AgentApp, name: string): boolean => knownNames(app).some((known) => foundProjectName(known) === name);
/** Latest activity first: what the model most likely means. */
const offered = (app: AgentApp): string[] => app.memories.projects.stats().projects;

function resolvedFrom(detection: Detection): Resolved {
  const { path, source, warning } = detection;
  const project = normalizeProjectName(detection.project);
  return { project, path, source, warning, ...(project === detection.project ? {} : { found: detection.project }) };
}

export async function resolveForRead(
  app: AgentApp,
  wanted: { project?: string | undefined; allProjects?: boolean },
): Promise<Resolved> {
  if (wanted.allProjects) return { project: "", path: "", source: "all_projects" };
  if (wanted.project !== undefined && wanted.project.trim() !== "")
    return { project: requireKnown(app, wanted.project), path: "", source: "explicit_override" };
  const detection = await app.locator.detect(app.cwd, { bind: true });
  if (detection.problem) throw new EngramError("invalid", `Project resolution failed: ${detection.problem.hint}`);
  return resolvedFrom(detection);
}

function requireKnown(app: AgentApp, name: string): string {
  const wanted = foundProjectName(name);
  if (isKnown(app, wanted)) return wanted;
  if (isKnown(app, normalizeProjectName(name))) return normalizeProjectName(name);
  throw refusal("unknown_project", `Project ${JSON.stringify(name)} not found in store`, {
    available_projects: offered(app),
    hint: "Use one of available_projects, leave project out for the current one, or pass all_projects where the tool has it.",
  });
}

function explicitForWrite(app: AgentApp, given: string, session: Session | null, detection: Detection): Resolved {
  const problem = given.trim() === "" ? "project is required" : projectNameProblem(given)?.replace("project_name", "project");
  if (problem) {
    throw refusal("invalid_project", `Project ${JSON.stringify(given)} is invalid: ${problem}`, {
      hint: "Pass a plain project name, or leave project out.",
    });
  }
  const name = normalizeProjectName(given);
  const exact = foundProjectName(given);
  const resolved: Resolved = { project: name, path: "", source: "explicit_override" };
  if (session && normalizeProjectName(session.project) === name) return resolved;
  if (exact !== name && isKnown(app, name)) {
    throw refusal(
      "project_name_collision",
      `Project ${JSON.stringify(given)} collapses to stored bucket ${JSON.stringify(name)}, but multiple exact candidates would share that bucket: ${exact}, ${name}. Refuse write until the colliding project names are disambiguated.`,
    );
  }
  const own = detection.problem ? "" : normalizeProjectName(detection.project);
  if (isKnown(app, name) || own === name) return resolved;
  const available = [...new Set([...offered(app), ...(own === "" ? [] : [own])])];
  throw refusal(
    "unknown_project",
    `Project ${JSON.stringify(name)} is not backed by known context. Use an existing project, a matching session, repo .engram/config.json, or ambiguous-project recovery.`,
    {
      available_projects: available,
      hint: `Nearest names: ${nearest(name, available).slice(0, 3).join(", ") || "none"}. Leave project out to save into the current one.`,
    },
  );
}

export async function resolveForWrite(
  app: AgentApp,
  wanted: { project?: string | undefined; session?: string | undefined },
): Promise<Resolved> {
  const session = wanted.session ? app.memories.sessions.get(wanted.session) : null;
  const detection = await app.locator.detect(app.cwd, { bind: true });
  if (wanted.project !== undefined) {
    const resolved = explicitForWrite(app, wanted.project, session, detection);
    if (session && session.project !== "" && normalizeProjectName(session.project) !== resolved.project) {
      throw refusal(
        "session_project_mismatch",
        `Session ${JSON.stringify(session.id)} belongs to project ${JSON.stringify(session.project)}, but request targeted ${JSON.stringify(resolved.project)}`,
        {
          hint: "Leave session_id out, or leave project out to use the session's.",
        },
      );
    }
    return resolved;
  }
  if (session && session.project !== "")
    return { project: normalizeProjectName(session.project), path: session.directory, source: "session" };
  return assumed(detection, app.cwd);
}

/** The project of the directory; where several repositories lie, the folder's own name and the candidates. */
export function assumed(detection: Detection, cwd: string): Resolved {
  if (detection.problem?.code === "ambiguous_project") {
    const project = folderName(cwd);
    const warning = `several repositories here (${detection.available.join(", ")}): assumed project ${JSON.stringify(project)}`;
    return { project, path: cwd, source: "ambiguous", warning, candidates: detection.available };
  }
  if (detection.problem) {
    throw refusal(detection.problem.code, `Cannot determine project: ${detection.problem.hint}`, {
      hint: "Fix or remove .engram/config.json, or pass a known project.",
    });
  }
  return resolvedFrom(detection);
}

/** Sessions are rarely ended: of several, only those somebody was in lately can be the agent's own. */
const STALE_DAYS = 7;

export interface ChosenSession {
  id: string;
  /** Several sessions may be the agent's own: none was taken, these are they. */
  candidates: string[];
  /** A session id that nobody had registered. */
  created: boolean;
}

/** The named session, the one live session of the project, or the project's manual one; made when it does not exist. */
export function chooseSession(app: AgentApp, resolved: Resolved, given: string | undefined): ChosenSession {
  const directory = resolved.path || app.cwd;
  const open = (id: string, ownership_mode: "shared" | "project_owned") =>
    app.memories.sessions.open(sessionDraft(app, { id, project: resolved.project, directory, ownership_mode }));
  if (given) {
    const created = app.memories.sessions.get(given) === null;
    if (created) open(given, "shared");
    return { id: given, candidates: [], created };
  }
  const all = app.memories.sessions.live(resolved.project, "");
  const fresh = app.memories.sessions.live(
    resolved.project,
    toStamp(new Date(app.clock.now().getTime() - STALE_DAYS * 86_400_000)),
  );
  const here = fresh.filter((session) => session.directory === directory);
  const only = [all, fresh, here].find((sessions) => sessions.length === 1)?.[0];
  if (only) return { id: only.id, candidates: [], created: false };
  const id = manualSessionId(resolved.project);
  open(id, "project_owned");
  return { id, candidates: (fresh.length > 0 ? fresh : all).map((session) => session.id), created: false };
}
