// The mutation journal that cloud sync reads, written in the transaction of the change it tells of.
// Only projects somebody enrolled are journaled; everybody else's store stays free of it.
import { encodeJson, withoutEmpty } from "../../kernel/json.ts";
import type { Sqlite } from "../../storage/sqlite.ts";
import type { Observation, Prompt, Relation, Session } from "../model.ts";

const IS_ENROLLED = "SELECT 1 FROM sync_enrolled_projects WHERE project = ?";
const ENSURE_TARGET = "INSERT OR IGNORE INTO sync_state (target_key, lifecycle, updated_at) VALUES (?, 'idle', ?)";
const APPEND = `INSERT INTO sync_mutations (target_key, entity, entity_key, op, payload, source, occurred_at, project)
  VALUES ('cloud', ?, ?, ?, ?, 'local', ?, ?)`;
const MARK_PENDING =
  "UPDATE sync_state SET lifecycle = 'pending', last_enqueued_seq = ?, updated_at = ? WHERE target_key IN ('cloud', ?)";

type Entity = "session" | "observation" | "prompt" | "relation";

export class Journal {
  private readonly db: Sqlite;

  constructor(db: Sqlite) {
    this.db = db;
  }

  enrolled(project: string | null): project is string {
    return project !== null && project !== "" && this.db.get(IS_ENROLLED, project) !== undefined;
  }

  /** Returns the sequence number, or 0 where the project is not enrolled. */
  private append(
    project: string | null,
    now: string,
    entity: Entity,
    key: string,
    op: "upsert" | "delete",
    payload: object,
  ): number {
    if (!this.enrolled(project)) return 0;
    this.db.run(ENSURE_TARGET, "cloud", now);
    this.db.run(ENSURE_TARGET, `cloud:${project}`, now);
    const { id: seq } = this.db.run(APPEND, entity, key, op, encodeJson(payload), now, project);
    this.db.run(MARK_PENDING, seq, now, `cloud:${project}`);
    return seq;
  }

  session(session: Session, now: string): number {
    return this.append(session.project, now, "session", session.id, "upsert", withoutEmpty({ ...session }));
  }

  sessionDeleted(session: Session, now: string): number {
    const payload = { id: session.id, project: session.project, deleted: true, deleted_at: now, hard_delete: true };
    return this.append(session.project, now, "session", session.id, "delete", payload);
  }

  /** A hidden row is told as deleted: the receiver must not show what this store hides. */
  observation(o: Observation, now: string): number {
    if (o.deleted_at !== null) return this.observationDeleted(o, false, now);
    const payload = withoutEmpty({
      sync_id: o.sync_id,
      session_id: o.session_id,
      type: o.type,
      title: o.title,
      content: o.content,
      tool_name: o.tool_name,
      project: o.project,
      scope: o.scope,
      topic_key: o.topic_key,
      revision_count: o.revision_count,
      duplicate_count: o.duplicate_count,
      last_seen_at: o.last_seen_at,
      created_at: o.created_at,
      updated_at: o.updated_at,
    });
    return this.append(o.project, now, "observation", o.sync_id, "upsert", payload);
  }

  observationDeleted(o: Observation, hard: boolean, now: string): number {
    const payload = withoutEmpty({
      sync_id: o.sync_id,
      session_id: o.session_id,
      type: "",
      title: "",
      content: "",
      project: o.project,
      scope: "",
      revision_count: 0,
      duplicate_count: 0,
      deleted: true,
      deleted_at: now,
      hard_delete: hard ? true : null,
    });
    return this.append(o.project, now, "observation", o.sync_id, "delete", payload);
  }

  prompt(p: Prompt, now: string): number {
    const { source_inbox_id, sync_id, session_id, content, project, created_at } = p;
    return this.append(
      project,
      now,
      "prompt",
      sync_id,
      "upsert",
      withoutEmpty({ source_inbox_id, sync_id, session_id, content, project, created_at }),
    );
  }

  promptDeleted(p: Prompt, now: string): number {
    const { sync_id, session_id, project } = p;
    const payload = withoutEmpty({
      sync_id,
      session_id,
      content: "",
      project,
      deleted: true,
      deleted_at: now,
      hard_delete: true,
    });
    return this.append(project, now, "prompt", sync_id, "delete", payload);
  }

  relation(r: Relation, project: string | null, now: string): number {
    return this.append(project, now, "relation", r.sync_id, "upsert", withoutEmpty({ ...r, project }));
  }
}
