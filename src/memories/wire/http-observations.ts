// Observations, reviews, search, timeline and context over HTTP: the Go program's routes, word for word.
import { z } from "zod";
import { invalid } from "../../kernel/errors.ts";
import { once } from "../../kernel/once.ts";
import { type AnyHttpBinding, type HttpReply, http } from "../../registry/http.ts";
import { boolean, integer, jsonBody, pathId, rowId, text } from "../../registry/http-decode.ts";
import { compactionContext, context } from "../operations/context.ts";
import {
  deleteObservation,
  getObservation,
  listReviews,
  markReviewed,
  observationVersions,
  pinObservation,
  recentObservations,
  suggestKey,
  timeline,
  updateObservation,
} from "../operations/observations.ts";
import { capturePassive, save } from "../operations/save.ts";
import { search } from "../operations/search.ts";
import { limitQuery, projectHeader, readSelection, searchHeaders, selectionQuery } from "./http-selection.ts";
import { ObservationShape, ReviewShape, SearchHitShape, TimelineShape } from "./schemas.ts";
import { wireHit, wireObservation, wireReview, wireTimeline } from "./shapes.ts";

const LARGE_BODY = 50 * 1024 * 1024;
const INVALID_ID = "invalid observation id";

const SaveBody = once(() =>
  z.object({
    session_id: z.string().optional(),
    type: z.string().optional(),
    title: z.string().optional(),
    content: z.string().optional(),
    tool_name: z.string().optional(),
    project: z.string().optional(),
    scope: z.string().optional().describe("project (default), personal or global"),
    topic_key: z.string().optional().describe("a later save with the same key revises this row"),
  }),
);

const PassiveBody = once(() =>
  z.object({
    session_id: z.string().optional(),
    content: z.string().optional(),
    project: z.string().optional(),
    source: z.string().optional(),
  }),
);

const PatchBody = once(() =>
  z.object({
    type: z.string().optional(),
    title: z.string().optional(),
    content: z.string().optional(),
    find: z.string().optional().describe("literal text to replace everywhere in the content"),
    replace: z.string().optional(),
    project: z.string().optional(),
    scope: z.string().optional(),
    topic_key: z.string().optional().describe("an empty key removes it"),
  }),
);

const expectedProject = once(() => ({
  expected_project: z.string().optional().describe("refuse (409) when the row belongs to another project"),
}));
const Saved = once(() => z.object({ id: z.number().int(), status: z.literal("saved") }));
const Text = once(() => z.object({ context: z.string() }));

const listReply = ({
  observations,
  project,
}: {
  observations: Parameters<typeof wireObservation>[0][];
  project: string | undefined;
}): HttpReply => ({
  body: observations.map(wireObservation),
  headers: projectHeader(project),
});

const recentQuery = once(() => z.object({ ...selectionQuery(), scope: z.string().optional(), ...limitQuery(20) }));

export const observationRoutes: AnyHttpBinding[] = [
  http({
    operation: save,
    method: "POST",
    path: "/observations",
    status: 201,
    docs: () => ({ body: SaveBody(), response: Saved() }),
    decode(request) {
      const { session_id, title, content, type, ...rest } = jsonBody(request, SaveBody());
      if (!session_id || !title || !content) throw invalid("session_id, title, and content are required");
      return { ...rest, session_id, title, content, type: type ?? "" };
    },
    encode: ({ observation }) => ({ body: { id: observation.id, status: "saved" } }),
  }),
  http({
    operation: recentObservations,
    method: "GET",
    path: "/observations",
    docs: () => ({
      query: recentQuery().extend({ sort: z.string().optional().describe("only `created_at:desc`") }),
      response: z.array(ObservationShape()),
    }),
    decode(request) {
      const sort = text(request.query, "sort") ?? "";
      if (sort !== "" && sort !== "created_at:desc") throw invalid("unsupported sort: use created_at:desc");
      return { ...readSelection(request), scope: text(request.query, "scope"), limit: integer(request.query, "limit") };
    },
    encode: listReply,
  }),
  http({
    operation: recentObservations,
    method: "GET",
    path: "/observations/recent",
    docs: () => ({ query: recentQuery(), response: z.array(ObservationShape()) }),
    decode: (request) => ({
      ...readSelection(request),
      scope: text(request.query, "scope"),
      limit: integer(request.query, "limit"),
    }),
    encode: listReply,
  }),
  http({
    operation: capturePassive,
    method: "POST",
    path: "/observations/passive",
    docs: () => ({
      body: PassiveBody(),
      response: z.object({ extracted: z.number(), saved: z.number(), duplicates: z.number() }),
    }),
    decode(request) {
      const { session_id, content, ...rest } = jsonBody(request, PassiveBody());
      if (!session_id) throw invalid("session_id is required");
      return { ...rest, session_id, content: content ?? "" };
    },
    encode: (value) => ({ body: value }),
  }),
  http({
    operation: getObservation,
    method: "GET",
    path: "/observations/{id}",
    docs: () => ({ response: ObservationShape() }),
    decode: (request) => ({ id: pathId(request, INVALID_ID) }),
    encode: (observation) => ({ body: wireObservation(observation) }),
  }),
  http({
    operation: updateObservation,
    method: "PATCH",
    path: "/observations/{id}",
    docs: () => ({ query: z.object(expectedProject()), body: PatchBody(), response: ObservationShape() }),
    decode(request) {
      const id = pathId(request, INVALID_ID);
      return { ...jsonBody(request, PatchBody()), id, expected_project: text(request.query, "expected_project") };
    },
    encode: ({ observation }) => ({ body: wireObservation(observation) }),
  }),
  http({
    operation: deleteObservation,
    method: "DELETE",
    path: "/observations/{id}",
    auth: "token",
    docs: () => ({
      query: z.object({ hard: z.string().optional().describe("`true`: gone for good"), ...expectedProject() }),
      response: z.object({ id: z.number(), status: z.literal("deleted"), hard_delete: z.boolean() }),
    }),
    decode: (request) => ({
      id: pathId(request, INVALID_ID),
      hard: boolean(request.query, "hard") ?? false,
      expected_project: text(request.query, "expected_project"),
    }),
    encode: ({ id, hard }) => ({ body: { hard_delete: hard, id, status: "deleted" } }),
  }),
  http({
    operation: observationVersions,
    method: "GET",
    path: "/observations/{id}/versions",
    docs: () => ({
      response: z.object({
        id: z.number(),
        revision_count: z.number(),
        versions: z.array(
          z.object({ version: z.number(), title: z.string().nullable(), content: z.string(), created_at: z.string() }),
        ),
      }),
    }),
    decode: (request) => ({ id: pathId(request, INVALID_ID) }),
    encode: ({ observation, versions }) => ({
      body: { id: observation.id, revision_count: observation.revision_count, versions },
    }),
  }),
  ...(["PUT", "DELETE"] as const).map((method) =>
    http({
      operation: pinObservation,
      method,
      path: "/observations/{id}/pin",
      docs: () => ({
        response: z.object({ id: z.number(), pinned: z.boolean() }),
        notes: method === "PUT" ? "Pins." : "Unpins.",
      }),
      decode: (request) => ({ id: pathId(request, INVALID_ID), pinned: method === "PUT" }),
      encode: ({ id, pinned }) => ({ body: { id, pinned } }),
    }),
  ),
  http({
    operation: suggestKey,
    method: "POST",
    path: "/topic-keys/suggest",
    bodyLimit: LARGE_BODY,
    docs: () => ({
      body: z.object({ type: z.string().optional(), title: z.string().optional(), content: z.string().optional() }),
      response: z.object({ topic_key: z.string() }),
    }),
    decode: (request) => jsonBody(request, suggestKey.input()),
    encode: (value) => ({ body: value }),
  }),
  http({
    operation: search,
    method: "GET",
    path: "/search",
    docs: () => ({
      query: z.object({
        q: z.string().describe("the words sought; with a slash in it a topic key is looked up first"),
        ...selectionQuery(),
        type: z.string().optional(),
        scope: z.string().optional(),
        match_mode: z
          .enum(["all", "any"])
          .optional()
          .describe("forces one reading; without it: all words, then any word, then parts of words"),
        ...limitQuery(10),
      }),
      response: z.array(SearchHitShape()),
      notes: "The header `X-Engram-Search` says which stage answered, what was tried and which project was searched.",
    }),
    decode: (request) => ({
      ...readSelection(request),
      query: text(request.query, "q") ?? "",
      type: text(request.query, "type"),
      scope: text(request.query, "scope"),
      matchMode: text(request.query, "match_mode"),
      limit: integer(request.query, "limit"),
    }),
    encode: (answer) => ({ body: answer.hits.map(wireHit), headers: searchHeaders(answer) }),
  }),
  http({
    operation: timeline,
    method: "GET",
    path: "/timeline",
    docs: () => ({
      query: z.object({
        observation_id: z.string(),
        before: z.string().optional(),
        after: z.string().optional(),
        ...selectionQuery(),
      }),
      response: TimelineShape(),
    }),
    decode(request) {
      const id = text(request.query, "observation_id") ?? "";
      if (id === "") throw invalid("observation_id parameter is required");
      return {
        ...readSelection(request),
        id: rowId(id, "invalid observation_id"),
        before: integer(request.query, "before"),
        after: integer(request.query, "after"),
      };
    },
    encode: (value) => ({ body: wireTimeline(value) }),
  }),
  http({
    operation: listReviews,
    method: "GET",
    path: "/review",
    docs: () => ({
      query: z.object({ ...selectionQuery(), ...limitQuery(10) }),
      response: z.object({ count: z.number(), observations: z.array(ReviewShape()) }),
    }),
    decode: (request) => ({ ...readSelection(request), limit: integer(request.query, "limit") }),
    encode: ({ items, project }) => ({
      body: { count: items.length, observations: items.map(wireReview) },
      headers: projectHeader(project),
    }),
  }),
  http({
    operation: markReviewed,
    method: "POST",
    path: "/review/mark_reviewed",
    docs: () => ({
      body: z.object({ observation_id: z.number().int().optional(), id: z.number().int().optional() }),
      response: ReviewShape(),
    }),
    decode(request) {
      const body = jsonBody(request, z.object({ observation_id: z.number().int().optional(), id: z.number().int().optional() }));
      const id = body.observation_id || body.id;
      if (!id) throw invalid("observation_id is required");
      return { id };
    },
    encode: (item) => ({ body: wireReview(item) }),
  }),
  http({
    operation: context,
    method: "GET",
    path: "/context",
    docs: () => ({
      query: z.object({
        ...selectionQuery(),
        scope: z.string().optional().describe("filters observations only"),
        observations: z.string().optional().describe("rows of this section; 0 default, negative leaves the section out"),
        prompts: z.string().optional(),
        sessions: z.string().optional(),
        pinned: z.string().optional(),
        compact: z.string().optional().describe("`true`: titles only"),
        max_bytes: z.string().optional().describe("byte budget, at most 65536"),
      }),
      response: Text(),
    }),
    decode: (request) => {
      const { query } = request;
      const rows = {
        observations: integer(query, "observations"),
        prompts: integer(query, "prompts"),
        sessions: integer(query, "sessions"),
        pinned: integer(query, "pinned"),
      };
      return {
        ...readSelection(request),
        ...rows,
        scope: text(query, "scope"),
        compact: boolean(query, "compact") ?? false,
        maxBytes: integer(query, "max_bytes"),
      };
    },
    encode: (value) => ({ body: { context: value.context }, headers: projectHeader(value.project) }),
  }),
  http({
    operation: compactionContext,
    method: "GET",
    path: "/context/compaction",
    docs: () => ({ query: z.object({ session_id: z.string() }), response: Text() }),
    decode(request) {
      const session_id = text(request.query, "session_id") ?? "";
      if (session_id === "") throw invalid("session_id parameter is required");
      return { session_id };
    },
    encode: (value) => ({ body: value }),
  }),
];
