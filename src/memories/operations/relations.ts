// Verdicts between two memories.
import { z } from "zod";
import { toStamp } from "../../kernel/clock.ts";
import { invalid, notFound } from "../../kernel/errors.ts";
import { syncId } from "../../kernel/ids.ts";
import { withoutEmpty } from "../../kernel/json.ts";
import { redactPrivate } from "../../language/secrets/private-text.ts";
import { operation } from "../../registry/operation.ts";
import type { MemoriesApp } from "./app.ts";

type RelationApp = Pick<MemoriesApp, "memories" | "clock" | "ids">;

export const RELATIONS = ["related", "compatible", "scoped", "conflicts_with", "supersedes", "not_conflict"] as const;

const told = (text: string | undefined): string | null => redactPrivate(text ?? "") || null;

function checkVerdict(relation: string, confidence: number | undefined): void {
  if (!(RELATIONS as readonly string[]).includes(relation))
    throw invalid(`invalid relation verb ${JSON.stringify(relation)} — must be one of: ${RELATIONS.join(", ")}`);
  if (confidence !== undefined && !(confidence >= 0 && confidence <= 1)) throw invalid("confidence must be between 0.0 and 1.0");
}

export const judgeRelation = operation({
  name: "memories.relations.judge",
  kind: "write",
  summary: "Record the verdict on a pending pair.",
  input: () =>
    z.object({
      judgment_id: z.string(),
      relation: z.string(),
      reason: z.string().optional(),
      evidence: z.string().optional(),
      confidence: z.number().optional(),
      session_id: z.string().optional(),
    }),
  run(app: RelationApp, input): Record<string, unknown> {
    checkVerdict(input.relation, input.confidence);
    const relation = app.memories.relations.judge(input.judgment_id, {
      relation: input.relation,
      reason: told(input.reason),
      evidence: told(input.evidence),
      confidence: input.confidence ?? null,
      actor: "agent",
      kind: "agent",
      model: null,
      session_id: input.session_id ?? null,
      now: toStamp(app.clock.now()),
    });
    if (!relation) throw notFound(`relation ${JSON.stringify(input.judgment_id)} not found`);
    return withoutEmpty({ ...relation });
  },
});

export const compareMemories = operation({
  name: "memories.relations.compare",
  kind: "write",
  summary: "Record a verdict on two memories; the pair's one row is kept up to date.",
  input: () =>
    z.object({
      a: z.number().int(),
      b: z.number().int(),
      relation: z.string(),
      confidence: z.number(),
      reasoning: z.string(),
      model: z.string().optional(),
    }),
  run(app: RelationApp, input): string {
    checkVerdict(input.relation, input.confidence);
    if (input.a === input.b) throw invalid("a memory cannot be compared with itself");
    const [a, b] = [input.a, input.b].map((id) => {
      const observation = app.memories.observations.get(id);
      if (!observation) throw notFound(`observation id=${id} not found: no such memory`);
      return observation;
    });
    if (!a || !b || a.project !== b.project)
      throw invalid("relation rejected: source and target observations are in different projects");
    return app.memories.relations.compare({
      sync_id: syncId(app.ids, "rel"),
      source: a.sync_id,
      target: b.sync_id,
      relation: input.relation,
      reason: told(input.reasoning),
      evidence: null,
      confidence: input.confidence,
      actor: "engram",
      kind: "system",
      model: input.model ?? null,
      session_id: null,
      now: toStamp(app.clock.now()),
    });
  },
});
