import { describe, expect, test } from "bun:test";
import { openMemories } from "../../../test/support/memories.ts";
import {
  makeFile,
  SECOND_GENERATION_ROWS,
  SECOND_GENERATION_TABLES,
  TRIGRAM_OBSERVATIONS,
  TRIGRAM_PROMPTS,
} from "../../../test/support/older-files.ts";
import { openSqlite } from "../../storage/sqlite.ts";
import { matchSql } from "./search.ts";
import { textIndexShape } from "./text-index.ts";

const FILTERS: [where: string, values: string[]][] = [
  ["o.deleted_at IS NULL", []],
  ["o.deleted_at IS NULL AND LOWER(o.project) IN (?, ?)", ["alpha", "alpha"]],
  ["o.deleted_at IS NULL AND o.type = ? AND LOWER(o.project) IN (?, ?) AND o.scope = ?", ["manual", "alpha", "alpha", "project"]],
];

/** What SQLite would do, line by line. */
function plans(file: string): string[][] {
  const db = openSqlite(file);
  try {
    const shape = textIndexShape(db, "observations_fts");
    return FILTERS.map(([where, values]) =>
      db.all(`EXPLAIN QUERY PLAN ${matchSql(shape, where)}`, '"some" "words"', ...values, 10).map((row) => String(row.detail)),
    );
  } finally {
    db.close();
  }
}

function expectIndexFirst(lines: string[]): void {
  expect(lines[0]).toMatch(/^SCAN observations_fts VIRTUAL TABLE INDEX \d+:.*M/);
  expect(lines[1]).toBe("SEARCH o USING INTEGER PRIMARY KEY (rowid=?)");
  expect(lines.filter((line) => /^SCAN o\b|^SCAN observations$/.test(line))).toEqual([]);
}

describe("the search statement", () => {
  test("starts from the full-text index and visits only the rows it names", async () => {
    using room = openMemories();
    await room.saved();
    for (const lines of plans(room.file)) expectIndexFirst(lines);
  });

  test("does so whatever the statistics of the file say", async () => {
    using room = openMemories();
    for (let i = 0; i < 100; i++) await room.saved({ title: `T${i}`, content: "same words", type: i === 0 ? "manual" : "rare" });
    room.change("ANALYZE");
    for (const lines of plans(room.file)) expectIndexFirst(lines);
    // Every deletion has a time of its own: the index on deleted_at looks like the quickest way in.
    room.change("UPDATE observations SET deleted_at = '2026-01-01 00:00:' || id WHERE id > 1; ANALYZE");
    for (const lines of plans(room.file)) expectIndexFirst(lines);
  });

  test("does so over trigrams", () => {
    using room = openMemories({
      before: (file) => makeFile(file, SECOND_GENERATION_TABLES, TRIGRAM_OBSERVATIONS, TRIGRAM_PROMPTS, SECOND_GENERATION_ROWS),
    });
    void room.app.memories;
    for (const lines of plans(room.file)) expectIndexFirst(lines);
  });

  test("weighs the columns that an index has", () => {
    expect(
      matchSql({ kind: "words", columns: ["title", "content", "tool_name", "type", "project", "topic_key"] }, "1"),
    ).toContain("bm25(observations_fts, 5, 1, 0, 0, 0, 3)");
    expect(matchSql({ kind: "words", columns: ["title", "content", "tool_name", "type", "project"] }, "1")).toContain(
      "bm25(observations_fts, 5, 1, 0, 0, 0)",
    );
  });
});
