// Random identifiers. Injected, so that tests can name what they expect.
import { randomBytes } from "node:crypto";

export interface Ids {
  hex(bytes: number): string;
}

export const randomIds: Ids = { hex: (bytes) => randomBytes(bytes).toString("hex") };

/** `obs-`, `prompt-` and `rel-` ids travel between machines: 16 hex digits after the prefix. */
export const syncId = (ids: Ids, prefix: "obs" | "prompt" | "rel"): string => `${prefix}-${ids.hex(8)}`;
