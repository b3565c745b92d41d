// The command line itself: every command refuses what it does not understand, speaks JSON when asked, helps, completes.
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { allCommands } from "../../src/app/catalogue.ts";
import { VERSION } from "../../src/app/version.ts";
import { freePort } from "../support/ports.ts";
import { type Place, PROGRAM, usePlaces } from "../support/process.ts";
import { describeUnless, NOT_BUILT, testUnless } from "../support/skip.ts";
import { count, fingerprint } from "../support/sqlite-file.ts";
import { NO_TERMINAL, onTerminal } from "../support/terminal.ts";

const place = usePlaces();
const commands = await allCommands();

/** One good call of every command, on the store that `filled` makes. */
const EXAMPLES: Record<string, string[]> = {
  serve: [],
  "serve-background": [],
  mcp: [],
  search: ["cart"],
  save: ["A title", "a text"],
  delete: ["1"],
  "delete session": ["s-empty"],
  "delete prompt": ["1"],
  "delete project": ["shop"],
  timeline: ["1", "--all"],
  context: ["shop"],
  stats: [],
  export: ["out.json", "--all"],
  import: ["seed.json"],
  versions: ["1"],
  projects: [],
  "projects list": [],
  "projects consolidate": ["--all", "--dry-run"],
  "projects merge": ["--from", "Shop", "--to", "shop", "--dry-run"],
  "projects prune": ["--dry-run"],
  "projects rescue-ownership": ["--project", "p", "--observation", "2"],
  init: ["name"],
  doctor: [],
  "doctor repair": ["--project", "shop", "--check", "invalid_session_identity", "--plan"],
  test: ["--quick"],
  "instance-id": [],
  "protocol-mode": ["claude-code"],
  hook: ["claude-pre-tool-use"],
  completions: ["bash"],
  version: [],
  help: [],
};
/** Their processes stay: the tests of serving try them. */
const STAYS = new Set(["serve", "serve-background"]);
/** What they print is text by nature: a script for a shell, help for a person, a protocol for an agent. */
const ALWAYS_TEXT = new Set(["completions", "help", "mcp"]);
/** Their words are one query, or words to look up; and a hook never fails its agent for a word more. */
const TAKES_ANY_WORD = new Set(["search", "help", "hook"]);

const wordsOf = (command: string): string[] => [...command.split(" "), ...(EXAMPLES[command] ?? [])];

const SEED = JSON.stringify({
  version: "0.2.0",
  sessions: [
    { id: "s", project: "shop", directory: "/" },
    { id: "s-Shop", project: "Shop", directory: "/" },
    { id: "s-empty", project: "empty", directory: "/" },
    { id: "s-none", project: "", directory: "" },
  ],
  observations: [
    { sync_id: "obs-1", session_id: "s", title: "Cart", content: "about the cart", project: "shop" },
    { sync_id: "obs-2", session_id: "s-none", title: "Lost", content: "nobody owns me" },
  ],
  prompts: [{ sync_id: "prompt-1", session_id: "s", content: "make a cart", project: "shop" }],
});

async function filled(): Promise<Place> {
  const here = place();
  writeFileSync(join(here.work, "seed.json"), SEED);
  expect((await here.run(["import", "seed.json"])).code).toBe(0);
  return here;
}

describeUnless(NOT_BUILT, "every command", () => {
  test("has an example here, so that a new one is tried as well", () => {
    expect(Object.keys(EXAMPLES).sort()).toEqual(commands.map(({ command }) => command).sort());
  });

  for (const { command } of commands) {
    const words = wordsOf(command);

    test(`engram ${command} refuses an unknown option, writes nothing, and shows its usage`, async () => {
      const here = place();
      for (const option of ["--no-such-option", "-Z"]) {
        const { code, stdout, stderr } = await here.run([...words, option], { stdin: "" });
        if (command === "help") continue;
        expect({ option, code }).toEqual({ option, code: commands.find((c) => c.command === command)?.usageExit ?? 1 });
        expect(stderr).toContain(option);
        expect(stdout + stderr).toContain(`usage: engram ${command}`);
      }
      expect(existsSync(here.data)).toBe(false);
      expect(fingerprint(here.work)).toEqual({});
    });

    if (!TAKES_ANY_WORD.has(command)) {
      test(`engram ${command} refuses words too many and writes nothing`, async () => {
        const here = place();
        const { code, stderr } = await here.run([...words, "one", "two", "three"], { stdin: "{}" });
        expect(code).toBe(commands.find((c) => c.command === command)?.usageExit ?? 1);
        expect(stderr).not.toBe("");
        expect(existsSync(here.data)).toBe(false);
        expect(fingerprint(here.work)).toEqual({});
      });
    }

    test(`engram ${command} --help tells its usage and options without a store`, async () => {
      const here = place();
      for (const option of command === "help" ? [] : ["--help", "-h"]) {
        const { code, stdout, stderr } = await here.run([...command.split(" "), option]);
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
        expect(stdout).toStartWith(`usage: engram ${command}`);
        for (const { name } of commands.find((c) => c.command === command)?.options ?? []) expect(stdout).toContain(`--${name}`);
      }
      const help = await here.run(["help", ...command.split(" ")]);
      expect(help).toMatchObject({ code: 0, stderr: "" });
      expect(existsSync(here.data)).toBe(false);
    });

    if (!STAYS.has(command) && !ALWAYS_TEXT.has(command)) {
      test(`engram ${command} --json prints one JSON value and nothing else`, async () => {
        const here = await filled();
        const { code, stdout, stderr } = await here.run([...words, "--json"], { stdin: "{}" });
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
        expect(stdout).toEndWith("\n");
        expect(() => JSON.parse(stdout)).not.toThrow();
        expect(typeof JSON.parse(stdout)).toBe("object");
      });
    }

    for (const { name } of (commands.find((c) => c.command === command)?.options ?? []).filter(
      ({ value }) => value !== undefined,
    )) {
      test(`engram ${command} --${name} without its value is refused`, async () => {
        const here = place();
        if (commands.find((c) => c.command === command)?.optionalValues?.includes(name)) return;
        const { code, stderr } = await here.run([...words, `--${name}`]);
        expect(code).toBe(commands.find((c) => c.command === command)?.usageExit ?? 1);
        expect(stderr).toContain(`--${name}`);
        expect(existsSync(here.data)).toBe(false);
      });
    }
  }
});

describeUnless(NOT_BUILT, "the program", () => {
  test("without a command: the overview on standard output, exit 1", async () => {
    const { code, stdout, stderr } = await place().run([]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(stdout).toStartWith(`engram v${VERSION}`);
    for (const { command } of commands.filter(({ command, hidden }) => !hidden && !command.includes(" "))) {
      expect(stdout).toContain(`\n  ${command} `);
    }
  });

  test("with help, --help or -h: the same, exit 0", async () => {
    const here = place();
    const { stdout } = await here.run([]);
    for (const word of ["help", "--help", "-h"]) {
      expect(await here.run([word])).toEqual({ code: 0, signal: null, stdout, stderr: "" });
    }
  });

  test("with an unknown command: its name on standard error, exit 1, no store", async () => {
    const here = place();
    const { code, stdout, stderr } = await here.run(["frobnicate", "--json"]);
    expect(code).toBe(1);
    expect(stderr).toStartWith("unknown command: frobnicate\n");
    expect(stdout).toContain("Usage:");
    expect(existsSync(here.data)).toBe(false);
  });

  test("tells its version in three ways", async () => {
    const here = place();
    for (const word of ["version", "--version", "-v"]) {
      expect(await here.run([word])).toEqual({ code: 0, signal: null, stdout: `engram ${VERSION}\n`, stderr: "" });
    }
    expect(existsSync(here.data)).toBe(false);
  });

  test("gives a store one identity and keeps it", async () => {
    const here = place();
    const { code, stdout } = await here.run(["instance-id"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[0-9a-f]{32}\n$/);
    await here.run(["save", "t", "c"]);
    expect((await here.run(["instance-id"])).stdout).toBe(stdout);
    expect(readFileSync(join(here.data, "instance-id"), "utf8").trim()).toBe(stdout.trim());
    expect((await place().run(["instance-id"])).stdout).not.toBe(stdout);
  });

  test("answers protocol-mode with full unless set-up stored slim, whatever the file looks like", async () => {
    const here = place();
    const mode = async () => (await here.run(["protocol-mode", "claude-code"])).stdout;
    expect(await mode()).toBe("full\n");
    expect(existsSync(here.data)).toBe(false);
    mkdirSync(here.data);
    for (const text of ["", "null", "[]", "{", '{"claude-code":1}', '{"claude-code":"other"}']) {
      writeFileSync(join(here.data, "protocol-mode.json"), text);
      expect(await mode()).toBe("full\n");
    }
  });

  testUnless(process.platform === "win32" ? "no sh here" : undefined, "survives a reader that stops reading", async () => {
    const here = await filled();
    const { status, stderr } = spawnSync("sh", ["-c", '"$0" help | head -n 1', PROGRAM], {
      env: here.env(),
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});

describeUnless(NOT_BUILT, "engram hook", () => {
  const event = (tool: string, input: unknown = { title: "x", session_id: "made-up" }) =>
    JSON.stringify({ tool_name: tool, session_id: "real", tool_input: input });
  const answer = async (stdin: string): Promise<unknown> => {
    const { code, stdout, stderr } = await place().run(["hook", "claude-pre-tool-use"], { stdin });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout);
  };

  test("claude-pre-tool-use puts the real session into writes, by both names of the server", async () => {
    for (const prefix of ["mcp__engram__", "mcp__plugin_engram_engram__"]) {
      expect(await answer(event(`${prefix}mem_save`))).toEqual({
        hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { title: "x", session_id: "real" } },
      });
      expect(await answer(event(`${prefix}mem_session_end`, {}))).toEqual({
        hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { id: "real" } },
      });
    }
  });

  test("claude-pre-tool-use leaves everything else alone and never fails", async () => {
    for (const stdin of [event("mcp__engram__mem_search"), event("Bash"), "{}"]) expect(await answer(stdin)).toEqual({});
    for (const stdin of ["", "nonsense", "[]", "null", event("mcp__engram__mem_save", null)]) {
      expect(await answer(stdin)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
    }
  });

  test("codex-user-prompt-submit hands the prompt to a running server, and is silent without one", async () => {
    const here = place();
    const server = await here.serve();
    await fetch(`${server.url}/sessions`, { method: "POST", body: '{"id":"s","project":"p"}' });
    const stdin = JSON.stringify({ session_id: "s", prompt: "make it faster" });
    const hook = (port: number, text = stdin) =>
      here.run(["hook", "codex-user-prompt-submit"], { stdin: text, env: { ENGRAM_PORT: String(port) } });
    expect(await hook(server.port)).toEqual({ code: 0, signal: null, stdout: "{}\n", stderr: "" });
    expect(await (await fetch(`${server.url}/prompts/recent`)).json()).toMatchObject([
      { session_id: "s", content: "make it faster" },
    ]);
    const nobody = await freePort();
    for (const text of [stdin, "", "nonsense", "[]", '{"session_id":1}']) {
      expect(await hook(nobody, text)).toEqual({ code: 0, signal: null, stdout: "{}\n", stderr: "" });
    }
    await server.stop();
    expect(count(join(here.data, "engram.db"), "user_prompts")).toBe(1);
  });

  test("an unknown hook is refused", async () => {
    expect((await place().run(["hook", "nonsense"], { stdin: "{}" })).code).toBe(1);
  });
});

const missing = (shell: string): string | undefined =>
  spawnSync(shell, ["-c", "exit 0"]).status === 0 ? undefined : `${shell} is not installed`;

describeUnless(NOT_BUILT, "engram completions", () => {
  const script = async (shell: string): Promise<string> => {
    const { code, stdout, stderr } = await place().run(["completions", shell]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout;
  };
  const parse = (shell: string, text: string) => {
    const { status, stderr } = spawnSync(shell, [shell === "fish" ? "--no-execute" : "-n"], { input: text, encoding: "utf8" });
    return { status, stderr };
  };

  testUnless(missing("bash"), "bash: a script without mistakes, that completes commands, sub-commands and options", async () => {
    const text = await script("bash");
    expect(parse("bash", text)).toEqual({ status: 0, stderr: "" });
    const complete = (...words: string[]) => {
      const tail = `COMP_WORDS=(engram ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; _engram; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout } = spawnSync("bash", ["--norc", "--noprofile", "-c", `${text}\n${tail}`], { encoding: "utf8" });
      return stdout.split("\n").filter((line) => line !== "");
    };
    expect(complete("pro")).toEqual(["projects", "protocol-mode"]);
    expect(complete("projects", "me")).toEqual(["merge"]);
    expect(complete("projects", "merge", "--")).toEqual(
      expect.arrayContaining(["--from", "--to", "--apply", "--dry-run", "--json"]),
    );
    expect(complete("save", "title", "--to")).toEqual(["--topic"]);
    expect(complete("save", "--project", "x", "--sc")).toEqual(["--scope"]);
    expect(complete("").sort()).toEqual(
      commands
        .filter(({ command, hidden }) => !hidden && !command.includes(" "))
        .map(({ command }) => command)
        .sort(),
    );
  });

  testUnless(missing("zsh"), "zsh: a script without mistakes", async () => {
    expect(parse("zsh", await script("zsh"))).toEqual({ status: 0, stderr: "" });
  });

  testUnless(missing("fish"), "fish: a script without mistakes", async () => {
    expect(parse("fish", await script("fish"))).toEqual({ status: 0, stderr: "" });
  });

  test("every shell's script knows every command, and an unknown shell is refused", async () => {
    for (const shell of ["bash", "zsh", "fish"]) {
      const text = await script(shell);
      for (const { command } of commands.filter(({ hidden }) => !hidden))
        expect(text).toContain(command.split(" ").at(-1) as string);
    }
    const { code, stdout, stderr } = await place().run(["completions", "tcsh"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("tcsh");
  });
});

describeUnless(NOT_BUILT ?? NO_TERMINAL, "on a terminal", () => {
  test("serve paints its banner, and NO_COLOR keeps it plain", async () => {
    const here = place();
    const painted = await onTerminal(here, ["serve", String(await freePort())], { until: "Ctrl+C" });
    expect(painted.code).toBe(0);
    expect(painted.text).toContain("\u001b[");
    const plain = await onTerminal(here, ["serve", String(await freePort())], { until: "Ctrl+C", env: { NO_COLOR: "1" } });
    expect(plain.code).toBe(0);
    expect(plain.text).not.toContain("\u001b");
  });

  test("a large import and export show a bar, a small one does not, and a pipe never", async () => {
    const here = place();
    const observations = Array.from({ length: 5000 }, (_, i) => ({
      sync_id: `obs-${i}`,
      session_id: "s",
      title: `t${i}`,
      content: `c${i}`,
      project: "p",
    }));
    const sessions = [{ id: "s", project: "p", directory: "/" }];
    writeFileSync(join(here.work, "large.json"), JSON.stringify({ version: "0.2.0", sessions, observations }));
    writeFileSync(
      join(here.work, "small.json"),
      JSON.stringify({ version: "0.2.0", sessions, observations: observations.slice(0, 9) }),
    );
    const imported = await onTerminal(here, ["import", "large.json"]);
    expect(imported).toMatchObject({ code: 0 });
    expect(imported.text).toContain("█");
    expect(imported.text).toContain("100 %");
    expect(imported.text).toContain("Observations: 5000");
    expect((await onTerminal(here, ["export", "out.json", "--all"])).text).toContain("█");
    expect((await onTerminal(here, ["import", "small.json"])).text).not.toContain("█");
    expect(await here.run(["import", "large.json"])).toMatchObject({ code: 0, stderr: "" });
    expect(await here.run(["export", "piped.json", "--all"])).toMatchObject({ code: 0, stderr: "" });
    expect(count(join(here.data, "engram.db"), "observations")).toBe(5000);
  });

  test("a search tells on standard error what it did", async () => {
    const here = await filled();
    const { text } = await onTerminal(here, ["search", "nothing-like-that", "--all"]);
    expect(text).toContain("No memories found");
    expect(text).toContain("searched every project");
  });
});
