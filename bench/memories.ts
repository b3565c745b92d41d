// The memories room by figures: writing, reading at two sizes, what a process costs.
import { measureProcesses } from "./memories/processes.ts";
import { measureReads, type StoreToRead } from "./memories/reads.ts";
import { measureSaves } from "./memories/saves.ts";
import type { BenchOptions } from "./run.ts";
import type { Table } from "./support/report.ts";
import { fillStore } from "./support/store.ts";

export async function measureMemories(options: BenchOptions): Promise<Table[]> {
  const saves = await measureSaves(options);
  const stores: StoreToRead[] = [];
  for (const rows of options.rows) {
    options.note(`filling a store with ${rows.toLocaleString("en-US")} memories`);
    const directory = options.workspace.folder("filled");
    stores.push({ directory, filled: await fillStore(directory, rows) });
  }
  const reads = await measureReads(stores, options);
  return [...saves, ...reads, ...(await measureProcesses(stores, options))];
}
