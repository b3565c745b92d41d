// Random histories of saves, updates, pins and deletions against a model that is a plain list of rows.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { openMemories, type TestMemories } from "../../../test/support/memories.ts";
import { toStamp } from "../../kernel/clock.ts";
import { deleteObservation, observationVersions, pinObservation, recentObservations, updateObservation } from "./observations.ts";
import { stats } from "./projects.ts";

const TITLES = ["One", "Two"];
const CONTENTS = ["alpha beta", "ALPHA  beta", "gamma", "delta <private>x</private>"];
const STORED = ["alpha beta", "ALPHA  beta", "gamma", "delta [REDACTED]"];
const TYPES = ["manual", "decision"];
const SCOPES = ["project", "personal"];
const TOPICS = [undefined, undefined, "topic/a", "topic/b"];

const pick = (list: readonly unknown[]) => fc.nat({ max: list.length - 1 });
const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("save" as const),
      title: pick(TITLES),
      content: pick(CONTENTS),
      type: pick(TYPES),
      scope: pick(SCOPES),
      topic: pick(TOPICS),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("update" as const),
      row: fc.nat(),
      title: fc.option(pick(TITLES)),
      content: fc.option(pick(CONTENTS)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pin" as const), row: fc.nat(), pinned: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("delete" as const), row: fc.nat(), hard: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("wait" as const), seconds: fc.constantFrom(1, 60, 899, 900, 901, 3600) }) },
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

interface ModelRow {
  id: number;
  title: string;
  content: string;
  type: string;
  scope: string;
  topic_key: string | null;
  revision_count: number;
  duplicate_count: number;
  pinned: boolean;
  created_at: string;
  updated_at: string;
  versions: string[];
  live: boolean;
}

const sameWords = (a: string, b: string) => a.toLowerCase().split(/\s+/).join(" ") === b.toLowerCase().split(/\s+/).join(" ");
const newest = (rows: ModelRow[], by: "created_at" | "updated_at") =>
  rows.toSorted((a, b) => (a[by] === b[by] ? b.id - a.id : a[by] < b[by] ? 1 : -1))[0];

function rewrite(row: ModelRow, title: string, content: string, now: string): void {
  if (row.title !== title || row.content !== content) row.versions.unshift(`${row.title}: ${row.content}`);
  Object.assign(row, { title, content, revision_count: row.revision_count + 1, updated_at: now });
}

async function replay(room: TestMemories, project: string, actions: Action[]): Promise<ModelRow[]> {
  const model: ModelRow[] = [];
  const choose = (n: number) => model.filter((row) => row.live)[n % Math.max(1, model.filter((row) => row.live).length)];
  for (const step of actions) {
    const now = toStamp(room.clock.now());
    if (step.do === "wait") room.clock.advance({ seconds: step.seconds });
    if (step.do === "save") {
      const [title, content] = [TITLES[step.title] as string, STORED[step.content] as string];
      const [type, scope, topic] = [TYPES[step.type] as string, SCOPES[step.scope] as string, TOPICS[step.topic]];
      const { kind, observation } = await room.saving({
        session_id: project,
        project,
        title,
        content: CONTENTS[step.content] as string,
        type,
        scope,
        ...(topic ? { topic_key: topic } : {}),
      });
      const earliest = toStamp(new Date(room.clock.now().getTime() - 15 * 60_000));
      const peers = model.filter((row) => row.live && row.scope === scope);
      const ofTopic = newest(topic ? peers.filter((row) => row.topic_key === topic) : [], "updated_at");
      const twin = newest(
        peers.filter(
          (row) => row.title === title && row.type === type && sameWords(row.content, content) && row.created_at >= earliest,
        ),
        "created_at",
      );
      const known = ofTopic ?? twin;
      expect(kind).toBe(ofTopic ? "revised" : twin ? "duplicate" : "inserted");
      if (!known) {
        model.push({
          id: observation.id,
          title,
          content,
          type,
          scope,
          topic_key: topic ?? null,
          revision_count: 1,
          duplicate_count: 1,
          pinned: false,
          created_at: now,
          updated_at: now,
          versions: [],
          live: true,
        });
      } else if (ofTopic) {
        rewrite(known, title, content, now);
        known.type = type;
      } else {
        known.duplicate_count++;
        known.updated_at = now;
      }
      expect(observation.id).toBe((known ?? model.at(-1))?.id as number);
    }
    const row = "row" in step ? choose(step.row) : undefined;
    if (row === undefined) continue;
    if (step.do === "update" && (step.title !== null || step.content !== null)) {
      const title = step.title === null ? undefined : (TITLES[step.title] as string);
      const content = step.content === null ? undefined : (CONTENTS[step.content] as string);
      await room.call(updateObservation, { id: row.id, ...(title ? { title } : {}), ...(content ? { content } : {}) });
      rewrite(row, title ?? row.title, step.content === null ? row.content : (STORED[step.content] as string), now);
    }
    if (step.do === "pin") {
      await room.call(pinObservation, { id: row.id, pinned: step.pinned });
      row.pinned = step.pinned;
    }
    if (step.do === "delete") {
      await room.call(deleteObservation, { id: row.id, hard: step.hard });
      row.live = false;
    }
  }
  return model;
}

test("any history of writes leaves the rows, counts and versions that a plain list would have", async () => {
  using room = openMemories();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 25 }), async (actions) => {
      const project = `p${++run}`;
      const model = await replay(room, project, actions);
      const live = model.filter((row) => row.live);
      const { observations } = await room.call(recentObservations, { project, limit: 100 });
      const seen = await Promise.all(
        observations.map(
          async ({
            id,
            title,
            content,
            type,
            scope,
            topic_key,
            revision_count,
            duplicate_count,
            pinned,
            created_at,
            updated_at,
          }) => {
            const { versions } = await room.call(observationVersions, { id });
            return {
              id,
              title,
              content,
              type,
              scope,
              topic_key,
              revision_count,
              duplicate_count,
              pinned,
              created_at,
              updated_at,
              versions: versions.map((v) => `${v.title}: ${v.content}`),
              live: true,
            };
          },
        ),
      );
      expect(seen).toEqual(
        live.toSorted((a, b) => (a.created_at === b.created_at ? b.id - a.id : a.created_at < b.created_at ? 1 : -1)),
      );
      expect((await room.call(stats, { project })).total_observations).toBe(live.length);
    }),
    { numRuns: 60 },
  );
  room.change("INSERT INTO observations_fts(observations_fts) VALUES ('integrity-check')");
});
