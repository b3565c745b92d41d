// Stores to measure on: a new one, and one filled with many memories of several projects and sessions.
import { readConfig } from "../../src/app/config.ts";
import { type App, openApp } from "../../src/app/open.ts";
import { toStamp } from "../../src/kernel/clock.ts";
import { importMemories } from "../../src/memories/operations/transfer.ts";
import { invoke } from "../../src/registry/operation.ts";
import { corpus } from "./corpus.ts";
import type { Random } from "./random.ts";

const SEED = 20_261;
const ROWS_PER_SESSION = 40;
const ROWS_PER_PROMPT = 5;
const ROWS_PER_IMPORT = 10_000;
const FIRST = Date.UTC(2025, 10, 1);
const YEAR_MS = 365 * 24 * 3600 * 1000;

export const open = (directory: string): App => openApp(readConfig({ ENGRAM_DATA_DIR: directory }));

/** What the queries are drawn from. */
export interface FilledStore {
  rows: number;
  projects: string[];
  ids: number[];
  /** Words that few rows hold. */
  rare: string[];
  /** Two words of one row, each in one row of a hundred or less often. */
  pairs: string[];
  questions: string[];
  absent: string[];
  /** Beginnings of words that are no words themselves. */
  beginnings: string[];
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Goes in by the export format, as people bring their memories along. */
export async function fillStore(directory: string, rows: number): Promise<FilledStore> {
  const app = open(directory);
  const texts = corpus(SEED);
  const { random } = texts;
  const frequency = new Map<string, number>();
  const live: string[][] = [];
  const projects = new Set<string>();
  let session = { id: "", project: "" };
  try {
    for (let done = 0; done < rows; ) {
      const data = { version: "0.2.0", sessions: [] as object[], observations: [] as object[], prompts: [] as object[] };
      for (const end = Math.min(rows, done + ROWS_PER_IMPORT); done < end; done++) {
        const at = toStamp(new Date(FIRST + (YEAR_MS * done) / rows));
        if (done % ROWS_PER_SESSION === 0) {
          session = { id: `session-${done / ROWS_PER_SESSION}`, project: texts.project() };
          projects.add(session.project);
          data.sessions.push(sessionRow(session, at, random));
        }
        const memory = texts.memory();
        const deleted = random.chance(0.03);
        const said = [...new Set(wordsOf(`${memory.title} ${memory.content}`))];
        for (const word of said) frequency.set(word, (frequency.get(word) ?? 0) + 1);
        if (!deleted && random.chance(2000 / rows)) live.push(said);
        const place = { session_id: session.id, project: session.project, created_at: at };
        data.observations.push({
          ...memory,
          ...place,
          sync_id: `obs-${random.hex(16)}`,
          pinned: random.chance(20 / rows),
          last_seen_at: at,
          updated_at: at,
          deleted_at: deleted ? at : null,
        });
        if (done % ROWS_PER_PROMPT === 0)
          data.prompts.push({ ...place, sync_id: `prompt-${random.hex(16)}`, content: texts.prompt() });
      }
      await invoke(importMemories, app, { data });
    }
    const { total_observations } = app.memories.projects.stats();
    if (total_observations < rows * 0.9) throw new Error(`only ${total_observations} of ${rows} memories went in`);
  } finally {
    app.close();
  }
  return {
    rows,
    projects: [...projects],
    ids: random100(random, rows),
    ...queries(frequency, live, rows, random, texts.question),
  };
}

const sessionRow = (session: { id: string; project: string }, at: string, random: Random): object => ({
  ...session,
  ownership_mode: "shared",
  directory: `/srv/${session.project}`,
  started_at: at,
  ended_at: random.chance(0.9) ? at : null,
  summary: random.chance(0.5) ? `Worked on ${session.project}: ${random.below(9) + 1} changes, tests pass.` : null,
});

const random100 = (random: Random, rows: number): number[] => Array.from({ length: 100 }, () => 1 + random.below(rows));

function queries(frequency: Map<string, number>, live: string[][], rows: number, random: Random, question: () => string) {
  const count = (word: string) => frequency.get(word) ?? 0;
  const draw = <T>(make: () => T | undefined): T[] => {
    const found: T[] = [];
    for (let tries = 0; found.length < 100 && tries < 100_000; tries++) {
      const made = make();
      if (made !== undefined) found.push(made);
    }
    return found;
  };
  const telling = (word: string) => /^[a-z]{6}/.test(word);
  const rareWord = () => random.pick(random.pick(live).filter((word) => telling(word) && count(word) <= 20));
  return {
    rare: draw(rareWord),
    pairs: draw(() => {
      const fit = random.pick(live).filter((word) => telling(word) && count(word) <= rows / 100 && count(word) >= 2);
      const [one, other] = [random.pick(fit), random.pick(fit)];
      return one !== undefined && one !== other ? `${one} ${other}` : undefined;
    }),
    questions: draw(question),
    absent: draw(() => `qx${random.hex(8)}`),
    beginnings: draw(() => {
      const beginning = rareWord()?.slice(0, -3);
      return beginning !== undefined && beginning.length >= 8 && count(beginning) === 0 ? beginning : undefined;
    }),
  };
}
