// Reads a small file that somebody else may have put there. Anything but a plain file of sane size is an error, so that
// a pipe or a device inside a repository can neither hang nor fill the process.

import { readFile, stat } from "node:fs/promises";

const MAX_BYTES = 4 * 1024 * 1024;

/** The text without a byte order mark; throws when the file is absent, unreadable, too large or not a plain file. */
export async function readSmallFile(path: string): Promise<string> {
  const info = await stat(path);
  if (!info.isFile()) throw new Error("it is not a file");
  if (info.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
  return (await readFile(path, "utf8")).replace(/^\uFEFF/, "");
}
