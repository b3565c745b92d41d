// `.engram/config.json`: the file with which people lock a directory to a project name. A broken one is reported and
// never passed by, because falling through to git would put memories into another project.

import { randomBytes } from "node:crypto";
import { mkdir, rename, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { conflict, EngramError, invalid, messageOf } from "../kernel/errors.ts";
import { foundProjectName, normalizeProjectName, projectNameProblem } from "./name.ts";
import { readSmallFile } from "./read-file.ts";

const FILE = ".engram/config.json";

/** What the nearest file says: a normalised name, or why it cannot be used. */
export type ProjectConfig = { directory: string; name: string } | { directory: string; hint: string };

/** The nearest config file from a directory up to `top`, both included; undefined when there is none. */
export async function findProjectConfig(directory: string, top: string): Promise<ProjectConfig | undefined> {
  for (let at = directory; ; at = dirname(at)) {
    const found = await readProjectConfig(at);
    if (found) return found;
    if (at === top || dirname(at) === at) return undefined;
  }
}

/** Locks a directory to a project name; answers the path written. An existing file needs `force`. */
export async function writeProjectConfig(directory: string, name: string, options: { force: boolean }): Promise<string> {
  const problem = projectNameProblem(name);
  if (problem !== undefined) throw invalid(problem);
  const path = join(directory, FILE);
  const text = `${JSON.stringify({ project_name: normalizeProjectName(name) }, null, 2)}\n`;
  try {
    await mkdir(dirname(path), { recursive: true });
  } catch (error) {
    throw notWritten(path, error);
  }
  try {
    await (options.force ? replaceFile(path, text) : createFile(path, text));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw notWritten(path, error);
    throw conflict(`${path} already exists; use --force to replace it`);
  }
  return path;
}

async function readProjectConfig(directory: string): Promise<ProjectConfig | undefined> {
  const path = join(directory, FILE);
  const broken = (reason: string): ProjectConfig => ({ directory, hint: `invalid ${FILE}: ${reason}` });
  let text: string;
  try {
    text = await readSmallFile(path);
  } catch (error) {
    const isAbsent = ["ENOENT", "ENOTDIR"].includes(codeOf(error));
    return isAbsent ? undefined : broken(`read ${path}: ${messageOf(error)}`);
  }
  try {
    const name = nameIn(JSON.parse(text));
    const problem = projectNameProblem(name);
    // The doubled prefix is what clients of the Go program know.
    return problem === undefined ? { directory, name: foundProjectName(name) } : broken(`invalid ${FILE}: ${problem}`);
  } catch (error) {
    return broken(`parse ${path}: ${messageOf(error)}`);
  }
}

function nameIn(config: unknown): string {
  if (config === null) return "";
  if (typeof config !== "object" || Array.isArray(config)) throw new Error("it must hold a JSON object");
  const name = (config as { project_name?: unknown }).project_name ?? "";
  if (typeof name !== "string")
    throw new Error(`project_name must be of type string, not ${Array.isArray(name) ? "array" : typeof name}`);
  return name;
}

async function createFile(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: "wx" });
  } catch (error) {
    // A full disk must not leave an empty file behind: it would count as an invalid config.
    if (codeOf(error) !== "EEXIST") await unlink(path).catch(() => undefined);
    throw error;
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    await writeFile(temporary, text, { flag: "wx" });
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

function notWritten(path: string, cause: unknown): EngramError {
  return new EngramError("unavailable", `${path} could not be written: ${messageOf(cause)}`, {}, { cause });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
