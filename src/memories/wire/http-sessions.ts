// Sessions and prompts over HTTP.
import { z } from "zod";
import { invalid } from "../../kernel/errors.ts";
import { once } from "../../kernel/once.ts";
import { type AnyHttpBinding, http } from "../../registry/http.ts";
import { integer, jsonBody, pathId, text } from "../../registry/http-decode.ts";
import { deletePrompt, recentPrompts, savePrompt } from "../operations/prompts.ts";
import { searchPrompts } from "../operations/search.ts";
import { deleteSession, endRuntimeSession, endSession, getSession, openSession, recentSessions } from "../operations/sessions.ts";
import { limitQuery, projectHeader, readSelection, searchHeaders, selectionQuery } from "./http-selection.ts";
import { PromptShape, SessionShape, SessionSummaryShape } from "./schemas.ts";
import { wirePrompt, wireSession, wireSessionSummary } from "./shapes.ts";

const OpenBody = once(() =>
  z.object({
    id: z.string().optional(),
    project: z.string().optional(),
    directory: z.string().optional(),
    ownership_mode: z.string().optional().describe("shared (default) or project_owned"),
    resume: z.boolean().optional().describe("continue an ended session under `<id>:resume:<n>`"),
    isolated: z.boolean().optional().describe("refuse (409) a session that ended or belongs to another project"),
  }),
);

const readOpenBody = (body: z.output<ReturnType<typeof OpenBody>>) => {
  if (!body.id || !body.project) throw invalid("id and project are required");
  const ownership_mode = body.ownership_mode === "project_owned" ? ("project_owned" as const) : ("shared" as const);
  return { id: body.id, project: body.project, directory: body.directory ?? "", ownership_mode };
};

const PromptBody = once(() =>
  z.object({
    session_id: z.string().optional(),
    content: z.string().optional(),
    project: z.string().optional(),
    source_inbox_id: z.string().optional().describe("idempotency key: a repeat answers with the first id"),
  }),
);

/** Ending must never fail for its body: what cannot be read is no summary. */
function readSummary(source: string): string | undefined {
  try {
    const value = JSON.parse(source) as { summary?: unknown } | null;
    return typeof value?.summary === "string" ? value.summary : undefined;
  } catch {
    return undefined;
  }
}

const Completed = once(() => z.object({ id: z.string(), status: z.literal("completed") }));

export const sessionRoutes: AnyHttpBinding[] = [
  http({
    operation: openSession,
    method: "POST",
    path: "/sessions",
    status: 201,
    docs: () => ({
      body: OpenBody(),
      response: z.object({ id: z.string(), status: z.literal("created"), resumed_from: z.string().optional() }),
    }),
    decode(request) {
      const body = jsonBody(request, OpenBody());
      return { ...readOpenBody(body), resume: body.resume ?? false, isolated: body.isolated ?? false };
    },
    encode: ({ id, resumed_from }) => ({ body: { id, status: "created", ...(resumed_from === null ? {} : { resumed_from }) } }),
  }),
  http({
    operation: endSession,
    method: "POST",
    path: "/sessions/{id}/end",
    docs: () => ({
      body: z.object({ summary: z.string().optional() }).optional(),
      response: Completed(),
      notes: "An unknown session is answered the same.",
    }),
    decode: (request) => ({ id: request.params.id ?? "", summary: readSummary(request.body) }),
    encode: ({ id }) => ({ body: { id, status: "completed" } }),
  }),
  http({
    operation: endRuntimeSession,
    method: "POST",
    path: "/runtime-sessions/end",
    docs: () => ({ body: OpenBody().omit({ resume: true, isolated: true }), response: Completed() }),
    decode: (request) => readOpenBody(jsonBody(request, OpenBody())),
    encode: ({ id }) => ({ body: { id, status: "completed" } }),
  }),
  http({
    operation: recentSessions,
    method: "GET",
    path: "/sessions/recent",
    docs: () => ({ query: z.object({ ...selectionQuery(), ...limitQuery(5) }), response: z.array(SessionSummaryShape()) }),
    decode: (request) => ({ ...readSelection(request), limit: integer(request.query, "limit") }),
    encode: ({ sessions, project }) => ({ body: sessions.map(wireSessionSummary), headers: projectHeader(project) }),
  }),
  http({
    operation: getSession,
    method: "GET",
    path: "/sessions/{id}",
    docs: () => ({ response: SessionShape() }),
    decode: (request) => ({ id: request.params.id ?? "" }),
    encode: (session) => ({ body: wireSession(session) }),
  }),
  http({
    operation: deleteSession,
    method: "DELETE",
    path: "/sessions/{id}",
    auth: "token",
    docs: () => ({ response: z.object({ id: z.string(), status: z.literal("deleted") }) }),
    decode: (request) => ({ id: request.params.id ?? "" }),
    encode: ({ id }) => ({ body: { id, status: "deleted" } }),
  }),
  http({
    operation: savePrompt,
    method: "POST",
    path: "/prompts",
    status: 201,
    docs: () => ({ body: PromptBody(), response: z.object({ id: z.number().int(), status: z.literal("saved") }) }),
    decode(request) {
      const { session_id, content, ...rest } = jsonBody(request, PromptBody());
      if (!session_id || !content) throw invalid("session_id and content are required");
      return { ...rest, session_id, content };
    },
    encode: ({ id }) => ({ body: { id, status: "saved" } }),
  }),
  http({
    operation: recentPrompts,
    method: "GET",
    path: "/prompts/recent",
    docs: () => ({ query: z.object({ ...selectionQuery(), ...limitQuery(20) }), response: z.array(PromptShape()) }),
    decode: (request) => ({ ...readSelection(request), limit: integer(request.query, "limit") }),
    encode: ({ prompts, project }) => ({ body: prompts.map(wirePrompt), headers: projectHeader(project) }),
  }),
  http({
    operation: searchPrompts,
    method: "GET",
    path: "/prompts/search",
    docs: () => ({
      query: z.object({ q: z.string(), ...selectionQuery(), ...limitQuery(10) }),
      response: z.array(PromptShape()),
    }),
    decode: (request) => ({
      ...readSelection(request),
      query: text(request.query, "q") ?? "",
      limit: integer(request.query, "limit"),
    }),
    encode: (answer) => ({ body: answer.prompts.map(wirePrompt), headers: searchHeaders(answer) }),
  }),
  http({
    operation: deletePrompt,
    method: "DELETE",
    path: "/prompts/{id}",
    auth: "token",
    docs: () => ({ response: z.object({ id: z.number().int(), status: z.literal("deleted") }) }),
    decode: (request) => ({ id: pathId(request, "invalid prompt id") }),
    encode: ({ id }) => ({ body: { id, status: "deleted" } }),
  }),
];
