// Brings a database file to a wanted schema by additions alone: missing tables, columns, indexes.
// Whatever else the file holds is left as it is; what only a rebuild could mend is reported, never done.
import { DatabaseSync } from "node:sqlite";
import type { Row, Sqlite } from "./sqlite.ts";

interface Column {
  name: string;
  type: string;
  notnull: boolean;
  fallback: string | null;
  primaryKey: boolean;
}

interface SchemaItem {
  kind: "table" | "index";
  name: string;
  table: string;
  sql: string;
  virtual: boolean;
  columns: Column[];
}

export interface Additions {
  statements: string[];
  /** Sentences about what additions cannot bring about. */
  obstacles: string[];
  newTables: string[];
}

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

type Query = (sql: string) => Row[];

export const columnNames = (query: Query, table: string): string[] =>
  query(`PRAGMA table_info(${quoteName(table)})`).map((row) => String(row.name));

function columnsOf(query: Query, table: string): Column[] {
  return query(`PRAGMA table_info(${quoteName(table)})`).map((row) => ({
    name: String(row.name),
    type: String(row.type ?? ""),
    notnull: Number(row.notnull) === 1,
    fallback: row.dflt_value === null ? null : String(row.dflt_value),
    primaryKey: Number(row.pk) > 0,
  }));
}

/** The wanted schema, read back from SQLite itself so that no second parser has to agree with it. */
function readSchema(sql: string): SchemaItem[] {
  const db = new DatabaseSync(":memory:");
  try {
    db.exec(sql);
    const query: Query = (text) => db.prepare(text).all() as Row[];
    const rows = query(
      "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL AND type IN ('table', 'index')",
    );
    const virtual = rows.filter((row) => /^CREATE VIRTUAL/i.test(String(row.sql))).map((row) => String(row.name));
    return rows
      .filter((row) => !virtual.some((name) => String(row.name).startsWith(`${name}_`)))
      .filter((row) => !String(row.name).startsWith("sqlite_"))
      .map((row) => ({
        kind: row.type === "index" ? "index" : "table",
        name: String(row.name),
        table: String(row.tbl_name),
        sql: String(row.sql),
        virtual: virtual.includes(String(row.name)),
        columns: row.type === "table" ? columnsOf(query, String(row.name)) : [],
      }));
  } finally {
    db.close();
  }
}

const isConstant = (fallback: string): boolean => !/[()]/.test(fallback) && !/^current_/i.test(fallback);

function addColumn(table: string, column: Column): string | undefined {
  if (column.primaryKey || (column.notnull && column.fallback === null)) return undefined;
  let rule = "";
  // SQLite cannot add a column whose default is computed; '' marks the rows that a back-fill still has to visit.
  if (column.fallback !== null) rule = isConstant(column.fallback) ? ` DEFAULT ${column.fallback}` : " DEFAULT ''";
  return `ALTER TABLE ${quoteName(table)} ADD COLUMN ${quoteName(column.name)} ${column.type}${column.notnull ? " NOT NULL" : ""}${rule}`;
}

/** `untouched`: tables that exist in an older shape and are used as they are. */
export function planAdditions(db: Sqlite, wantedSql: string, untouched: readonly string[] = []): Additions {
  const wanted = readSchema(wantedSql);
  const present = new Set(db.all("SELECT name FROM sqlite_master").map((row) => String(row.name)));
  const plan: Additions = { statements: [], obstacles: [], newTables: [] };
  for (const item of wanted) {
    if (item.kind === "index") continue;
    if (!present.has(item.name)) {
      plan.statements.push(item.sql);
      plan.newTables.push(item.name);
      continue;
    }
    if (item.virtual || untouched.includes(item.name)) continue;
    const actual = new Map(columnsOf((sql) => db.all(sql), item.name).map((column) => [column.name, column]));
    for (const column of item.columns) {
      const found = actual.get(column.name);
      if (found) {
        if (column.primaryKey && !found.primaryKey) plan.obstacles.push(`${item.name}.${column.name} is not the primary key`);
        continue;
      }
      const statement = addColumn(item.name, column);
      if (statement) plan.statements.push(statement);
      else plan.obstacles.push(`${item.name} has no column ${column.name}`);
    }
  }
  for (const item of wanted) {
    const oldShape = untouched.includes(item.table) && present.has(item.table);
    if (item.kind === "index" && !present.has(item.name) && !oldShape) plan.statements.push(item.sql);
  }
  return plan;
}
