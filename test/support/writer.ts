// One of many writers on one store, run by Bun: says that it is loaded, waits for the word, then opens and writes at once.
// Arguments: its number and how many observations. Its last line is the store's identity as it saw it.
import { readConfig } from "../../src/app/config.ts";
import { openApp } from "../../src/app/open.ts";
import { save } from "../../src/memories/operations/save.ts";
import { openSession } from "../../src/memories/operations/sessions.ts";
import { invoke } from "../../src/registry/operation.ts";

const [number = "0", rows = "0"] = process.argv.slice(2);
console.log("loaded");
for await (const _ of console) break;

const app = openApp(readConfig());
const session_id = `writer-${number}`;
await invoke(openSession, app, {
  id: session_id,
  project: "together",
  directory: "",
  ownership_mode: "shared",
  resume: false,
  isolated: false,
});
for (let i = 0; i < Number(rows); i++) {
  await invoke(save, app, {
    session_id,
    type: "manual",
    title: `Note ${number}.${i}`,
    content: `writer ${number} wrote line ${i}`,
  });
}
console.log(app.instanceId);
app.close();
