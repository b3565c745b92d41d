// The binding of a repository to a project name: a small file in the common git directory, so that all worktrees agree
// and a renamed remote keeps its memories. The file is shared with the Go program and never rewritten.

import { randomBytes } from "node:crypto";
import { link, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { foundProjectName, projectNameProblem } from "./name.ts";
import { readSmallFile } from "./read-file.ts";

const FILE_NAME = "engram-project-identity.json";

/** The name a repository is bound to; undefined without a valid binding. */
export async function readIdentity(commonDir: string): Promise<string | undefined> {
  try {
    const binding: unknown = JSON.parse(await readSmallFile(join(commonDir, FILE_NAME)));
    return isBinding(binding) ? foundProjectName(binding.project) : undefined;
  } catch {
    return undefined;
  }
}

/** Binds the repository unless somebody was first; answers the name that holds, undefined when none could be bound. */
export async function createIdentity(commonDir: string, project: string): Promise<string | undefined> {
  const path = join(commonDir, FILE_NAME);
  const id = randomBytes(16).toString("hex");
  const temporary = `${path}.${id}.tmp`;
  try {
    await writeFile(temporary, JSON.stringify({ version: 1, id, project }), { flag: "wx", mode: 0o600, flush: true });
    // A link, unlike a rename, fails when the name is taken: whoever reads sees a whole file and only ever one.
    await link(temporary, path);
  } catch {
    // Taken, or a file system that is read-only or has no links: whatever is there now holds.
  }
  await unlink(temporary).catch(() => undefined);
  return readIdentity(commonDir);
}

function isBinding(value: unknown): value is { project: string } {
  if (typeof value !== "object" || value === null) return false;
  const { version, id, project } = value as Record<string, unknown>;
  if (version !== 1 || typeof id !== "string" || !/^[0-9a-f]{32}$/i.test(id)) return false;
  return typeof project === "string" && projectNameProblem(project) === undefined;
}
