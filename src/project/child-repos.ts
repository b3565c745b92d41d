// Looks one level below a directory for git repositories, for agents started in the folder around a project. It finds
// at most two: one is a project, two are a question.

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

const MAX_DIRECTORIES = 20;
const LIMIT_MS = 200;
/** For a mount that does not answer at all; far above the limit, so that a busy machine is not taken for a dead one. */
const HUNG_MS = 2000;
const NOT_PROJECTS = new Set(["node_modules", "vendor", "__pycache__", "target", "dist", "build"]);

/** Names of the first one or two children with a `.git`, in byte order; none when the time ran out. */
export async function findChildRepositories(directory: string, now: () => number): Promise<string[]> {
  const deadline = now() + LIMIT_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hung = new Promise<string[]>((resolve) => {
    timer = setTimeout(() => resolve([]), HUNG_MS);
  });
  try {
    return await Promise.race([scan(directory, () => now() > deadline), hung]);
  } finally {
    clearTimeout(timer);
  }
}

async function scan(directory: string, isLate: () => boolean): Promise<string[]> {
  const names = await candidates(directory);
  const repositories = await Promise.all(names.map((name) => exists(join(directory, name, ".git"))));
  return isLate() ? [] : names.filter((_, index) => repositories[index]).slice(0, 2);
}

async function candidates(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && !NOT_PROJECTS.has(entry.name))
    .map((entry) => entry.name)
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .slice(0, MAX_DIRECTORIES);
}

async function exists(dotGit: string): Promise<boolean> {
  const info = await stat(dotGit).catch(() => undefined);
  return info !== undefined && (info.isDirectory() || info.isFile());
}
