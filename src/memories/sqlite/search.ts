// Full-text lookups over whatever index the file brings: word or trigram tokens, with or without the topic key column.

import { projectSpellings } from "../../project/name.ts";
import { isBusy, type Sqlite, type Value } from "../../storage/sqlite.ts";
import type { Prompt, SearchHit } from "../model.ts";
import type { IndexKind, Lookup } from "../rules/search-stages.ts";
import type { ProjectFilter, SearchFilter, SearchStore } from "../store.ts";
import { Conditions } from "./filters.ts";
import { OBSERVATION_COLUMNS, observationOf, PROMPT_COLUMNS, promptOf } from "./rows.ts";
import type { TextIndexShape } from "./text-index.ts";

const TOPIC_KEY_RANK = -1000;
const CANDIDATES = 200;
const WEIGHTS: Readonly<Record<string, number>> = { title: 5, content: 1, topic_key: 3 };
const SEARCHED_COLUMNS = ["title", "content", "tool_name", "type", "project", "topic_key"];

const likePattern = (term: string): string => `%${term.replace(/[\\%_]/g, "\\$&")}%`;

/** `CROSS JOIN` pins the order: the planner otherwise starts from an index on deleted_at and visits every row. */
export function matchSql(index: TextIndexShape, where: string): string {
  const weights = index.columns.map((column) => WEIGHTS[column] ?? 0).join(", ");
  return `SELECT ${OBSERVATION_COLUMNS}, bm25(observations_fts, ${weights}) AS rank
    FROM observations_fts CROSS JOIN observations o ON o.id = observations_fts.rowid
    WHERE observations_fts MATCH ? AND ${where} ORDER BY rank, o.id LIMIT ?`;
}

/** The best rowids from the index alone: rows are read only for those, not for every match. */
function candidateSql(index: TextIndexShape): string {
  const weights = index.columns.map((column) => WEIGHTS[column] ?? 0).join(", ");
  return `SELECT rowid AS id, bm25(observations_fts, ${weights}) AS rank FROM observations_fts
    WHERE observations_fts MATCH ? ORDER BY rank, rowid LIMIT ${CANDIDATES}`;
}

const pickedSql = (where: string): string =>
  `SELECT ${OBSERVATION_COLUMNS} FROM json_each(?) c CROSS JOIN observations o ON o.id = c.value WHERE ${where} ORDER BY c.key`;

/** Project is a column of the index with weight 0: naming it narrows the match and leaves the rank as it is. */
function narrowed(expression: string, project: ProjectFilter, index: TextIndexShape): string {
  if (project === undefined || !index.columns.includes("project")) return expression;
  const spellings = [...new Set(projectSpellings(project))];
  const tokens = index.kind === "trigram" ? /^.{3,}$/su : /[\p{L}\p{N}]/u;
  if (!spellings.every((name) => tokens.test(name))) return expression;
  return `(${expression}) AND project : (${spellings.map((name) => `"${name.replaceAll('"', '""')}"`).join(" OR ")})`;
}

function partCondition(columns: string[], terms: string[], mode: "all" | "any"): { sql: string; values: Value[] } {
  const one = `(${columns.map((column) => `${column} LIKE ? ESCAPE '\\'`).join(" OR ")})`;
  return {
    sql: `(${terms.map(() => one).join(mode === "all" ? " AND " : " OR ")})`,
    values: terms.flatMap((term) => columns.map(() => likePattern(term))),
  };
}

export class SqliteSearch implements SearchStore {
  readonly index: IndexKind;
  readonly promptIndex: IndexKind;
  private readonly db: Sqlite;
  private readonly shape: TextIndexShape;

  constructor(db: Sqlite, shape: TextIndexShape, promptShape: TextIndexShape) {
    this.db = db;
    this.shape = shape;
    this.index = shape.kind;
    this.promptIndex = promptShape.kind;
  }

  private conditions(filter: SearchFilter): Conditions {
    return new Conditions()
      .add("+o.deleted_at IS NULL")
      .equals("o.type", filter.type)
      .project("o.project", filter.project)
      .equals("o.scope", filter.scope);
  }

  byTopicKey(key: string, filter: SearchFilter): SearchHit[] {
    const where = this.conditions(filter);
    const sql = `SELECT ${OBSERVATION_COLUMNS} FROM observations o WHERE o.topic_key = ? AND ${where} ORDER BY o.updated_at DESC, o.id DESC LIMIT ?`;
    return this.db.all(sql, key, ...where.values, filter.limit).map((row) => ({ ...observationOf(row), rank: TOPIC_KEY_RANK }));
  }

  find(lookup: Lookup, filter: SearchFilter): SearchHit[] {
    const where = this.conditions(filter);
    if (lookup.by === "match") {
      return this.matching(() => this.best(lookup.expression, filter, where));
    }
    if (lookup.newest !== undefined) where.add("o.id > (SELECT ifnull(MAX(id), 0) - ? FROM observations)", lookup.newest);
    const part = partCondition(
      SEARCHED_COLUMNS.map((column) => `o.${column}`),
      lookup.terms,
      lookup.mode,
    );
    const sql = `SELECT ${OBSERVATION_COLUMNS} FROM observations o WHERE ${where} AND ${part.sql} ORDER BY o.updated_at DESC, o.id DESC LIMIT ?`;
    return this.db.all(sql, ...where.values, ...part.values, filter.limit).map((row) => ({ ...observationOf(row), rank: 0 }));
  }

  private best(expression: string, filter: SearchFilter, where: Conditions): SearchHit[] {
    const match = narrowed(expression, filter.project, this.shape);
    const candidates = this.db.all(candidateSql(this.shape), match);
    if (candidates.length === 0) return [];
    const ranks = new Map(candidates.map((row) => [Number(row.id), Number(row.rank)]));
    const hits = this.db
      .all(pickedSql(`${where}`), JSON.stringify([...ranks.keys()]), ...where.values)
      .slice(0, filter.limit)
      .map((row) => ({ ...observationOf(row), rank: ranks.get(Number(row.id)) as number }));
    if (hits.length === filter.limit || candidates.length < CANDIDATES) return hits;
    // Filters took too many of the best: ask again, filters inside.
    return this.db
      .all(matchSql(this.shape, `${where}`), match, ...where.values, filter.limit)
      .map((row) => ({ ...observationOf(row), rank: Number(row.rank) }));
  }

  findPrompts(lookup: Lookup, filter: { project?: ProjectFilter; limit: number }): Prompt[] {
    const where = new Conditions().project("p.project", filter.project);
    if (lookup.by === "match") {
      const sql = `SELECT ${PROMPT_COLUMNS} FROM prompts_fts CROSS JOIN user_prompts p ON p.id = prompts_fts.rowid
        WHERE prompts_fts MATCH ? AND ${where} ORDER BY prompts_fts.rank, p.id LIMIT ?`;
      return this.matching(() => this.db.all(sql, lookup.expression, ...where.values, filter.limit)).map(promptOf);
    }
    const part = partCondition(["p.content"], lookup.terms, lookup.mode);
    const sql = `SELECT ${PROMPT_COLUMNS} FROM user_prompts p WHERE ${where} AND ${part.sql} ORDER BY p.created_at DESC, p.id DESC LIMIT ?`;
    return this.db.all(sql, ...where.values, ...part.values, filter.limit).map(promptOf);
  }

  /** What the full-text engine cannot read is a query that matches nothing, never an error. */
  private matching<T>(query: () => T[]): T[] {
    try {
      return query();
    } catch (error) {
      if (isBusy(error) || !/fts5|unterminated|syntax|unknown special|no such column/i.test(String(error))) throw error;
      return [];
    }
  }
}
