// The slice of the app that this room's operations ask for, and the choice of project every read shares.
import { z } from "zod";
import type { Clock } from "../../kernel/clock.ts";
import { conflict, EngramError, invalid, notFound } from "../../kernel/errors.ts";
import type { Ids } from "../../kernel/ids.ts";
import { once } from "../../kernel/once.ts";
import type { Detection } from "../../project/detect.ts";
import { normalizeProjectName } from "../../project/name.ts";
import type { MemoryStore, ProjectFilter } from "../store.ts";

export interface ProjectLocator {
  /**
   * `bind`: may write the git binding file that freezes the name.
   * `processProject`: the project this process was started with wins (default); false asks about the directory alone.
   */
  detect(cwd: string, options: { bind: boolean; processProject?: boolean }): Promise<Detection>;
}

export interface MemoriesApp {
  memories: MemoryStore;
  locator: ProjectLocator;
  clock: Clock;
  ids: Ids;
}

/** Named project, or the project of a directory, or everything. */
export const selection = once(() => ({
  project: z.string().optional(),
  cwd: z.string().optional(),
  allProjects: z.boolean().optional(),
  lenient: z.boolean().optional(),
}));

export interface Selection {
  project?: string | undefined;
  cwd?: string | undefined;
  allProjects?: boolean | undefined;
  /** A folder of several repositories is read under its own name, as a save there is stored; otherwise it is a conflict. */
  lenient?: boolean | undefined;
}

export const isUnknown = (app: Pick<MemoriesApp, "memories">, project: string): boolean => {
  const wanted = project.trim().toLowerCase();
  return !app.memories.projects.names().some((name) => name.toLowerCase() === wanted);
};

export function requireDetection(detection: Detection): Detection {
  if (!detection.problem) return detection;
  const details = {
    code: detection.problem.code,
    available_projects: detection.available,
    project_source: detection.source,
    project_path: detection.path,
  };
  const text = `project resolution failed: ${detection.problem.hint}`;
  throw detection.problem.code === "ambiguous_project" ? conflict(text, details) : new EngramError("invalid", text, details);
}

export const folderName = (path: string): string => normalizeProjectName(path.split(/[/\\]/).filter(Boolean).at(-1) ?? "unknown");

export async function chooseProject(app: Pick<MemoriesApp, "locator">, wanted: Selection): Promise<ProjectFilter> {
  if (wanted.allProjects) return undefined;
  if (wanted.project !== undefined && wanted.project.trim() !== "") return wanted.project.trim();
  if (wanted.cwd === undefined || wanted.cwd === "") return undefined;
  const detection = await app.locator.detect(wanted.cwd, { bind: true });
  if (wanted.lenient && detection.problem?.code === "ambiguous_project") return folderName(wanted.cwd);
  return requireDetection(detection).project;
}

export const positiveOr = (value: number | undefined, fallback: number, most = Number.MAX_SAFE_INTEGER): number =>
  value === undefined || value <= 0 ? fallback : Math.min(value, most);

export const observationId = once(() => z.number().int());

export const requireFound = <T>(value: T | null, message = "observation not found"): T => {
  if (value === null) throw notFound(message);
  return value;
};

export function requireOwner(owner: string | null, expected: string | undefined): void {
  if (expected === undefined || expected.trim() === "") return;
  if (normalizeProjectName(owner ?? "") !== normalizeProjectName(expected)) {
    throw conflict("observation belongs to another project", {
      code: "project_mismatch",
      owner_project: owner ?? "",
      expected_project: expected,
    });
  }
}

export const requireText = (value: string | undefined, message: string): string => {
  if (value === undefined || value.trim() === "") throw invalid(message);
  return value;
};
