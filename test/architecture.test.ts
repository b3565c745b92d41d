// The house rule, read from the source: who may import whom, where SQL may stand, who reads the environment.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, normalize, relative } from "node:path";
import { parseSync } from "oxc-parser";

const root = join(import.meta.dir, "..");
const BUILTIN = new Set(builtinModules);

/** Folders below src that others may import, by the folder that imports. `*` stands for the composition roots. */
const LAYERS: Readonly<Record<string, readonly string[] | "*">> = {
  kernel: [],
  registry: ["kernel"],
  storage: ["kernel"],
  language: ["kernel"],
  project: ["kernel"],
  memories: ["kernel", "registry", "storage", "language", "project"],
  surfaces: ["kernel", "registry"],
  client: ["kernel", "registry"],
  app: "*",
  "main.ts": "*",
};

/** npm packages by the folder that may use them; nobody else may use any. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  registry: ["zod"],
  memories: ["zod"],
  app: ["zod"],
  surfaces: ["hono", "@hono/node-server", "@modelcontextprotocol/server"],
};

const ROOMS = ["memories"];

/** Inside a room each part may import the ones before it, and itself. */
const ROOM_PARTS: Readonly<Record<string, readonly string[]>> = {
  "model.ts": [],
  rules: ["model.ts"],
  "store.ts": ["model.ts", "rules"],
  sqlite: ["model.ts", "rules", "store.ts"],
  operations: ["model.ts", "rules", "store.ts"],
  wire: ["model.ts", "rules", "store.ts", "operations"],
};
const ONLY_STORES_USE = "storage";

type Sources = ReadonlyMap<string, string>;

function sourceFiles(): Map<string, string> {
  const entries = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  const source = files.filter((file) => !file.endsWith(".test.ts") && !file.endsWith(".d.ts"));
  return new Map(source.map((file) => [relative(root, file), readFileSync(file, "utf8")]));
}

/** Every module a file names: static, type-only, re-exported and lazy ones. */
function importsOf(file: string, source: string): string[] {
  const { module, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const named = [
    ...module.staticImports.map((entry) => entry.moduleRequest.value),
    ...module.staticExports.flatMap((entry) =>
      entry.entries.flatMap((item) => (item.moduleRequest ? [item.moduleRequest.value] : [])),
    ),
  ];
  const lazy = module.dynamicImports.map((entry) =>
    source.slice(entry.moduleRequest.start, entry.moduleRequest.end).replace(/^["'`]|["'`]$/g, ""),
  );
  return [...named, ...lazy];
}

const folderOf = (path: string): string => path.split("/")[1] as string;
const partOf = (path: string): string => path.split("/")[2] as string;

function checkImport(from: string, specifier: string, sources: Sources): string | undefined {
  const folder = folderOf(from);
  if (!specifier.startsWith(".")) {
    const name = specifier.startsWith("@") ? specifier.split("/").slice(0, 2).join("/") : (specifier.split("/")[0] as string);
    if (specifier.startsWith("node:") || BUILTIN.has(name)) return undefined;
    return PACKAGES[folder]?.includes(name) ? undefined : `${from} uses the package ${name}`;
  }
  const target = normalize(join(dirname(from), specifier));
  if (target === "package.json" || target.startsWith("sql/")) return undefined;
  if (!sources.has(target)) return `${from} imports ${specifier}, which is no source file`;
  const other = folderOf(target);
  if (other !== folder) {
    const allowed = LAYERS[folder];
    if (allowed === undefined) return `${from} stands in a folder the rule does not know`;
    if (allowed !== "*" && !allowed.includes(other)) return `${from} imports ${target}: ${folder} may not know ${other}`;
    if (ROOMS.includes(folder) && other === ONLY_STORES_USE && partOf(from) !== "sqlite")
      return `${from} imports ${target}: only stores open databases`;
    return undefined;
  }
  if (!ROOMS.includes(folder)) return undefined;
  const [part, otherPart] = [partOf(from), partOf(target)];
  if (part === otherPart || ROOM_PARTS[part]?.includes(otherPart)) return undefined;
  return `${from} imports ${target}: ${part} may not know ${otherPart}`;
}

function checkText(path: string, source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  const problems: string[] = [];
  const isStore = /\/(sqlite|postgres)\//.test(path) || path.startsWith("src/storage/");
  if (!isStore && /["'`]\s*(SELECT|INSERT|UPDATE|DELETE FROM|CREATE|ALTER|PRAGMA|BEGIN|VACUUM)\b[^"'`]*\s/.test(code))
    problems.push(`${path} holds SQL`);
  if (path !== "src/app/config.ts" && /process\.env|Bun\.env|import\.meta\.env/.test(code))
    problems.push(`${path} reads the environment`);
  if (path !== "src/main.ts" && /process\.exit\b(?!Code)/.test(code)) problems.push(`${path} ends the process`);
  return problems;
}

function violations(sources: Sources): string[] {
  return [...sources].flatMap(([path, source]) => [
    ...importsOf(path, source).flatMap((specifier) => checkImport(path, specifier, sources) ?? []),
    ...checkText(path, source),
  ]);
}

/** Depth-first over the import graph; the first cycle found, as a list of files. */
function cycle(sources: Sources): string[] | undefined {
  const state = new Map<string, "open" | "done">();
  const stack: string[] = [];
  const visit = (path: string): string[] | undefined => {
    if (state.get(path) === "done") return undefined;
    if (state.get(path) === "open") return [...stack.slice(stack.indexOf(path)), path];
    state.set(path, "open");
    stack.push(path);
    const { module } = parseSync(path, sources.get(path) as string);
    for (const { moduleRequest, entries } of module.staticImports) {
      // Types vanish; only what is there at run time can deadlock a module graph.
      if (entries.length > 0 && entries.every((entry) => entry.isType)) continue;
      const target = moduleRequest.value.startsWith(".") ? normalize(join(dirname(path), moduleRequest.value)) : "";
      const found = sources.has(target) ? visit(target) : undefined;
      if (found) return found;
    }
    stack.pop();
    state.set(path, "done");
    return undefined;
  };
  for (const path of sources.keys()) {
    const found = visit(path);
    if (found) return found;
  }
  return undefined;
}

const sources = sourceFiles();

test("every source file is seen, in a folder the rule knows", () => {
  expect(sources.size).toBeGreaterThan(60);
  const folders = readdirSync(join(root, "src")).filter((name) => !name.endsWith(".d.ts"));
  expect(folders.filter((name) => !(name in LAYERS))).toEqual([]);
  expect(Object.keys(LAYERS).filter((name) => !folders.includes(name))).toEqual([]);
  for (const room of ROOMS) {
    const parts = readdirSync(join(root, "src", room)).filter((name) => !name.endsWith(".test.ts"));
    expect(parts.filter((name) => !(name in ROOM_PARTS))).toEqual([]);
  }
});

test("imports go one way, SQL stays in stores, the environment in config", () => {
  expect(violations(sources)).toEqual([]);
});

test("no module imports itself in a circle", () => {
  expect(cycle(sources)).toBeUndefined();
});

const planted: [what: string, path: string, source: string][] = [
  [
    "a rule that reads a store, by type only",
    "src/memories/rules/planted.ts",
    'import type { MemoryStore } from "../store.ts";\nexport type X = MemoryStore;\n',
  ],
  [
    "a surface that knows a room",
    "src/surfaces/http/planted.ts",
    'export { memoryRoutes } from "../../memories/wire/http.ts";\n',
  ],
  ["a lazy import upward", "src/kernel/planted.ts", 'export const later = () => import("../app/open.ts");\n'],
  ["a package where none belongs", "src/kernel/planted.ts", 'import { z } from "zod";\nexport const X = z;\n'],
  [
    "an operation that opens a database",
    "src/memories/operations/planted.ts",
    'import { openSqlite } from "../../storage/sqlite.ts";\nexport const X = openSqlite;\n',
  ],
  ["SQL outside a store", "src/memories/wire/planted.ts", 'export const sql = "SELECT id FROM observations";\n'],
  ["a second reader of the environment", "src/app/planted.ts", "export const home = process.env.HOME;\n"],
  ["a second exit", "src/app/planted.ts", "export const stop = () => process.exit(1);\n"],
];

for (const [what, path, source] of planted) {
  test(`notices ${what}`, () => {
    expect(violations(new Map([...sources, [path, source]])).length).toBeGreaterThan(0);
  });
}

test("notices a circle", () => {
  const circle = new Map([
    ["src/kernel/a.ts", 'import { b } from "./b.ts";\nexport const a = b;\n'],
    ["src/kernel/b.ts", 'import { a } from "./a.ts";\nexport const b = a;\n'],
  ]);
  expect(cycle(circle)).toEqual(["src/kernel/a.ts", "src/kernel/b.ts", "src/kernel/a.ts"]);
});
