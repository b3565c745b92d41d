import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { http, TextStream } from "./http.ts";
import { jsonSchema, openApiOf } from "./openapi.ts";
import { operation } from "./operation.ts";

const get = operation({
  name: "things.get",
  kind: "read",
  summary: "One thing.",
  input: () => z.object({ id: z.number() }),
  run: () => ({ ok: true }),
});
const plain = { response: z.object({ ok: z.boolean() }) };
const wire = { operation: get, decode: () => ({ id: 1 }), encode: (body: unknown) => ({ body }) };

const document = openApiOf(
  [
    http({
      ...wire,
      method: "GET",
      path: "/things/{id}",
      docs: () => ({
        ...plain,
        query: z.object({ limit: z.number().optional().describe("how many"), q: z.string() }),
        notes: "Read me.",
      }),
    }),
    http({
      ...wire,
      method: "PATCH",
      path: "/things/{id}",
      status: 201,
      auth: "token",
      docs: () => ({ ...plain, body: z.object({ title: z.string() }) }),
    }),
    http({ ...wire, method: "PUT", path: "/things/{id}/pin", docs: () => plain }),
    http({ ...wire, method: "DELETE", path: "/things/{id}/pin", docs: () => plain }),
  ],
  "1.2.3",
) as { openapi: string; info: { version: string }; paths: Record<string, Record<string, Record<string, unknown>>> };

const entries = Object.values(document.paths).flatMap((path) => Object.values(path));

describe("the API's own description", () => {
  test("holds every route under its path and method", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.info.version).toBe("1.2.3");
    expect(Object.fromEntries(Object.entries(document.paths).map(([path, methods]) => [path, Object.keys(methods)]))).toEqual({
      "/things/{id}": ["get", "patch"],
      "/things/{id}/pin": ["put", "delete"],
    });
  });

  test("names path and query parameters, what they mean and which are needed", () => {
    expect(document.paths["/things/{id}"]?.get?.parameters).toEqual([
      { name: "id", in: "path", required: true, schema: { type: "string" } },
      { name: "limit", in: "query", required: false, description: "how many", schema: { type: "number" } },
      { name: "q", in: "query", required: true, schema: { type: "string" } },
    ]);
  });

  test("tells summary, notes, body, answer and what guards it", () => {
    const { get: reading, patch } = document.paths["/things/{id}"] as Record<string, Record<string, unknown>>;
    expect(reading).toMatchObject({ summary: "One thing.", description: "Read me.", tags: ["things"] });
    expect(reading).not.toHaveProperty("security");
    expect(reading).not.toHaveProperty("requestBody");
    expect(Object.keys(reading?.responses as object)).toEqual(["200", "4XX", "5XX"]);
    expect(patch).toMatchObject({
      security: [{ token: [] }],
      requestBody: { content: { "application/json": { schema: { required: ["title"] } } } },
    });
    expect(Object.keys(patch?.responses as object)).toContain("201");
  });

  test("gives every entry an id of its own", () => {
    const ids = entries.map((entry) => entry.operationId);
    expect(new Set(ids).size).toBe(entries.length);
  });
});

test("a schema carries no address of its dialect, and what JSON cannot say is anything", () => {
  expect(jsonSchema(z.object({ when: z.date() }))).not.toHaveProperty("$schema");
});

test("a stream of text keeps its pieces in order", () => {
  expect([...new TextStream(["a", "b"]).pieces].join("")).toBe("ab");
});
