// The export document: which versions are read, how a row looks in it, what an incoming row becomes. Pure.
import { z } from "zod";
import { parseStamp, toStamp } from "../../kernel/clock.ts";
import { type Ids, syncId } from "../../kernel/ids.ts";
import { withoutEmpty } from "../../kernel/json.ts";
import { once } from "../../kernel/once.ts";
import { redactPrivate } from "../../language/secrets/private-text.ts";
import type { Observation, Prompt, Relation, Session } from "../model.ts";
import { contentHash, normalizeScope, normalizeTopicKey, prepareText } from "./observation.ts";

export interface RejectedRow {
  kind: "session" | "observation" | "prompt" | "relation" | "tombstone";
  id: string;
  reason: string;
}

export interface ImportPlan {
  /** Rows whose shape cannot be used; the others go in without them. */
  rejected: RejectedRow[];
  sessions: (Session & { lease_until?: string })[];
  observations: (Omit<Observation, "id" | "sync_id"> & {
    sync_id: string | null;
    fresh_sync_id: string;
    hash: string;
    label: string;
  })[];
  prompts: (Omit<Prompt, "id" | "sync_id"> & { sync_id: string | null; fresh_sync_id: string; label: string })[];
  relations: Relation[];
  tombstones: { sync_id: string; session_id: string | null; project: string | null; deleted_at: string }[];
}

export type ExportRow =
  | { kind: "session"; row: Session }
  | { kind: "observation"; row: Observation }
  | { kind: "prompt"; row: Prompt }
  | { kind: "relation"; row: Relation }
  | { kind: "tombstone"; row: { sync_id: string; session_id: string | null; project: string | null; deleted_at: string } };

export const EXPORT_VERSION = "0.2.0";
const LISTS = ["sessions", "observations", "prompts", "relations", "prompt_tombstones"] as const;
const READABLE_VERSIONS = ["0.1.0", "0.2.0"];

const rowSchemas = once(() => {
  const text = z.string().nullish();
  const number = z.number().nullish();

  const SessionRow = z.looseObject({
    id: z.string().min(1),
    project: text,
    directory: text,
    started_at: text,
    ended_at: text,
    summary: text,
    ownership_mode: text,
  });
  const ObservationRow = z.looseObject({
    id: number,
    sync_id: text,
    session_id: z.string(),
    type: text,
    title: z.string(),
    content: z.string(),
    tool_name: text,
    project: text,
    scope: text,
    topic_key: text,
    revision_count: number,
    duplicate_count: number,
    last_seen_at: text,
    pinned: z.union([z.boolean(), z.number()]).nullish(),
    review_after: text,
    created_at: text,
    updated_at: text,
    deleted_at: text,
  });
  const PromptRow = z.looseObject({
    id: number,
    sync_id: text,
    session_id: z.string(),
    content: z.string(),
    project: text,
    created_at: text,
    source_inbox_id: text,
  });
  const RelationRow = z.looseObject({
    sync_id: z.string().min(1),
    source_id: text,
    target_id: text,
    relation: text,
    reason: text,
    evidence: text,
    confidence: number,
    judgment_status: text,
    marked_by_actor: text,
    marked_by_kind: text,
    marked_by_model: text,
    session_id: text,
    created_at: text,
    updated_at: text,
  });
  const TombstoneRow = z.looseObject({ sync_id: z.string().min(1), session_id: text, project: text, deleted_at: text });

  return { session: SessionRow, observation: ObservationRow, prompt: PromptRow, relation: RelationRow, tombstone: TombstoneRow };
});

const rowName = (id: unknown): string | undefined =>
  (typeof id === "string" && id !== "") || typeof id === "number" ? String(id) : undefined;

/** The usable rows of one list; the others are named in `rejected`. */
function usable<Row extends z.ZodType>(
  kind: RejectedRow["kind"],
  list: unknown[],
  schema: Row,
  rejected: RejectedRow[],
): z.output<Row>[] {
  return list.flatMap((row, index) => {
    const parsed = schema.safeParse(row);
    if (parsed.success) return [parsed.data];
    const { sync_id, id } = (row ?? {}) as { sync_id?: unknown; id?: unknown };
    const issue = parsed.error.issues[0];
    rejected.push({
      kind,
      id: rowName(sync_id) ?? rowName(id) ?? `number ${index + 1}`,
      reason: `${issue?.path.join(".") || "row"}: ${issue?.message ?? "not usable"}`,
    });
    return [];
  });
}

/** Times arrive as stored text or as RFC 3339; both become stored text. What is neither is kept as it came. */
const stamp = (value: string | null | undefined, fallback: string): string => {
  if (!value) return fallback;
  const date = parseStamp(value);
  return date ? toStamp(date) : value;
};
const orNull = (value: string | null | undefined): string | null => value || null;
/** Free text: an export of another program may still hold private parts. */
const privateOrNull = (value: string | null | undefined): string | null => (value ? redactPrivate(value) || null : null);
/** What every reader of the file can hold. */
const MOST_COUNTED = 2 ** 31 - 1;
const atLeastOne = (value: number | null | undefined): number => Math.min(MOST_COUNTED, Math.max(1, Math.trunc(value ?? 1)));

const EPOCH = "1970-01-01 00:00:00";

export function planImport(data: unknown, ids: Ids): ImportPlan | { problem: string } {
  if (typeof data !== "object" || data === null || Array.isArray(data))
    return { problem: "invalid json: an export is a JSON object" };
  const version = (data as { version?: unknown }).version;
  if (typeof version !== "string" || !READABLE_VERSIONS.includes(version)) {
    const found = typeof version === "string" ? JSON.stringify(version) : "none";
    return {
      problem: `unsupported export version ${found}: this program reads ${READABLE_VERSIONS.join(" and ")}; nothing was imported`,
    };
  }
  const lists = data as Record<string, unknown>;
  const wrong = LISTS.find((name) => !Array.isArray(lists[name] ?? []));
  if (wrong) return { problem: `invalid json: ${wrong} is not a list; nothing was imported` };
  const listed = (name: (typeof LISTS)[number]): unknown[] => (lists[name] ?? []) as unknown[];
  const rejected: RejectedRow[] = [];
  const rows = rowSchemas();
  return {
    rejected,
    sessions: usable("session", listed("sessions"), rows.session, rejected).map((s) => ({
      id: s.id,
      project: s.project ?? "",
      directory: s.directory ?? "",
      started_at: stamp(s.started_at, EPOCH),
      ended_at: s.ended_at ? stamp(s.ended_at, EPOCH) : null,
      summary: privateOrNull(s.summary),
      ownership_mode: orNull(s.ownership_mode),
    })),
    observations: usable("observation", listed("observations"), rows.observation, rejected).map((o) => {
      const content = prepareText(o.content).text;
      const created_at = stamp(o.created_at, EPOCH);
      return {
        label: o.sync_id ?? `#${o.id ?? "?"}`,
        sync_id: orNull(o.sync_id),
        fresh_sync_id: syncId(ids, "obs"),
        session_id: o.session_id,
        type: o.type ?? "",
        title: prepareText(o.title).text,
        content,
        tool_name: orNull(o.tool_name),
        project: orNull(o.project),
        scope: normalizeScope(o.scope),
        topic_key: normalizeTopicKey(o.topic_key),
        hash: contentHash(content),
        revision_count: atLeastOne(o.revision_count),
        duplicate_count: atLeastOne(o.duplicate_count),
        last_seen_at: o.last_seen_at ? stamp(o.last_seen_at, EPOCH) : null,
        pinned: Boolean(o.pinned),
        review_after: o.review_after ? stamp(o.review_after, EPOCH) : null,
        created_at,
        updated_at: stamp(o.updated_at, created_at),
        deleted_at: o.deleted_at ? stamp(o.deleted_at, EPOCH) : null,
      };
    }),
    prompts: usable("prompt", listed("prompts"), rows.prompt, rejected).map((p) => ({
      label: p.sync_id ?? `#${p.id ?? "?"}`,
      sync_id: orNull(p.sync_id),
      fresh_sync_id: syncId(ids, "prompt"),
      session_id: p.session_id,
      content: prepareText(p.content).text,
      project: orNull(p.project),
      created_at: stamp(p.created_at, EPOCH),
      source_inbox_id: orNull(p.source_inbox_id),
    })),
    relations: usable("relation", listed("relations"), rows.relation, rejected).map((r) => ({
      sync_id: r.sync_id,
      source_id: orNull(r.source_id),
      target_id: orNull(r.target_id),
      relation: r.relation || "pending",
      reason: privateOrNull(r.reason),
      evidence: privateOrNull(r.evidence),
      confidence: r.confidence ?? null,
      judgment_status: r.judgment_status || "pending",
      marked_by_actor: orNull(r.marked_by_actor),
      marked_by_kind: orNull(r.marked_by_kind),
      marked_by_model: orNull(r.marked_by_model),
      session_id: orNull(r.session_id),
      created_at: stamp(r.created_at, EPOCH),
      updated_at: stamp(r.updated_at, stamp(r.created_at, EPOCH)),
    })),
    tombstones: usable("tombstone", listed("prompt_tombstones"), rows.tombstone, rejected).map((t) => ({
      sync_id: t.sync_id,
      session_id: orNull(t.session_id),
      project: orNull(t.project),
      deleted_at: stamp(t.deleted_at, EPOCH),
    })),
  };
}

/** A row as the document holds it; absent values leave no key. */
export function exportRow(item: ExportRow): Record<string, unknown> {
  if (item.kind !== "observation") return withoutEmpty({ ...item.row });
  const { pinned, ...row } = item.row;
  return { ...withoutEmpty(row), pinned };
}
