// The project name a directory gives when nothing better is known.

import { basename } from "node:path";
import { foundProjectName } from "./name.ts";

/** Normalised last part of the path; "unknown" where there is none. */
export function directoryName(path: string): string {
  // A directory may be called anything; a name is printed in one line of text that a model reads.
  const printable = basename(path).replace(/[\u0000-\u001f\u007f]+/g, " ");
  return foundProjectName(printable) || "unknown";
}
