// A folder that is gone when the test that asked for it is over: `using folder = tempFolder()`.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TempFolder extends Disposable {
  root: string;
  path(...parts: string[]): string;
}

export function tempFolder(): TempFolder {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "engram-test-")));
  return {
    root,
    path: (...parts) => join(root, ...parts),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
