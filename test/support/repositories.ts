// For the tests of this room: a temporary folder with real git repositories, untouched by the user's git settings.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

interface Tree {
  root: string;
  path(...parts: string[]): string;
  directory(path: string): string;
  file(path: string, text: string): string;
  /** Runs git in a directory of the tree and answers what it printed; throws when git fails. */
  git(directory: string, ...args: string[]): string;
  repository(path: string, remote?: string): string;
  remove(): void;
}

export function makeTree(env: Readonly<Record<string, string | undefined>>): Tree {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "engram-project-")));
  const settings = ["user.name=T", "user.email=t@example.org", "init.defaultBranch=main", "protocol.file.allow=always"];

  const tree: Tree = {
    root,
    path: (...parts) => join(root, ...parts),
    directory(path) {
      mkdirSync(join(root, path), { recursive: true });
      return join(root, path);
    },
    file(path, text) {
      tree.directory(dirname(path));
      writeFileSync(join(root, path), text);
      return join(root, path);
    },
    git(directory, ...args) {
      // Read at each call: a test may set a ceiling for a moment.
      const kept = Object.entries(env).filter(([name]) => !name.startsWith("GIT_") || name === "GIT_CEILING_DIRECTORIES");
      const own = { ...Object.fromEntries(kept), GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
      const flags = settings.flatMap((setting) => ["-c", setting]);
      const printed = execFileSync("git", [...flags, ...args], {
        cwd: join(root, directory),
        env: own,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      });
      return printed.replace(/\n$/, "");
    },
    repository(path, remote) {
      tree.directory(path);
      tree.git(path, "init", "--quiet");
      if (remote !== undefined) tree.git(path, "remote", "add", "origin", remote);
      return join(root, path);
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
  return tree;
}
