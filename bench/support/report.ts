// What a benchmark hands back, and how people and programs read it.
import { availableParallelism, cpus, platform, release } from "node:os";
import { DatabaseSync } from "node:sqlite";

export type Cell = string | number;

export interface Table {
  title: string;
  /** How it was made: counts, durations, what a column means. */
  note: string;
  columns: string[];
  rows: Cell[][];
}

export interface Report {
  machine: string;
  tables: Table[];
}

export function describeMachine(): string {
  const db = new DatabaseSync(":memory:");
  const { version } = db.prepare("SELECT sqlite_version() AS version").get() as { version: string };
  db.close();
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  return `${availableParallelism()} cores, ${model}, ${platform()} ${release().split("-")[0]}, Bun ${Bun.version}, SQLite ${version}`;
}

export const ratio = (a: number, b: number): string => `${(a / b).toFixed(2)}×`;

/** Three figures tell; more would be noise. */
function shown(cell: Cell): string {
  if (typeof cell === "string") return cell;
  if (!Number.isFinite(cell)) return "–";
  if (cell >= 100) return Math.round(cell).toLocaleString("en-US");
  return String(Number(cell.toPrecision(3)));
}

function markdownTable({ title, note, columns, rows }: Table): string {
  const line = (cells: string[]) => `| ${cells.join(" | ")} |`;
  const rule = columns.map((_, i) => (rows.every((row) => typeof row[i] === "string") ? "---" : "---:"));
  return [`### ${title}`, "", note, "", line(columns), line(rule), ...rows.map((row) => line(row.map(shown))), ""].join("\n");
}

export const markdown = ({ machine, tables }: Report): string =>
  [`Machine: ${machine}.`, "", ...tables.map(markdownTable)].join("\n");
