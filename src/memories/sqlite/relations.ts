// Relations between memories: one row per pair, judged in either direction.
import type { Sqlite } from "../../storage/sqlite.ts";
import type { Relation } from "../model.ts";
import type { PairVerdict, RelationStore, Verdict } from "../store.ts";
import type { Journal } from "./journal.ts";
import { RELATION_COLUMNS, relationOf, text, textOrNull } from "./rows.ts";

const BY_SYNC = `SELECT id, ${RELATION_COLUMNS} FROM memory_relations WHERE sync_id = ?`;
const OF_PAIR = `SELECT sync_id FROM memory_relations WHERE (source_id = ?1 AND target_id = ?2) OR (source_id = ?2 AND target_id = ?1) ORDER BY id LIMIT 1`;
const JUDGE = `UPDATE memory_relations SET relation = ?, reason = ?, evidence = ?, confidence = ?, judgment_status = 'judged', marked_by_actor = ?,
  marked_by_kind = ?, marked_by_model = ?, session_id = ?, updated_at = ? WHERE sync_id = ?`;
const TURN = "UPDATE memory_relations SET source_id = ?, target_id = ? WHERE sync_id = ?";
const INSERT = "INSERT INTO memory_relations (sync_id, source_id, target_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?)";
const PROJECT = "SELECT project FROM observations WHERE sync_id = ?";

export class SqliteRelations implements RelationStore {
  private readonly db: Sqlite;
  private readonly journal: Journal;

  constructor(db: Sqlite, journal: Journal) {
    this.db = db;
    this.journal = journal;
  }

  judge(id: string, verdict: Verdict): (Relation & { id: number }) | null {
    return this.db.transaction(() => {
      const { relation, reason, evidence, confidence, actor, kind, model, session_id, now } = verdict;
      if (this.db.run(JUDGE, relation, reason, evidence, confidence, actor, kind, model, session_id, now, id).changes === 0)
        return null;
      const row = this.db.get(BY_SYNC, id);
      if (!row) return null;
      const judged = relationOf(row);
      this.journal.relation(judged, textOrNull(this.db.get(PROJECT, judged.source_id)?.project), now);
      return { id: Number(row.id), ...judged };
    });
  }

  compare(verdict: PairVerdict): string {
    return this.db.transaction(() => {
      const known = this.db.get(OF_PAIR, verdict.source, verdict.target);
      const id = known ? text(known.sync_id) : verdict.sync_id;
      // The newest verdict decides the direction too: "a supersedes b" is not "b supersedes a".
      if (known) this.db.run(TURN, verdict.source, verdict.target, id);
      else this.db.run(INSERT, id, verdict.source, verdict.target, verdict.now, verdict.now);
      this.judge(id, verdict);
      return id;
    });
  }
}
