// One door for every npm script, in plain Node: installs what is missing, builds what is stale, then does what was asked.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [task = "start", ...words] = process.argv.slice(2);
const at = (...parts) => join(root, ...parts);
const fail = (message) => {
  console.error(`engram: ${message}`);
  process.exit(1);
};

if (Number(process.versions.node.split(".")[0]) < 20) fail(`Node 20 or newer is needed, this is ${process.versions.node}`);

function run(program, args, options = {}) {
  const { status, error, signal } = spawnSync(program, args, { cwd: root, stdio: "inherit", ...options });
  if (error) fail(`${program} could not be started: ${error.message}`);
  if (status !== 0) process.exit(signal ? 1 : (status ?? 1));
}

function npm(args) {
  const script = process.env.npm_execpath;
  if (script?.endsWith(".js") || script?.endsWith(".cjs")) run(process.execPath, [script, ...args]);
  else run(process.platform === "win32" ? "npm.cmd" : "npm", args, { shell: process.platform === "win32" });
}

const hashOf = (files) => {
  const hash = createHash("sha256");
  for (const file of files)
    hash
      .update(file)
      .update("\0")
      .update(readFileSync(at(file)));
  return hash.digest("hex");
};
const noteIs = (file, text) => existsSync(at(file)) && readFileSync(at(file), "utf8") === text;

function install() {
  const wanted = hashOf(["package-lock.json"]);
  const note = join("node_modules", ".engram-installed");
  if (noteIs(note, wanted)) return;
  console.error("engram: installing dependencies …");
  npm(["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
  writeFileSync(at(note), wanted);
}

/** The npm package links its binary in an install script; where scripts are off, the platform package holds it. */
function bun() {
  const linked = at("node_modules", "bun", "bin", "bun.exe");
  if (existsSync(linked) && spawnSync(linked, ["--version"]).status === 0) return linked;
  const home = at("node_modules", "@oven");
  for (const name of existsSync(home) ? readdirSync(home) : []) {
    for (const file of ["bun", "bun.exe"]) {
      const path = join(home, name, "bin", file);
      if (existsSync(path) && spawnSync(path, ["--version"]).status === 0) return path;
    }
  }
  return fail("the npm package `bun` has no program for this machine; see https://bun.sh for supported ones");
}

function filesBelow(folder) {
  return readdirSync(at(folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length + 1))
    .sort();
}

function build({ force = false } = {}) {
  const sources = hashOf([...filesBelow("src"), ...filesBelow("sql"), "package.json", "package-lock.json", "scripts/build.ts"]);
  if (!force && noteIs("dist/.built", sources)) return;
  console.error("engram: building …");
  mkdirSync(at("dist"), { recursive: true });
  run(bun(), ["scripts/build.ts"]);
  writeFileSync(at("dist", ".built"), sources);
}

/** Runs the suite, shows it as it goes, and closes with one line a machine can read. */
function test() {
  return new Promise((resolve) => {
    const child = spawn(bun(), ["test", ...words], { cwd: root, stdio: ["ignore", "inherit", "pipe"] });
    let text = "";
    child.stderr.on("data", (chunk) => {
      process.stderr.write(chunk);
      text = (text + chunk).slice(-4000);
    });
    child.on("close", (code) => {
      const count = (word) => Number(text.match(new RegExp(`^\\s*(\\d+) ${word}`, "m"))?.[1] ?? 0);
      const skipped = count("skip");
      console.log(`${count("pass")} passed, ${count("fail")} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
      resolve(code ?? 1);
    });
  });
}

const program = at("dist", process.platform === "win32" ? "engram.exe" : "engram");

install();
switch (task) {
  case "start": {
    build();
    const child = spawn(program, ["serve", ...words], { stdio: "inherit" });
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
    child.on("close", (code) => process.exit(code ?? 1));
    break;
  }
  case "test":
    build();
    process.exit(await test());
    break;
  case "build":
    build({ force: true });
    break;
  case "check":
    run(process.execPath, [at("node_modules/@biomejs/biome/bin/biome"), "check", "--error-on-warnings", "."]);
    run(process.execPath, [at("node_modules/typescript/bin/tsc"), "--noEmit", "-p", "."]);
    run(bun(), ["test", "test/architecture.test.ts", "test/docs.test.ts"]);
    run(process.execPath, [at("node_modules/knip/bin/knip.js")]);
    break;
  case "format":
    run(process.execPath, [at("node_modules/@biomejs/biome/bin/biome"), "check", "--write", "."]);
    break;
  case "docs":
    run(bun(), ["scripts/generate-docs.ts"]);
    break;
  case "bundle":
    build();
    run(bun(), ["scripts/bundle.ts"]);
    break;
  case "bench":
    build();
    run(bun(), ["bench/run.ts", ...words]);
    break;
  default:
    fail(`unknown task ${task}`);
}
