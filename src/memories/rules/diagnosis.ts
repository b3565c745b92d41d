// The doctor's judgements over what the store reports. Pure: every check takes evidence and returns a verdict.
import { normalizeProjectName } from "../../project/name.ts";
import type { Session } from "../model.ts";

/** A row of the journal that cloud sync reads. */
export interface MutationRow {
  seq: number;
  target_key: string;
  entity: string;
  entity_key: string;
  op: string;
  payload: string;
  project: string;
}

export type CheckResult = "ok" | "warning" | "blocked" | "error";

export interface Finding {
  check_id: string;
  severity: string;
  reason_code: string;
  message: string;
  why: string;
  evidence: Record<string, unknown>;
  safe_next_step: string;
  requires_confirmation: boolean;
}

export interface Check extends Finding {
  result: CheckResult;
  findings?: Finding[];
}

export interface DoctorReport {
  status: CheckResult;
  project?: string;
  summary: { total: number; ok: number; warnings: number; blocked: number; errors: number };
  checks: Check[];
}

export const CHECK_IDS = [
  "ambiguous_active_runtime_sessions",
  "database_integrity",
  "invalid_session_identity",
  "manual_session_name_project_mismatch",
  "orphaned_observation_session",
  "session_project_directory_mismatch",
  "sqlite_lock_contention",
  "sync_mutation_required_fields",
  "sync_target_closed_space",
  "unowned_session_project",
] as const;
export type CheckId = (typeof CHECK_IDS)[number];

const SEVERITY: Readonly<Record<CheckResult, string>> = { ok: "info", warning: "warning", blocked: "blocking", error: "error" };

export const passed = (check_id: CheckId, why: string, evidence: Record<string, unknown>): Check => ({
  check_id,
  result: "ok",
  severity: SEVERITY.ok,
  reason_code: `${check_id}_ok`,
  message: "nothing wrong found",
  why,
  evidence,
  safe_next_step: "nothing to do",
  requires_confirmation: false,
});

export interface Trouble {
  message: string;
  evidence: Record<string, unknown>;
  next: string;
}

export function failed(
  check_id: CheckId,
  result: Exclude<CheckResult, "ok">,
  why: string,
  troubles: Trouble[],
  reason_code: string = check_id,
): Check {
  const severity = SEVERITY[result];
  return {
    check_id,
    result,
    severity,
    reason_code,
    message: troubles.length === 1 ? (troubles[0]?.message as string) : `${troubles.length} findings`,
    why,
    evidence: { finding_count: troubles.length },
    safe_next_step: troubles[0]?.next ?? "",
    requires_confirmation: false,
    findings: troubles.map(({ message, evidence, next }) => ({
      check_id,
      severity,
      reason_code,
      message,
      why,
      evidence,
      safe_next_step: next,
      requires_confirmation: true,
    })),
  };
}

export const unknownCheck = (name: string): Check => ({
  check_id: "invalid_check",
  result: "error",
  severity: "error",
  reason_code: "invalid_check",
  message: `invalid diagnostic check: ${JSON.stringify(name)}`,
  why: "only known checks can be run",
  evidence: { error: `invalid diagnostic check: ${JSON.stringify(name)}` },
  safe_next_step: `choose one of: ${CHECK_IDS.join(", ")}`,
  requires_confirmation: false,
});

export function report(checks: Check[], project: string | undefined): DoctorReport {
  const count = (result: CheckResult) => checks.filter((check) => check.result === result).length;
  const summary = {
    total: checks.length,
    ok: count("ok"),
    warnings: count("warning"),
    blocked: count("blocked"),
    errors: count("error"),
  };
  const status = summary.errors > 0 ? "error" : summary.blocked > 0 ? "blocked" : summary.warnings > 0 ? "warning" : "ok";
  return { status, ...(project === undefined ? {} : { project }), summary, checks };
}

const MANUAL = "manual-save-";

/** A session named after one project that belongs to another. */
export function manualNameMismatch(session: Session): string | undefined {
  if (!session.id.startsWith(MANUAL)) return undefined;
  const named = session.id.slice(MANUAL.length);
  return named !== "" && normalizeProjectName(named) !== normalizeProjectName(session.project) ? named : undefined;
}

export const invalidIdentity = (session: Session): boolean =>
  session.id.trim() !== session.id || session.id === "" || /[\u0000-\u001f\u007f]/.test(session.id);

/** Fields a receiver insists on, by entity. */
const REQUIRED: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    session: ["id", "directory"],
    observation: ["sync_id", "session_id", "type", "title", "content", "scope"],
    prompt: ["sync_id", "session_id", "content"],
    relation: ["sync_id", "source_id", "target_id", "relation", "judgment_status", "marked_by_actor", "marked_by_kind"],
  }),
);

/** What a journal row lacks to be accepted elsewhere; undefined when it is complete. */
export function missingFields(mutation: MutationRow): string[] | undefined {
  let payload: Record<string, unknown> | null;
  try {
    payload = JSON.parse(mutation.payload) as Record<string, unknown> | null;
  } catch {
    return ["payload"];
  }
  if (typeof payload !== "object" || payload === null) return ["payload"];
  if (mutation.op !== "upsert") return undefined;
  const missing = (REQUIRED.get(mutation.entity) ?? []).filter((field) => {
    if (field === "directory" && payload.ownership_mode === "project_owned") return false;
    return typeof payload[field] !== "string" || payload[field] === "";
  });
  return missing.length > 0 ? missing : undefined;
}
