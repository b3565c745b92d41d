// Makes dist/engram.mcpb: one file that desktop clients install with a click. The Node package inside, a manifest around it.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { strToU8, zipSync } from "fflate";
import manifest from "../package.json" with { type: "json" };
import { selectTools } from "../src/app/mcp.ts";

const root = new URL("..", import.meta.url).pathname;
const tools = selectTools("agent").map(({ name, description }) => ({ name, description: description.split("\n")[0] as string }));

/** Places the client fills in. */
const place = (name: string): string => `$\{${name}}`;

const bundle = {
  manifest_version: "0.3",
  name: "engram",
  display_name: "Engram",
  version: manifest.version,
  description: manifest.description,
  author: { name: "The Engram authors" },
  license: manifest.license,
  server: {
    type: "node",
    entry_point: "server/engram.mjs",
    mcp_config: {
      command: "node",
      args: [`${place("__dirname")}/server/engram.mjs`, "mcp", "--tools=agent"],
      env: { ENGRAM_DATA_DIR: place("user_config.data_directory") },
    },
  },
  user_config: {
    data_directory: {
      type: "directory",
      title: "Data folder",
      description: "Where memories live. The default is the one every other agent on this machine uses.",
      default: `${place("HOME")}/.engram`,
      required: false,
    },
  },
  tools,
  compatibility: { runtimes: { node: ">=22.13.0" } },
};

const files: Record<string, Uint8Array> = { "manifest.json": strToU8(`${JSON.stringify(bundle, null, 2)}\n`) };
for (const name of readdirSync(`${root}dist/npm`)) files[`server/${name}`] = readFileSync(`${root}dist/npm/${name}`);
writeFileSync(`${root}dist/engram.mcpb`, zipSync(files, { level: 9, mtime: new Date("2026-01-01T00:00:00Z") }));
console.log(`built dist/engram.mcpb (${Object.keys(files).length} files)`);
