// Documentation that is generated is up to date; documentation that is written names only what exists.
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { PAGES, tokensOf } from "../scripts/docs.ts";
import server from "../server.json" with { type: "json" };
import { allCommands } from "../src/app/catalogue.ts";
import { selectTools } from "../src/app/mcp.ts";

const commands = await allCommands();
const root = join(import.meta.dir, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

for (const [path, make] of PAGES) {
  test(`${path} is what the catalogue generates (else: npm run docs)`, () => {
    expect(read(path)).toBe(make());
  });
}

test("the agent profile costs a model less than 4,000 tokens", () => {
  expect(tokensOf(selectTools("agent"))).toBeLessThan(4000);
});

test("the registry manifest tells the version and name of the package", () => {
  expect([server.version, ...server.packages.map((entry) => entry.version)]).toEqual([manifest.version, manifest.version]);
  expect(read("scripts/build.ts")).toContain("mcpName: server.name");
});

const pages = [
  "README.md",
  "AGENTS.md",
  "CONTEXT.md",
  "CHANGELOG.md",
  "SECURITY.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

test("links between pages lead somewhere", () => {
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)/g)]
      .map((match) => match[1] as string)
      .filter((target) => !existsSync(join(root, dirname(page), target)))
      .map((target) => `${page} -> ${target}`),
  );
  expect(broken).toEqual([]);
});

test("npm scripts that pages mention exist", () => {
  const scripts = Object.keys(manifest.scripts);
  const unknown = pages.flatMap((page) =>
    [...read(page).matchAll(/npm run ([a-z-]+)/g)].map((match) => match[1] as string).filter((name) => !scripts.includes(name)),
  );
  expect(unknown).toEqual([]);
});

test("commands that the README shows exist", () => {
  const shown = [...read("README.md").matchAll(/^\s*(?:dist\/)?engram ([a-z][a-z-]*)/gm)].map((match) => match[1] as string);
  expect(shown.length).toBeGreaterThan(0);
  expect(shown.filter((word) => !commands.some((command) => command.command.split(" ")[0] === word))).toEqual([]);
});

test("source files that AGENTS.md names exist", () => {
  const named = [...read("AGENTS.md").matchAll(/`((?:src|sql|test|scripts|docs|bench)\/[\w./-]+)`/g)].map(
    (match) => match[1] as string,
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
