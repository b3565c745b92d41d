// Finds the git repository of a directory and what it is called by reading git's own files: detection runs on every
// call of an agent, and a child process each time would cost more than the call. The environment (GIT_DIR) is ignored.

import { execFile } from "node:child_process";
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { promisify } from "node:util";
import { directoryName } from "./directory-name.ts";
import { parseGitConfig } from "./git-config.ts";
import { foundProjectName, projectNameProblem } from "./name.ts";
import { readSmallFile } from "./read-file.ts";

const GIT_TIMEOUT_MS = 2000;
const run = promisify(execFile);

export interface Repository {
  /** Root of the worktree that was asked about. */
  root: string;
  /** What is its own of this worktree. */
  gitDir: string;
  /** What all worktrees share; equal to gitDir except in a linked worktree. */
  commonDir: string;
}

/**
 * The repository around a directory (a real path), or undefined. Ceilings are git's: a ceiling and what is above it are
 * not looked at from below, the directory itself always is. A `.git` that is no repository is passed by.
 */
export async function findRepository(directory: string, ceilings: readonly string[]): Promise<Repository | undefined> {
  const ceiling = await nearestCeiling(directory, ceilings);
  for (let at = directory; ; ) {
    const repository = await repositoryAt(at);
    if (repository) return repository;
    const parent = dirname(at);
    if (parent === at || parent === ceiling) return undefined;
    at = parent;
  }
}

/** The repository whose worktree root is exactly this directory. */
export async function repositoryAt(root: string): Promise<Repository | undefined> {
  try {
    const gitDir = await gitDirOf(join(root, ".git"));
    const shared = await readSmallFile(join(gitDir, "commondir")).catch(() => undefined);
    const commonDir = shared === undefined ? gitDir : resolve(gitDir, withoutNewline(shared));
    await Promise.all([stat(join(gitDir, "HEAD")), stat(join(commonDir, "objects")), stat(join(commonDir, "refs"))]);
    return { root, gitDir, commonDir };
  } catch {
    return undefined;
  }
}

/** The name that the repository gives by itself, and whether its origin or its root gave it. */
export async function nameOfRepository(repository: Repository): Promise<{ name: string; source: "git_remote" | "git_root" }> {
  const config = parseGitConfig(await readSmallFile(join(repository.commonDir, "config")).catch(() => ""));
  const url = await originUrl(repository, config);
  const remote = foundProjectName(repositoryNameFromUrl(url ?? ""));
  if (projectNameProblem(remote) === undefined) return { name: remote, source: "git_remote" };
  return { name: directoryName(primaryRoot(repository, config)), source: "git_root" };
}

/** Last part of a remote's address without one `.git`; "" when there is none. Never holds a slash of either kind. */
export function repositoryNameFromUrl(url: string): string {
  const address = url.trim().replace(/^(?:[\w+.-]+::)?(?:[\w+.-]+:\/\/)?/, "");
  const parts = address.split(/[\\/]/).filter((part) => part !== "" && part !== "." && part !== "..");
  // Git itself drops a trailing "/.git" when it names a clone.
  if (parts.length > 1 && parts.at(-1) === ".git") parts.pop();
  let last = parts.at(-1) ?? "";
  // A single part still carries user and host: `git@host:name.git`, `codecommit://profile@name`.
  if (parts.length === 1) last = last.slice(Math.max(last.lastIndexOf(":"), last.lastIndexOf("@")) + 1);
  return last.replace(/\.git$/, "").trim();
}

async function nearestCeiling(directory: string, ceilings: readonly string[]): Promise<string | undefined> {
  let nearest: string | undefined;
  let resolveLinks = true;
  for (const entry of ceilings) {
    // Git's convention: the entries after an empty one are taken literally.
    if (entry === "") resolveLinks = false;
    if (!isAbsolute(entry)) continue;
    const ceiling = resolveLinks ? await realpath(entry).catch(() => undefined) : resolve(entry);
    if (ceiling === undefined) continue;
    const prefix = ceiling.endsWith(sep) ? ceiling : ceiling + sep;
    const isAbove = directory.startsWith(prefix) && directory !== ceiling;
    if (isAbove && ceiling.length > (nearest?.length ?? 0)) nearest = ceiling;
  }
  return nearest;
}

async function gitDirOf(dotGit: string): Promise<string> {
  if ((await stat(dotGit)).isDirectory()) return dotGit;
  const [, target] = /^gitdir: (.+)$/s.exec(withoutNewline(await readSmallFile(dotGit))) ?? [];
  if (target === undefined) throw new Error(`${dotGit} does not name a git directory`);
  return resolve(dirname(dotGit), target);
}

async function originUrl(repository: Repository, config: Map<string, string>): Promise<string | undefined> {
  const written = config.get("remote.origin.url");
  const hasIncludes = [...config.keys()].some((key) => key === "include.path" || /^includeif\..*\.path$/s.test(key));
  if (!hasIncludes) return written;
  // The git directory is named outright: inside a hook GIT_DIR may point to another repository.
  const args = ["-C", repository.root, "--git-dir", repository.gitDir, "config", "--get-all", "remote.origin.url"];
  try {
    const { stdout } = await run("git", args, {
      // Windows looks for a program in the current directory first, and that may be the repository.
      cwd: dirname(process.execPath),
      timeout: GIT_TIMEOUT_MS,
      killSignal: "SIGKILL",
      windowsHide: true,
    });
    return stdout.split("\n")[0];
  } catch {
    return written;
  }
}

/** Linked worktrees are called like the first one; a bare repository has none and is called like its directory. */
function primaryRoot({ root, gitDir, commonDir }: Repository, config: Map<string, string>): string {
  if (gitDir === commonDir) return root;
  const configured = config.get("core.worktree");
  if (configured) return resolve(commonDir, configured);
  const isHidden = basename(commonDir).startsWith(".");
  return isHidden ? dirname(commonDir) : commonDir.replace(/\.git$/, "");
}

const withoutNewline = (text: string): string => text.replace(/[\r\n]+$/, "");
