// Which project is this directory? Tries, in order: what the process was told, the config file, the git repository
// around, the repositories one level below, the directory's own name. It answers always and never throws for a bad tree.

import { realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { findChildRepositories } from "./child-repos.ts";
import { findProjectConfig, type ProjectConfig } from "./config-file.ts";
import { directoryName } from "./directory-name.ts";
import { findRepository, nameOfRepository, type Repository, repositoryAt } from "./git.ts";
import { createIdentity, readIdentity } from "./identity.ts";
import { normalizeProjectName } from "./name.ts";

export type ProjectSource =
  | "config"
  | "git_remote"
  | "git_root"
  | "git_child"
  | "dir_basename"
  | "ambiguous"
  | "process_override";

export interface Detection {
  /** Normalised; "" when ambiguous or when the config file is invalid. */
  project: string;
  source: ProjectSource;
  /** The directory the name comes from; "" for process_override. */
  path: string;
  cwd: string;
  /** The candidates when ambiguous, otherwise empty. */
  available: string[];
  warning?: string;
  problem?: { code: "ambiguous_project" | "invalid_project_config"; hint: string };
}

export interface DetectOptions {
  cwd: string;
  /** The default project of this process (flag or environment): beats everything. */
  override?: string | undefined;
  /** GIT_CEILING_DIRECTORIES, split. */
  ceilings?: readonly string[];
  /** Whether the binding file may be created; it is always read. */
  bind?: boolean;
  /** Project names the store has for sessions in a directory. A repository with a history of other names is not bound. */
  knownProjects?: (directory: string) => string[];
  /** Milliseconds, for the time limit of the child scan. */
  now?: () => number;
}

interface Identity {
  project: string;
  source: ProjectSource;
  warning?: string;
}

export async function detectProject(options: DetectOptions): Promise<Detection> {
  const cwd = resolve(options.cwd);
  if (options.override?.trim()) return overridden(options.override, cwd);

  const ownName: Detection = { project: directoryName(cwd), source: "dir_basename", path: cwd, cwd, available: [] };
  // Git, too, walks up from where a symbolic link leads.
  const real = await realpath(cwd).catch(() => undefined);
  if (real === undefined) return ownName;

  const repository = await findRepository(real, options.ceilings ?? []);
  const config = repository ? await findProjectConfig(real, repository.root) : await findProjectConfig(cwd, cwd);
  if (config) return configured(config, cwd);
  if (repository) {
    const identity = await identify(repository, cwd, options);
    return { ...identity, path: repository.root, cwd, available: [] };
  }

  const children = await findChildRepositories(cwd, options.now ?? performance.now.bind(performance));
  if (children.length === 1) return promoted(join(cwd, children[0]!), cwd, options);
  if (children.length > 1) return ambiguous(children, cwd);
  return ownName;
}

function overridden(override: string, cwd: string): Detection {
  const project = normalizeProjectName(override);
  const detection: Detection = { project, source: "process_override", path: "", cwd, available: [] };
  if (project !== override) detection.warning = `⚠️ Project name normalized: "${override}" → "${project}"`;
  return detection;
}

function configured(config: ProjectConfig, cwd: string): Detection {
  const locked: Detection = { project: "", source: "config", path: config.directory, cwd, available: [] };
  if ("name" in config) return { ...locked, project: config.name };
  return { ...locked, problem: { code: "invalid_project_config", hint: config.hint } };
}

/** A single repository below: the same project as if the agent had been started inside it. */
async function promoted(child: string, cwd: string, options: DetectOptions): Promise<Detection> {
  const config = await findProjectConfig(child, child);
  if (config && "hint" in config) return configured(config, cwd);
  const repository = config ? undefined : await repositoryAt(child);
  const identity = repository ? await identify(repository, cwd, options) : undefined;
  const project = config?.name ?? identity?.project ?? directoryName(child);
  const warnings = [`auto-promoted child repository: ${project}`, ...(identity?.warning ? [identity.warning] : [])];
  return { project, source: "git_child", path: child, cwd, available: [], warning: warnings.join("; ") };
}

function ambiguous(children: string[], cwd: string): Detection {
  return {
    project: "",
    source: "ambiguous",
    path: cwd,
    cwd,
    available: children.map(directoryName).sort(),
    problem: { code: "ambiguous_project", hint: "ambiguous project: multiple git repos found in cwd" },
  };
}

async function identify(repository: Repository, cwd: string, options: DetectOptions): Promise<Identity> {
  const { name, source } = await nameOfRepository(repository);
  const bound = await readIdentity(repository.commonDir);
  if (bound !== undefined) return { project: bound, source };
  if (!options.bind) return { project: name, source };

  const known = knownNames([cwd, repository.root], options);
  if (known === undefined) return { project: name, source };
  if (known.length > 0 && !known.some((other) => normalizeProjectName(other) === normalizeProjectName(name))) {
    return { project: name, source, warning: transitionWarning(name, known) };
  }
  return { project: (await createIdentity(repository.commonDir, name)) ?? name, source };
}

/** undefined: nobody can say, because the store cannot be read; a name is not frozen then. */
function knownNames(directories: string[], options: DetectOptions): string[] | undefined {
  try {
    return [...new Set(directories.flatMap((directory) => options.knownProjects?.(directory) ?? []))];
  } catch {
    return undefined;
  }
}

function transitionWarning(name: string, known: string[]): string {
  const others = known.map((other) => `"${other}"`).join(", ");
  return (
    `this directory has memories under ${others}, but its repository is called "${name}"; ` +
    "run `engram init <name>` here to choose the name to keep"
  );
}
