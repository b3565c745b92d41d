// Tests that this machine cannot run are skipped under a name that says why.
import { describe, test } from "bun:test";
import { IS_BUILT } from "./process.ts";

export const NOT_BUILT = IS_BUILT ? undefined : "dist/engram is missing: npm run build";

export function describeUnless(reason: string | undefined, name: string, body: () => void): void {
  if (reason === undefined) describe(name, body);
  else describe.skip(`${name} (skipped: ${reason})`, body);
}

export function testUnless(reason: string | undefined, name: string, body: () => void | Promise<void>, timeout?: number): void {
  if (reason === undefined) test(name, body, timeout);
  else test.skip(`${name} (skipped: ${reason})`, body, timeout);
}
