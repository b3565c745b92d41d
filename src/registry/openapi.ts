// The HTTP bindings as an OpenAPI 3.1 document.
import { z } from "zod";
import type { AnyHttpBinding } from "./http.ts";

type Json = Record<string, unknown>;

export function jsonSchema(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { unrepresentable: "any", io: "input" }) as Json;
  return rest;
}

const responses = (binding: AnyHttpBinding): Json => {
  const json = (description: string, schema: Json) => ({ description, content: { "application/json": { schema } } });
  const failure = json("What went wrong", { $ref: "#/components/schemas/Error" });
  return { [String(binding.status ?? 200)]: json("Done", jsonSchema(binding.docs().response)), "4XX": failure, "5XX": failure };
};

function parameters(binding: AnyHttpBinding): Json[] {
  const path = [...binding.path.matchAll(/\{(\w+)\}/g)].map((match) => ({
    name: match[1],
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const { query: schema } = binding.docs();
  if (!schema) return path;
  const { properties = {}, required = [] } = jsonSchema(schema) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  const query = Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
  return [...path, ...query];
}

export function openApiOf(bindings: AnyHttpBinding[], version: string): Json {
  const paths: Record<string, Json> = {};
  for (const binding of bindings) {
    const { body, notes } = binding.docs();
    const entry = {
      operationId: `${binding.operation.name}${binding.method === "DELETE" && binding.path.endsWith("/pin") ? ".remove" : ""}:${binding.method} ${binding.path}`,
      summary: binding.operation.summary,
      ...(notes ? { description: notes } : {}),
      tags: [binding.operation.name.split(".")[0]],
      parameters: parameters(binding),
      ...(body ? { requestBody: { content: { "application/json": { schema: jsonSchema(body) } } } } : {}),
      ...(binding.auth ? { security: [{ token: [] }] } : {}),
      responses: responses(binding),
    };
    paths[binding.path] = { ...paths[binding.path], [binding.method.toLowerCase()]: entry };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Engram", version, description: "Memory for coding agents. Loopback only." },
    servers: [{ url: "http://127.0.0.1:7437" }],
    paths,
    components: {
      schemas: {
        Error: { type: "object", properties: { error: { type: "string" }, code: { type: "string" } }, required: ["error"] },
      },
      securitySchemes: { token: { type: "http", scheme: "bearer", description: "Only when ENGRAM_HTTP_TOKEN is set." } },
    },
  };
}
