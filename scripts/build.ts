// Makes dist/engram (one self-contained executable) and dist/npm (the package that runs on Node >= 22.13).
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import manifest from "../package.json" with { type: "json" };
import server from "../server.json" with { type: "json" };

const root = new URL("..", import.meta.url).pathname;
const entry = `${root}src/main.ts`;
const outfile = `${root}dist/engram${process.platform === "win32" ? ".exe" : ""}`;

function check(result: Bun.BuildOutput): void {
  if (result.success) return;
  for (const log of result.logs) console.error(log);
  process.exit(1);
}

check(
  await Bun.build({
    entrypoints: [entry],
    compile: { outfile },
    splitting: true,
    minify: { syntax: true, whitespace: true },
    bytecode: true,
    format: "esm",
  }),
);

const npm = `${root}dist/npm`;
rmSync(npm, { recursive: true, force: true });
mkdirSync(npm, { recursive: true });
check(
  await Bun.build({
    entrypoints: [entry],
    outdir: npm,
    target: "node",
    format: "esm",
    splitting: true,
    minify: { syntax: true, whitespace: true },
  }),
);

// node:sqlite is stable enough for us and still announces itself as experimental on standard error, which scripts read.
writeFileSync(
  `${npm}/engram.mjs`,
  `#!/usr/bin/env node
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 13)) {
  console.error(\`engram needs Node 22.13 or newer, this is \${process.versions.node}\`);
  process.exit(1);
}
const { emitWarning } = process;
process.emitWarning = (warning, ...rest) => (String(warning).includes("SQLite is an experimental") ? undefined : emitWarning.call(process, warning, ...rest));
await import("./main.js");
`,
  { mode: 0o755 },
);
writeFileSync(
  `${npm}/package.json`,
  `${JSON.stringify(
    {
      name: "engram-memory",
      version: manifest.version,
      mcpName: server.name,
      description: manifest.description,
      license: manifest.license,
      type: "module",
      bin: { engram: "engram.mjs" },
      engines: { node: ">=22.13" },
    },
    null,
    2,
  )}\n`,
);
for (const file of ["README.md", "LICENSE"]) cpSync(`${root}${file}`, `${npm}/${file}`);
console.log(`built ${outfile.slice(root.length)} and dist/npm (engram-memory ${manifest.version})`);
