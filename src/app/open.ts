// The composition root: configuration in, an app whose parts open when first asked for.
import { join } from "node:path";
import { type Clock, systemClock } from "../kernel/clock.ts";
import { type Ids, randomIds } from "../kernel/ids.ts";
import type { ProjectLocator } from "../memories/operations/app.ts";
import { openMemoryStore } from "../memories/sqlite/open.ts";
import type { MemoryStore } from "../memories/store.ts";
import { detectProject } from "../project/detect.ts";
import { instanceId, prepareDataDirectory } from "../storage/data-directory.ts";
import type { Config } from "./config.ts";

export interface App {
  readonly memories: MemoryStore;
  readonly locator: ProjectLocator;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly timeZone: string | undefined;
  readonly dataDirectory: string;
  readonly instanceId: string;
  close(): void;
}

export function openApp(config: Config, parts: { clock?: Clock; ids?: Ids } = {}): App {
  const clock = parts.clock ?? systemClock;
  const ids = parts.ids ?? randomIds;
  let store: MemoryStore | undefined;
  let prepared: string | undefined;
  const directory = (): string => {
    if (prepared === undefined) {
      prepared = config.dataDirectory();
      prepareDataDirectory(prepared);
    }
    return prepared;
  };
  const app: App = {
    get memories() {
      store ??= openMemoryStore(join(directory(), "engram.db"));
      return store;
    },
    locator: {
      detect: (cwd, { bind, processProject = true }) =>
        detectProject({
          cwd,
          bind,
          override: processProject ? config.project : undefined,
          ceilings: config.gitCeilings,
          knownProjects: (path) => app.memories.projects.ofDirectory(path),
        }),
    },
    clock,
    ids,
    timeZone: config.timeZone,
    get dataDirectory() {
      return directory();
    },
    get instanceId() {
      return instanceId(directory(), ids);
    },
    close() {
      store?.close();
      store = undefined;
    },
  };
  return app;
}
