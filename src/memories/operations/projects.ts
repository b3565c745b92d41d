// Project names over rows: list, count, rename, merge, prune, delete, rescue.
import { z } from "zod";
import { toStamp } from "../../kernel/clock.ts";
import { invalid, notFound } from "../../kernel/errors.ts";
import { normalizeProjectName } from "../../project/name.ts";
import { operation } from "../../registry/operation.ts";
import type { MovedRows, ProjectSummary, Stats } from "../model.ts";
import type { RescueOutcome } from "../store.ts";
import { chooseProject, type MemoriesApp, selection } from "./app.ts";

type ProjectApp = Pick<MemoriesApp, "memories" | "clock">;

export const listProjects = operation({
  name: "memories.projects.list",
  kind: "read",
  summary: "Every project with its counts and directories.",
  input: () => z.object({}),
  run: (app: ProjectApp): ProjectSummary[] => app.memories.projects.list(),
});

export const stats = operation({
  name: "memories.stats",
  kind: "read",
  summary: "Counts, and the projects by latest activity.",
  input: () => z.object(selection()),
  async run(app: MemoriesApp, input): Promise<Stats & { project: string | undefined }> {
    const project = await chooseProject(app, input);
    return { ...app.memories.projects.stats(project), project };
  },
});

/** Every stored spelling of a name: older programs kept what they were given. */
const spellingsOf = (app: ProjectApp, name: string): string[] => {
  const wanted = normalizeProjectName(name);
  return app.memories.projects.names().filter((known) => known === name || normalizeProjectName(known) === wanted);
};

export type Migration =
  | { status: "migrated"; from: string; to: string; moved: MovedRows }
  | { status: "skipped"; reason: string };

export const migrateProject = operation({
  name: "memories.projects.migrate",
  kind: "admin",
  summary: "Rename a project: every row of the old name gets the new one.",
  input: () => z.object({ from: z.string(), to: z.string() }),
  run(app: ProjectApp, input): Migration {
    if (input.from.trim() === "" || input.to.trim() === "") throw invalid("old_project and new_project are required");
    const from = normalizeProjectName(input.from);
    const to = normalizeProjectName(input.to);
    if (from === to) return { status: "skipped", reason: "names are identical" };
    const spellings = spellingsOf(app, from);
    const moved = app.memories.projects.move(spellings, to, toStamp(app.clock.now()));
    if (moved.observations + moved.sessions + moved.prompts === 0) return { status: "skipped", reason: "no records found" };
    return { status: "migrated", from, to, moved };
  },
});

export const mergeProjects = operation({
  name: "memories.projects.merge",
  kind: "admin",
  summary: "Merge stored spellings of projects into one name.",
  input: () => z.object({ from: z.array(z.string()).min(1), to: z.string(), apply: z.boolean().default(true) }),
  run(app: ProjectApp, input): { to: string; moved: MovedRows } {
    const to = normalizeProjectName(input.to);
    if (to === "") throw invalid("the target name must not be blank");
    return { to, moved: app.memories.projects.move(input.from, to, toStamp(app.clock.now()), input.apply) };
  },
});

export const deleteProject = operation({
  name: "memories.projects.delete",
  kind: "admin",
  summary: "Delete a project: soft keeps its sessions and hides its observations, hard removes everything.",
  input: () => z.object({ name: z.string(), hard: z.boolean().default(false) }),
  run(app: ProjectApp, { name, hard }): { name: string; hard: boolean; deleted: MovedRows } {
    const deleted = app.memories.projects.delete(spellingsOf(app, name), hard, toStamp(app.clock.now()));
    if (!deleted) throw notFound(`project not found: ${JSON.stringify(name)}`);
    return { name, hard, deleted };
  },
});

export const pruneProjects = operation({
  name: "memories.projects.prune",
  kind: "admin",
  summary: "Remove the sessions and prompts of projects that hold no observation.",
  input: () => z.object({ names: z.array(z.string()).min(1) }),
  run: (app: ProjectApp, { names }): MovedRows => app.memories.projects.prune(names, toStamp(app.clock.now())),
});

const rescueInput = () =>
  z.object({
    project: z.string(),
    observations: z.array(z.number().int()).default([]),
    sessions: z.array(z.string()).default([]),
    prompts: z.array(z.number().int()).default([]),
  });

export const rescueOwnership = operation({
  name: "memories.projects.rescue",
  kind: "admin",
  summary: "Give an owner to rows that have none; rows of another project are named and left alone.",
  input: rescueInput,
  run(app: ProjectApp, input): RescueOutcome & { project: string } {
    const project = normalizeProjectName(input.project);
    if (project === "") throw invalid("target_project is required");
    if (input.observations.length + input.sessions.length + input.prompts.length === 0) {
      throw invalid("name at least one observation, session or prompt");
    }
    return { project, ...app.memories.projects.rescue({ ...input, project, now: toStamp(app.clock.now()) }) };
  },
});

export interface MigrateOrRescue {
  migration?: Migration;
  rescue?: RescueOutcome & { project: string };
}

/** One route of two generations: the older renames, the newer rescues. */
export const migrateOrRescue = operation({
  name: "memories.projects.migrate-or-rescue",
  kind: "admin",
  summary: "Rename a project, or give an owner to rows that have none.",
  input: () => z.object({ rename: z.object({ from: z.string(), to: z.string() }).optional(), rescue: rescueInput().optional() }),
  async run(app: ProjectApp, { rename, rescue }): Promise<MigrateOrRescue> {
    if (rescue) return { rescue: await rescueOwnership.run(app, rescue) };
    return { migration: await migrateProject.run(app, rename ?? { from: "", to: "" }) };
  },
});
