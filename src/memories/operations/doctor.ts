// The doctor: checks that only read. What they find, `repair` mends.
import { z } from "zod";
import { toStamp } from "../../kernel/clock.ts";
import { notFound } from "../../kernel/errors.ts";
import { normalizeProjectName } from "../../project/name.ts";
import { operation } from "../../registry/operation.ts";
import type { Session } from "../model.ts";
import {
  CHECK_IDS,
  type Check,
  type CheckId,
  type DoctorReport,
  failed,
  invalidIdentity,
  manualNameMismatch,
  missingFields,
  passed,
  report,
  type Trouble,
  unknownCheck,
} from "../rules/diagnosis.ts";
import { manualSessionId } from "../rules/session.ts";
import { isUnknown, type MemoriesApp, requireDetection } from "./app.ts";

export type DoctorApp = MemoriesApp & { dataDirectory: string };

export interface Mismatch {
  session: Session;
  to: string;
  source: string;
  path: string;
}

/** Only names that a repository vouches for can accuse a session. */
const TRUSTED_SOURCES = ["git_remote", "git_root"];

export async function directoryMismatches(app: DoctorApp, sessions: Session[]): Promise<Mismatch[]> {
  const found: Mismatch[] = [];
  const detections = new Map<string, Awaited<ReturnType<typeof app.locator.detect>>>();
  for (const session of sessions) {
    // A save by hand may name any project, wherever it was made.
    const byHand = session.id === manualSessionId(session.project);
    if (session.directory === "" || session.project === "" || byHand) continue;
    const detection =
      detections.get(session.directory) ?? (await app.locator.detect(session.directory, { bind: false, processProject: false }));
    detections.set(session.directory, detection);
    if (detection.problem || !TRUSTED_SOURCES.includes(detection.source)) continue;
    const to = normalizeProjectName(detection.project);
    if (to !== normalizeProjectName(session.project)) {
      found.push({ session, to, source: detection.source, path: detection.path });
    }
  }
  return found;
}

const REPAIR_HINT = (check: string, project: string) => `engram doctor repair --project ${project} --check ${check} --plan`;

function troublesOrPass(
  check: CheckId,
  why: string,
  ok: Record<string, unknown>,
  troubles: Trouble[],
  result: "warning" | "blocked" | "error" = "warning",
): Check {
  return troubles.length === 0 ? passed(check, why, ok) : failed(check, result, why, troubles);
}

const RUN: Readonly<Record<CheckId, (app: DoctorApp, project: string | undefined) => Check | Promise<Check>>> = {
  async session_project_directory_mismatch(app, project) {
    const id = "session_project_directory_mismatch";
    const sessions = app.memories.diagnosis.sessions(project);
    const troubles = (await directoryMismatches(app, sessions)).map(({ session, to, source, path }) => ({
      message: `session ${session.id} belongs to "${session.project}" but its directory is project "${to}"`,
      evidence: {
        directory: session.directory,
        directory_project: to,
        directory_project_path: path,
        directory_project_source: source,
        session_id: session.id,
        session_project: session.project,
      },
      next: REPAIR_HINT(id, session.project),
    }));
    return troublesOrPass(
      id,
      "memories saved under the wrong project are not found from their own directory",
      { sessions_evaluated: sessions.length },
      troubles,
    );
  },
  manual_session_name_project_mismatch(app, project) {
    const id = "manual_session_name_project_mismatch";
    const sessions = app.memories.diagnosis.sessions(project);
    const troubles = sessions.flatMap((session) => {
      const named = manualNameMismatch(session);
      if (named === undefined) return [];
      return {
        message: `session ${session.id} is named after "${named}" but belongs to "${session.project}"`,
        evidence: { name_project: named, session_id: session.id, session_name: session.id, session_project: session.project },
        next: REPAIR_HINT(id, session.project),
      };
    });
    return troublesOrPass(
      id,
      "a manual session named after one project should hold that project's memories",
      { sessions_evaluated: sessions.length },
      troubles,
    );
  },
  ambiguous_active_runtime_sessions(app, project) {
    const now = toStamp(app.clock.now());
    const live = app.memories.diagnosis
      .sessions(project)
      .filter((s) => s.ended_at === null && (s.runtime_lease_expires_at ?? "") > now);
    const groups = Map.groupBy(live, (s) => `${s.project}\u0000${s.directory}`);
    const troubles = [...groups.values()]
      .filter((group) => group.length > 1)
      .map((group) => ({
        message: `${group.length} live sessions of "${group[0]?.project}" in ${group[0]?.directory}`,
        evidence: { project: group[0]?.project, directory: group[0]?.directory, session_ids: group.map((s) => s.id) },
        next: "nothing is refused for this; end sessions that are over with POST /sessions/{id}/end",
      }));
    return troublesOrPass(
      "ambiguous_active_runtime_sessions",
      "a save without a session id cannot tell which of them it belongs to",
      { sessions_evaluated: live.length },
      troubles,
    );
  },
  invalid_session_identity(app, project) {
    const sessions = app.memories.diagnosis.sessions(project);
    const troubles = sessions.filter(invalidIdentity).map((session) => ({
      message: `session id ${JSON.stringify(session.id)} is blank or has characters no client can send`,
      evidence: { session_id: session.id, session_project: session.project },
      next: REPAIR_HINT("invalid_session_identity", session.project || "PROJECT"),
    }));
    return troublesOrPass(
      "invalid_session_identity",
      "sync partners refuse sessions without a usable id",
      { sessions_evaluated: sessions.length },
      troubles,
    );
  },
  orphaned_observation_session(app, project) {
    const troubles = app.memories.diagnosis.orphans(project).map((row) => ({
      message: `observation #${row.id} points to session ${JSON.stringify(row.session_id)}, which does not exist`,
      evidence: { observation_id: row.id, session_id: row.session_id, title: row.title },
      next: "register that session again with POST /sessions",
    }));
    return troublesOrPass(
      "orphaned_observation_session",
      "an observation without its session has no timeline and cannot be synced",
      { orphans: 0 },
      troubles,
    );
  },
  unowned_session_project(app) {
    // What has no project belongs to none that could be asked about.
    const sessions = app.memories.diagnosis.sessions(undefined);
    const troubles = sessions
      .filter((session) => session.project.trim() === "")
      .map((session) => ({
        message: `session ${session.id} has no project`,
        evidence: { session_id: session.id, directory: session.directory },
        next: `engram projects rescue-ownership --project PROJECT --session ${session.id}`,
      }));
    return troublesOrPass(
      "unowned_session_project",
      "rows without a project are found only when searching everything",
      { sessions_evaluated: sessions.length },
      troubles,
    );
  },
  sync_mutation_required_fields(app, project) {
    const rows = app.memories.diagnosis.pendingMutations(project);
    const troubles = rows.flatMap((row) => {
      const missing_fields = missingFields(row);
      if (!missing_fields) return [];
      const { seq, target_key, entity, entity_key, op } = row;
      return {
        message: `journal row ${seq} (${entity} ${entity_key}) lacks ${missing_fields.join(", ")}`,
        evidence: { entity, entity_key, missing_fields, op, project: row.project, seq, target_key },
        next: REPAIR_HINT("sync_mutation_required_fields", row.project),
      };
    });
    const id = "sync_mutation_required_fields";
    const why = "a server refuses rows that lack required fields";
    if (troubles.length === 0) return passed(id, why, { pending_mutations_evaluated: rows.length });
    return failed(id, "blocked", why, troubles, "sync_mutation_payload_missing_required_fields");
  },
  sync_target_closed_space(app) {
    const targets = Map.groupBy(app.memories.diagnosis.strayMutations(), (row) => row.target_key);
    const troubles = [...targets].map(([target_key, rows]) => ({
      message: `${rows.length} journal row(s) for the unknown target ${JSON.stringify(target_key)}`,
      evidence: { target_key, mutations: rows.length },
      next: REPAIR_HINT("sync_target_closed_space", rows[0]?.project || "PROJECT"),
    }));
    return troublesOrPass(
      "sync_target_closed_space",
      "rows for a target that does not exist are never sent",
      { unknown_targets: 0 },
      troubles,
      "blocked",
    );
  },
  sqlite_lock_contention(app) {
    const locks = app.memories.diagnosis.locks();
    const why = "a checkpoint that cannot finish, or a mode other than WAL, makes writers wait for readers";
    if (locks.checkpoint_busy === 0 && locks.journal_mode === "wal") return passed("sqlite_lock_contention", why, locks);
    const message =
      locks.journal_mode === "wal" ? "another program holds the database" : `journal mode is ${locks.journal_mode}, not wal`;
    return failed("sqlite_lock_contention", "warning", why, [
      { message, evidence: locks, next: "close other programs that use engram.db and run the doctor again" },
    ]);
  },
  database_integrity(app) {
    const verdict = app.memories.diagnosis.integrity();
    const why = "a damaged file loses memories without a word";
    if (verdict === "ok") return passed("database_integrity", why, { quick_check: verdict });
    return failed("database_integrity", "error", why, [
      {
        message: `engram.db is damaged: ${verdict}`,
        evidence: { quick_check: verdict },
        next: "restore a backup from the backups folder",
      },
    ]);
  },
};

const isCheck = (name: string): name is CheckId => (CHECK_IDS as readonly string[]).includes(name);

export const doctor = operation({
  name: "memories.doctor",
  kind: "read",
  summary: "Read-only checks of the store.",
  input: () =>
    z.object({
      project: z.string().optional(),
      cwd: z.string().optional(),
      check: z.string().optional(),
      mustExist: z.boolean().default(false),
    }),
  async run(app: DoctorApp, input): Promise<DoctorReport> {
    let project = input.project?.trim() || undefined;
    if (project === undefined && input.cwd !== undefined) {
      project = requireDetection(await app.locator.detect(input.cwd, { bind: false })).project;
    } else if (project !== undefined && input.mustExist && isUnknown(app, project)) {
      throw notFound(`project ${JSON.stringify(input.project)} not found`, {
        code: "unknown_project",
        available_projects: app.memories.projects.names(),
      });
    }
    const named = project === undefined ? undefined : normalizeProjectName(project);
    if (input.check === undefined || input.check === "") {
      return report(await Promise.all(CHECK_IDS.map((id) => RUN[id](app, project))), named);
    }
    return report([isCheck(input.check) ? await RUN[input.check](app, project) : unknownCheck(input.check)], named);
  },
});
