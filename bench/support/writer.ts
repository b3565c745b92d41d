// One of several processes that write into one store at once: opens it, waits for a line, saves, says so.
import { save } from "../../src/memories/operations/save.ts";
import { invoke } from "../../src/registry/operation.ts";
import { corpus } from "./corpus.ts";
import { open } from "./store.ts";

const [directory = "", session_id = "", seed = "1", count = "0"] = process.argv.slice(2);
const app = open(directory);
const texts = corpus(Number(seed));
const memories = Array.from({ length: Number(count) }, () => ({ ...texts.memory(), session_id, project: "bench" }));
void app.memories;
process.stdout.write("ready\n");
for await (const _ of process.stdin) break;
for (const memory of memories) await invoke(save, app, memory);
app.close();
process.exit(0);
