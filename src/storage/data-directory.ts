// The folder that holds every store: made private, refused where SQLite's locks do not hold (network shares).
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { EngramError, messageOf } from "../kernel/errors.ts";
import type { Ids } from "../kernel/ids.ts";

/** Linux file system numbers of NFS, SMB, CIFS and SMB2. Other systems report none we could name. */
const NETWORK_FILE_SYSTEMS = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42]);

export const isNetworkFileSystem = (type: number): boolean => NETWORK_FILE_SYSTEMS.has(type >>> 0);

export function prepareDataDirectory(directory: string, fileSystemType = (path: string) => statfsSync(path).type): void {
  const refuse = (why: string, cause?: unknown): never => {
    throw new EngramError("unavailable", why, {}, { cause });
  };
  if (!isAbsolute(directory)) refuse(`ENGRAM_DATA_DIR must be an absolute path, got "${directory}"`);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    refuse(`the data folder ${directory} cannot be made: ${messageOf(error)}`, error);
  }
  if (!statSync(directory).isDirectory()) refuse(`the data folder ${directory} is not a folder`);
  let type: number;
  try {
    type = fileSystemType(directory);
  } catch {
    return;
  }
  if (isNetworkFileSystem(type)) {
    refuse(`${directory} is on a network share, where SQLite can lose writes; choose a local folder with ENGRAM_DATA_DIR`);
  }
}

/** The identity of the store in this folder: 32 hex digits, made once, the same for every process that races to make it. */
export function instanceId(directory: string, ids: Ids): string {
  const path = join(directory, "instance-id");
  const read = (): string | undefined => {
    try {
      const text = readFileSync(path, "utf8").trim();
      return /^[0-9a-f]{32}$/.test(text) ? text : undefined;
    } catch {
      return undefined;
    }
  };
  const known = read();
  if (known) return known;
  const fresh = ids.hex(16);
  const draft = `${path}.${fresh.slice(0, 8)}.tmp`;
  writeFileSync(draft, `${fresh}\n`, { mode: 0o600 });
  try {
    linkSync(draft, path);
  } catch {
    const winner = read();
    if (winner) return winner;
    // A file system without hard links, or a file somebody left that holds no id: ours takes its place.
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
  return read() ?? fresh;
}
