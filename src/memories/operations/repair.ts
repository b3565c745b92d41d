// What the doctor found, mended: rows moved, sessions renamed, journal rows set aside. A backup comes first.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { toStamp } from "../../kernel/clock.ts";
import { invalid } from "../../kernel/errors.ts";
import { normalizeProjectName } from "../../project/name.ts";
import { operation } from "../../registry/operation.ts";
import { invalidIdentity, manualNameMismatch, missingFields } from "../rules/diagnosis.ts";
import { type DoctorApp, directoryMismatches, type Mismatch } from "./doctor.ts";

const REPAIRABLE = [
  "session_project_directory_mismatch",
  "manual_session_name_project_mismatch",
  "invalid_session_identity",
  "sync_mutation_required_fields",
  "sync_target_closed_space",
] as const;

export interface RepairAction {
  reason_code: string;
  [evidence: string]: unknown;
}

export interface RepairReport {
  project: string;
  check: string;
  mode: "plan" | "dry_run" | "apply";
  status: "planned" | "dry_run" | "applied" | "noop";
  actions: RepairAction[];
  /** Found, but not to be mended without a person. */
  skipped?: { session_id: string; reason_code: string; message: string }[];
  counts: {
    sessions_planned: number;
    observations_planned: number;
    prompts_planned: number;
    sessions_applied: number;
    observations_applied: number;
    prompts_applied: number;
  };
  backup_path?: string;
}

const sameProject = (a: string, b: string): boolean => normalizeProjectName(a) === normalizeProjectName(b);

async function sessionMoves(app: DoctorApp, check: string, project: string): Promise<(Mismatch & { reason: string })[]> {
  const sessions = app.memories.diagnosis.sessions(project);
  if (check === "session_project_directory_mismatch") {
    return (await directoryMismatches(app, sessions)).map((mismatch) => ({ ...mismatch, reason: check }));
  }
  return sessions.flatMap((session) => {
    const named = manualNameMismatch(session);
    return named === undefined
      ? []
      : { session, to: normalizeProjectName(named), source: "session_name", path: session.id, reason: check };
  });
}

export const repair = operation({
  name: "memories.doctor.repair",
  kind: "admin",
  summary: "Repair what a check found: plan, dry run, or apply after a backup.",
  input: () => z.object({ project: z.string(), check: z.string(), mode: z.enum(["plan", "dry_run", "apply"]) }),
  async run(app: DoctorApp, input): Promise<RepairReport> {
    if (!(REPAIRABLE as readonly string[]).includes(input.check)) throw invalid(`unsupported repair check ${input.check}`);
    const project = input.project.trim();
    const now = toStamp(app.clock.now());
    const store = app.memories.diagnosis;
    const result = (actions: RepairAction[], planned: number[], applied: number[], backup?: string): RepairReport => ({
      project: normalizeProjectName(project),
      check: input.check,
      mode: input.mode,
      status: actions.length === 0 ? "noop" : input.mode === "apply" ? "applied" : input.mode === "plan" ? "planned" : "dry_run",
      actions,
      counts: {
        sessions_planned: planned[0] ?? 0,
        observations_planned: planned[1] ?? 0,
        prompts_planned: planned[2] ?? 0,
        sessions_applied: applied[0] ?? 0,
        observations_applied: applied[1] ?? 0,
        prompts_applied: applied[2] ?? 0,
      },
      ...(backup === undefined ? {} : { backup_path: backup }),
    });
    const apply = (actions: RepairAction[]): string | undefined =>
      input.mode === "apply" && actions.length > 0 ? backup(app) : undefined;

    if (input.check.endsWith("_mismatch")) {
      const found = await sessionMoves(app, input.check, project);
      const known = new Set(app.memories.diagnosis.sessions().map((session) => normalizeProjectName(session.project)));
      const moves = found.filter(({ to }) => known.has(to));
      const skipped = found
        .filter(({ to }) => !known.has(to))
        .map(({ session, to }) => ({
          session_id: session.id,
          reason_code: input.check.startsWith("manual") ? "manual_name_unknown_project" : "unknown_target_project",
          message: `no session belongs to project ${JSON.stringify(to)} yet; nothing is moved into a project nobody knows`,
        }));
      const actions = moves.map(({ session, to, source, path, reason }) => ({
        session_id: session.id,
        from_project: session.project,
        to_project: to,
        reason_code: reason,
        evidence_source: source,
        evidence_path: path,
      }));
      const wanted = moves.map(({ session, to }) => ({ session: session.id, from: session.project, to }));
      const plan = store.moveSessions(wanted, false, now);
      const planned = [plan.sessions, plan.observations, plan.prompts];
      const path = apply(actions);
      if (path === undefined) return withSkipped(result(actions, planned, []), skipped);
      const done = store.moveSessions(wanted, true, now);
      return withSkipped(result(actions, planned, [done.sessions, done.observations, done.prompts], path), skipped);
    }
    if (input.check === "invalid_session_identity") {
      const renames = store
        .sessions(project)
        .filter(invalidIdentity)
        .map((session) => ({ from: session.id, to: `recovered-${app.ids.hex(8)}` }));
      const actions = renames.map(({ from, to }) => ({ session_id: from, new_session_id: to, reason_code: input.check }));
      const path = apply(actions);
      return result(actions, [renames.length], path === undefined ? [] : [store.renameSessions(renames, now)], path);
    }
    const stray = input.check === "sync_target_closed_space";
    const rows = stray
      ? store.strayMutations().filter((row) => row.project === "" || sameProject(row.project, project))
      : store.pendingMutations(project).filter((row) => missingFields(row));
    const actions = rows.map((row) => ({
      seq: row.seq,
      entity: row.entity,
      entity_key: row.entity_key,
      reason_code: "quarantine",
    }));
    const path = apply(actions);
    if (path !== undefined)
      store.quarantine(
        rows.map((row) => row.seq),
        input.check,
        now,
      );
    return result(actions, [], [], path);
  },
});

const withSkipped = (report: RepairReport, skipped: NonNullable<RepairReport["skipped"]>): RepairReport =>
  skipped.length === 0 ? report : { ...report, skipped };

function backup(app: DoctorApp): string {
  const directory = join(app.dataDirectory, "backups");
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, `engram-repair-${app.clock.now().toISOString().replace(/[-:]/g, "")}-${app.ids.hex(2)}.db`);
  app.memories.diagnosis.backup(path);
  return path;
}
