// What a project is called: the one normalisation every room and surface uses.
import { lowerSimple } from "../kernel/text.ts";

/** Trim, lower-case, `--` to `-`, `__` to `_`. `-` and `_` stay distinct; inner spaces stay. */
export function normalizeProjectName(name: string): string {
  return foundProjectName(name).replace(/-{2,}/g, "-").replace(/_{2,}/g, "_");
}

/**
 * A name as it was found (remote, folder, config file): doubled separators are kept, so that whoever stores under it can say
 * that the name was changed, and rows of older programs under the very name stay in reach.
 */
export const foundProjectName = (name: string): string => lowerSimple(name.trim());

/** Why a name cannot be chosen explicitly or in a config file; undefined when it can. */
export function projectNameProblem(name: string): string | undefined {
  if (name.trim() === "") return "project_name is required";
  if (/[/\\]/.test(name)) return "project_name must be a name, not a path";
  if (/[\u0000-\u001f\u007f]/.test(name)) return "project_name must not contain control characters";
  return undefined;
}

/** Spellings a filter accepts: the normalised one and, for files of older programs, the name exactly as asked. */
export function projectSpellings(name: string): [normalized: string, asGiven: string] {
  return [normalizeProjectName(name), foundProjectName(name)];
}
