// Prompts: what the user asked. Deleting one leaves a tombstone, so that no sync or import brings it back.
import type { Sqlite } from "../../storage/sqlite.ts";
import type { Prompt, Session } from "../model.ts";
import type { ProjectFilter, PromptDraft, PromptStore } from "../store.ts";
import { Conditions } from "./filters.ts";
import type { Journal } from "./journal.ts";
import { PROMPT_COLUMNS, promptOf } from "./rows.ts";

const BY_ID = `SELECT ${PROMPT_COLUMNS} FROM user_prompts p WHERE p.id = ?`;
const BY_INBOX = "SELECT id FROM user_prompts WHERE session_id = ? AND source_inbox_id = ?";
const INBOX_TOMBSTONE = "SELECT 1 FROM prompt_tombstones WHERE session_id = ? AND source_inbox_id = ?";
const INSERT =
  "INSERT INTO user_prompts (sync_id, session_id, content, project, created_at, source_inbox_id) VALUES (?, ?, ?, ?, ?, ?)";
const OF_SESSION = `SELECT ${PROMPT_COLUMNS} FROM user_prompts p WHERE p.session_id = ?`;
const DELETE = "DELETE FROM user_prompts WHERE id = ?";
const TOMBSTONE =
  "INSERT OR REPLACE INTO prompt_tombstones (sync_id, session_id, project, deleted_at, source_inbox_id) VALUES (?, ?, ?, ?, ?)";

export class SqlitePrompts implements PromptStore {
  private readonly db: Sqlite;
  private readonly journal: Journal;
  private readonly findSession: (id: string) => Session | null;

  constructor(db: Sqlite, journal: Journal, findSession: (id: string) => Session | null) {
    this.db = db;
    this.journal = journal;
    this.findSession = findSession;
  }

  save(draft: PromptDraft, check: (session: Session | null) => void): ReturnType<PromptStore["save"]> {
    return this.db.transaction(() => {
      const session = this.findSession(draft.session_id);
      check(session);
      if (draft.source_inbox_id !== null) {
        const known = this.db.get(BY_INBOX, draft.session_id, draft.source_inbox_id);
        if (known) return { kind: "replayed", id: Number(known.id) };
        if (this.db.get(INBOX_TOMBSTONE, draft.session_id, draft.source_inbox_id)) return { kind: "deleted" };
      }
      const project = draft.project ?? session?.project ?? "";
      const { id } = this.db.run(
        INSERT,
        draft.sync_id,
        draft.session_id,
        draft.content,
        project,
        draft.now,
        draft.source_inbox_id,
      );
      this.journal.prompt({ ...draft, id, project, created_at: draft.now }, draft.now);
      return { kind: "saved", id };
    });
  }

  recent(filter: { project?: ProjectFilter; session?: string | undefined; limit: number }): Prompt[] {
    const where = new Conditions().project("p.project", filter.project).equals("p.session_id", filter.session);
    // The newest are chosen; those of one second are shown in the order they came, as the Go program does.
    const newest = `SELECT ${PROMPT_COLUMNS} FROM user_prompts p WHERE ${where} ORDER BY p.created_at DESC, p.id DESC LIMIT ?`;
    const sql = `SELECT * FROM (${newest}) ORDER BY created_at DESC, id`;
    return this.db.all(sql, ...where.values, filter.limit).map(promptOf);
  }

  delete(id: number, now: string): boolean {
    return this.db.transaction(() => {
      const row = this.db.get(BY_ID, id);
      if (row) this.remove(promptOf(row), now);
      return row !== undefined;
    });
  }

  /** Part of a surrounding transaction. */
  remove(prompt: Prompt, now: string): void {
    this.journal.promptDeleted(prompt, now);
    if (prompt.sync_id !== "")
      this.db.run(TOMBSTONE, prompt.sync_id, prompt.session_id, prompt.project, now, prompt.source_inbox_id);
    this.db.run(DELETE, prompt.id);
  }

  removeOfSession(session: string, now: string): number {
    const rows = this.db.all(OF_SESSION, session).map(promptOf);
    for (const prompt of rows) this.remove(prompt, now);
    return rows.length;
  }
}
