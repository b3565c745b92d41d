// Small operations that belong to no room: health, which project a directory is, the API's own description.
import { z } from "zod";
import { EngramError } from "../kernel/errors.ts";
import type { MemoriesApp } from "../memories/operations/app.ts";
import { writeProjectConfig } from "../project/config-file.ts";
import type { Detection } from "../project/detect.ts";
import { normalizeProjectName } from "../project/name.ts";
import { type AnyHttpBinding, http } from "../registry/http.ts";
import { text } from "../registry/http-decode.ts";
import { operation } from "../registry/operation.ts";
import { VERSION } from "./version.ts";

export const health = operation({
  name: "app.health",
  kind: "read",
  summary: "Is the server up, and which store does it serve?",
  input: () => z.object({}),
  run(app: Pick<MemoriesApp, "memories"> & { instanceId: string }): { instanceId: string } {
    try {
      app.memories.sessions.get("");
      return { instanceId: app.instanceId };
    } catch (cause) {
      throw new EngramError("internal", "health check failed", {}, { cause });
    }
  },
});

export const currentProject = operation({
  name: "app.current-project",
  kind: "read",
  summary: "Which project a directory belongs to, and how that is known.",
  input: () => z.object({ cwd: z.string() }),
  run: (app: Pick<MemoriesApp, "locator">, { cwd }): Promise<Detection> => app.locator.detect(cwd, { bind: true }),
});

export const initProject = operation({
  name: "app.init-project",
  kind: "write",
  summary: "Fix the project name of a directory in .engram/config.json.",
  input: () => z.object({ directory: z.string(), name: z.string(), force: z.boolean().default(false) }),
  async run(_app: object, { directory, name, force }): Promise<{ name: string; path: string }> {
    const path = await writeProjectConfig(directory, name, { force });
    return { name: normalizeProjectName(name), path };
  },
});

const describeApi = operation({
  name: "app.describe-api",
  kind: "read",
  summary: "This API as OpenAPI 3.1.",
  input: () => z.object({}),
  run: (app: { describeApi(): unknown }): unknown => app.describeApi(),
});

export const healthRoute = http({
  operation: health,
  method: "GET",
  path: "/health",
  docs: () => ({
    response: z.object({
      status: z.literal("ok"),
      service: z.literal("engram"),
      version: z.string(),
      instance_id: z.string(),
      capabilities: z.object({ isolated_session_registration: z.boolean() }),
    }),
  }),
  decode: () => ({}),
  encode: ({ instanceId }) => ({
    body: {
      status: "ok",
      service: "engram",
      version: VERSION,
      instance_id: instanceId,
      capabilities: { isolated_session_registration: true },
    },
  }),
});

export const appRoutes: AnyHttpBinding[] = [
  healthRoute,
  http({
    operation: currentProject,
    method: "GET",
    path: "/project/current",
    docs: () => ({
      query: z.object({ cwd: z.string().optional().describe("absolute directory (default: the server's)") }),
      response: z.object({
        project: z.string(),
        project_source: z.string(),
        project_path: z.string(),
        cwd: z.string(),
        available_projects: z.array(z.string()),
        warning: z.string().optional(),
        error_hint: z.string().optional(),
      }),
      notes: "Ambiguity and a broken config file are answers too: 200 with an empty `project` and `error_hint`.",
    }),
    decode: ({ query, serverDirectory }) => ({ cwd: text(query, "cwd") || serverDirectory }),
    encode: ({ project, source, path, cwd, available, warning, problem }) => ({
      body: {
        available_projects: available,
        cwd,
        ...(problem ? { error_hint: problem.hint } : {}),
        project,
        project_path: path,
        project_source: source,
        ...(warning ? { warning } : {}),
      },
    }),
  }),
  http({
    operation: describeApi,
    method: "GET",
    path: "/openapi.json",
    docs: () => ({ response: z.object({ openapi: z.string() }) }),
    decode: () => ({}),
    encode: (body) => ({ body }),
  }),
];
