// The store as a whole over HTTP: export, import, counts, projects, doctor.
import { z } from "zod";
import { invalid } from "../../kernel/errors.ts";
import { once } from "../../kernel/once.ts";
import { type AnyHttpBinding, http, TextStream } from "../../registry/http.ts";
import { jsonBody, parseJson, text } from "../../registry/http-decode.ts";
import { doctor } from "../operations/doctor.ts";
import { listProjects, type MigrateOrRescue, migrateOrRescue, rescueOwnership, stats } from "../operations/projects.ts";
import { exportMemories, importMemories } from "../operations/transfer.ts";
import type { RescueOutcome } from "../store.ts";
import { projectHeader, readSelection, selectionQuery } from "./http-selection.ts";

const IMPORT_LIMIT = 50 * 1024 * 1024;

const RescueBody = once(() =>
  z.object({
    target_project: z.string().optional(),
    confirmed: z.boolean().optional(),
    observation_ids: z.array(z.number().int()).optional(),
    session_ids: z.array(z.string()).optional(),
    prompt_ids: z.array(z.number().int()).optional(),
  }),
);

const MigrateBody = once(() => z.object({ old_project: z.string().optional(), new_project: z.string().optional() }));

const RescueReply = once(() =>
  z.object({
    status: z.enum(["rescued", "partially_rescued"]),
    complete: z.boolean(),
    blocked: z.array(
      z.object({ kind: z.string(), id: z.union([z.number(), z.string()]), reason: z.string(), owned_by: z.string() }),
    ),
    target_project: z.string(),
    rescued_observations: z.number(),
    rescued_sessions: z.number(),
    rescued_prompts: z.number(),
    conflicting_records: z.number(),
    skipped_records: z.number(),
    journaled_local: z.number(),
    reconciliation_status: z.string(),
  }),
);

function readRescue(body: z.output<ReturnType<typeof RescueBody>>) {
  if (body.confirmed !== true) throw invalid("confirmed must be true");
  return {
    project: body.target_project ?? "",
    observations: body.observation_ids ?? [],
    sessions: body.session_ids ?? [],
    prompts: body.prompt_ids ?? [],
  };
}

const rescueReply = (outcome: RescueOutcome & { project: string }) => ({
  status: outcome.blocked.length === 0 ? "rescued" : "partially_rescued",
  complete: outcome.blocked.length === 0,
  blocked: outcome.blocked,
  target_project: outcome.project,
  rescued_observations: outcome.observations,
  rescued_sessions: outcome.sessions,
  rescued_prompts: outcome.prompts,
  conflicting_records: outcome.blocked.filter((row) => row.reason === "already_owned").length,
  skipped_records: outcome.blocked.filter((row) => row.reason === "not_found").length,
  journaled_local: outcome.journaled,
  reconciliation_status: outcome.journaled > 0 ? "pending" : "not_enrolled",
});

const RENAME_LIMIT = 1024;

/** The old route answers both generations: a rename, or a rescue when the body names a target. */
function readMigration(source: string) {
  let body: unknown;
  try {
    body = JSON.parse(source);
  } catch {
    throw invalid("invalid JSON");
  }
  const rescue = RescueBody().safeParse(body);
  if (rescue.success && rescue.data.target_project !== undefined) return { rescue: readRescue(rescue.data) };
  const rename = MigrateBody().safeParse(body ?? {});
  if (!rename.success || source.length > RENAME_LIMIT) throw invalid("invalid JSON");
  const { old_project, new_project } = rename.data;
  if (!old_project?.trim() || !new_project?.trim()) throw invalid("old_project and new_project are required");
  return { rename: { from: old_project, to: new_project } };
}

function migrationReply({ migration, rescue }: MigrateOrRescue) {
  if (rescue) return rescueReply(rescue);
  if (migration?.status !== "migrated") return { reason: migration?.reason, status: "skipped" };
  const { observations, prompts, sessions } = migration.moved;
  return { new_project: migration.to, observations, old_project: migration.from, prompts, sessions, status: "migrated" };
}

export const storeRoutes: AnyHttpBinding[] = [
  http({
    operation: exportMemories,
    method: "GET",
    path: "/export",
    auth: "token",
    docs: () => ({
      query: z.object(selectionQuery()),
      response: z.object({ version: z.literal("0.2.0"), exported_at: z.string() }),
      notes: "A streamed attachment.",
    }),
    decode(request) {
      if (request.query.has("project") && text(request.query, "project")?.trim() === "")
        throw invalid("project parameter must not be blank");
      return { ...readSelection(request), indent: false };
    },
    encode: (value) => ({
      body: new TextStream(value.pieces),
      headers: { ...projectHeader(value.project), "content-disposition": "attachment; filename=engram-export.json" },
    }),
  }),
  http({
    operation: importMemories,
    method: "POST",
    path: "/import",
    auth: "token",
    bodyLimit: IMPORT_LIMIT,
    docs: () => ({
      body: z.object({ version: z.enum(["0.1.0", "0.2.0"]) }).describe("a document made by `GET /export` or `engram export`"),
      response: z.object({
        sessions_imported: z.number(),
        observations_imported: z.number(),
        observations_updated: z.number(),
        observations_skipped_stale: z.number(),
        prompts_imported: z.number(),
        relations_imported: z.number(),
        rejected: z.array(z.object({ kind: z.string(), id: z.string(), reason: z.string() })).optional(),
      }),
    }),
    decode: (request) => ({ data: parseJson(request.body) }),
    encode: ({ rejected, ...counts }) => ({ body: { ...counts, ...(rejected.length > 0 ? { rejected } : {}) } }),
  }),
  http({
    operation: stats,
    method: "GET",
    path: "/stats",
    docs: () => ({
      response: z.object({
        total_sessions: z.number(),
        total_observations: z.number(),
        total_prompts: z.number(),
        projects: z.array(z.string()),
      }),
      notes: "Counts are of the whole store.",
    }),
    decode: () => ({}),
    encode: ({ project: _, ...value }) => ({ body: value }),
  }),
  http({
    operation: listProjects,
    method: "GET",
    path: "/projects",
    docs: () => ({
      response: z.object({
        projects: z.array(
          z.object({
            name: z.string(),
            observation_count: z.number(),
            session_count: z.number(),
            prompt_count: z.number(),
            directories: z.array(z.string()),
          }),
        ),
        count: z.number(),
      }),
    }),
    decode: () => ({}),
    encode: (projects) => ({ body: { projects, count: projects.length } }),
  }),
  http({
    operation: rescueOwnership,
    method: "POST",
    path: "/projects/rescue-ownership",
    auth: "token_required",
    bodyLimit: 8 * 1024,
    docs: () => ({ body: RescueBody(), response: RescueReply() }),
    decode: (request) => readRescue(jsonBody(request, RescueBody())),
    encode: (outcome) => ({ body: rescueReply(outcome) }),
  }),
  http({
    operation: migrateOrRescue,
    method: "POST",
    path: "/projects/migrate",
    auth: "token",
    authFor: ({ body }) => (/"target_project"\s*:/.test(body) ? "token_required" : undefined),
    bodyLimit: 8 * 1024,
    docs: () => ({
      body: z.union([MigrateBody(), RescueBody()]),
      response: z.object({
        status: z.enum(["migrated", "skipped", "rescued", "partially_rescued"]),
        reason: z.string().optional(),
      }),
      notes: "`{old_project,new_project}` renames; a rescue body is answered as by `/projects/rescue-ownership`.",
    }),
    decode: (request) => readMigration(request.body),
    encode: (value) => ({ body: migrationReply(value) }),
  }),
  http({
    operation: doctor,
    method: "GET",
    path: "/doctor",
    docs: () => ({
      query: z.object({ project: z.string().optional(), cwd: z.string().optional(), check: z.string().optional() }),
      response: z.object({ status: z.enum(["ok", "warning", "blocked", "error"]), project: z.string().optional() }),
      notes: "Without `project` the project of `cwd`, or of the server's directory.",
    }),
    decode: (request) => ({
      project: text(request.query, "project"),
      cwd: text(request.query, "cwd") ?? request.serverDirectory,
      check: text(request.query, "check"),
      mustExist: true,
    }),
    encode: (value) => ({ body: value }),
  }),
];
