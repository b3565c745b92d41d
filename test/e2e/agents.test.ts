// Real coding agents, offline: a scripted model on loopback makes them save a memory in one run and find it in the next.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { CLIENTS_KIT, type Client, fileOf, lacks, lacksKit, MCP_COMMAND } from "../support/clients.ts";
import { type Place, processesOf, usePlaces } from "../support/process.ts";
import { describeUnless } from "../support/skip.ts";

const CLAUDE: Client = { package: "@anthropic-ai/claude-code-linux-x64", version: "2.1.325", file: "claude" };
const OPENCODE: Client = { package: "opencode-linux-x64", version: "1.18.33", file: "bin/opencode" };

/** A run takes seconds; on a loaded machine, or without a network to be told so, much more. */
const RUN_MS = 120_000;
const AGENT_TEST_MS = 3 * RUN_MS;

interface Turn {
  req: { tools: string[]; messages: { role: string; text: string }[] };
}

interface Stub {
  url: string;
  /** What the model was sent, title and summary calls left out. */
  turns(): Turn[];
  close(): Promise<void>;
}

interface Prepared {
  project: string;
  env: Record<string, string>;
}

interface Kit {
  startStub(options: { script: Record<string, object[]> }): Promise<Stub>;
  claudeSetup(options: { root: string; stubUrl: string }): Prepared;
  opencodeProject(options: { root: string; stubUrl: string; mcp: object }): Prepared;
  runClient(
    command: string,
    args: string[],
    options: Pick<Prepared, "env"> & { cwd: string; timeoutMs: number },
  ): Promise<{ code: number | null; stdout: string; stderr: string }>;
}

async function loadKit(): Promise<Kit> {
  const files = ["llm-stub.mjs", "lib/claude.mjs", "lib/opencode.mjs", "lib/client.mjs"];
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(join(CLIENTS_KIT, file)).href) as Promise<object>));
  return Object.assign({}, ...modules) as Kit;
}

const place = usePlaces();

const SCRIPT = {
  save: [
    { tool: "mem_save", args: { title: "Quokka census", content: "The quokka lives in the cache layer", type: "discovery" } },
    { text: "saved it" },
  ],
  find: [{ tool: "mem_search", args: { query: "quokka" } }, { text: "found it" }],
};

/** How one agent is told about us and about the model, and what is typed into it. */
type Agent = (kit: Kit, here: Place, stub: Stub, prompt: string) => Prepared & { command: string; args: string[] };

const [command = "", ...args] = MCP_COMMAND;

const claude: Agent = (kit, here, stub, prompt) => {
  const config = join(here.root, "mcp.json");
  const engram = { command, args, env: { ENGRAM_DATA_DIR: here.data } };
  writeFileSync(config, JSON.stringify({ mcpServers: { engram } }));
  return {
    ...kit.claudeSetup({ root: here.root, stubUrl: stub.url }),
    command: fileOf(CLAUDE),
    args: [
      "-p",
      prompt,
      "--mcp-config",
      config,
      "--strict-mcp-config",
      "--allowedTools",
      "mcp__engram",
      "--output-format",
      "json",
    ],
  };
};

const opencode: Agent = (kit, here, stub, prompt) => {
  const engram = { type: "local", command: MCP_COMMAND, enabled: true, environment: { ENGRAM_DATA_DIR: here.data } };
  return {
    ...kit.opencodeProject({ root: here.root, stubUrl: stub.url, mcp: { engram } }),
    command: fileOf(OPENCODE),
    args: ["run", prompt],
  };
};

/** One run of an agent from start to end: the turns its model saw. */
async function run(agent: Agent, kit: Kit, here: Place, scenario: keyof typeof SCRIPT): Promise<Turn[]> {
  const stub = await kit.startStub({ script: SCRIPT });
  try {
    const { command, args, project, env } = agent(kit, here, stub, `please do this: [[${scenario}]]`);
    const settings = { ...env, GIT_CEILING_DIRECTORIES: here.root };
    const { code, stdout, stderr } = await kit.runClient(command, args, { cwd: project, env: settings, timeoutMs: RUN_MS });
    expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
    return stub.turns();
  } finally {
    await stub.close();
  }
}

/** Everything carries the place in its environment, whoever started it; a moment for those that are just ending. */
async function leftBehind(here: Place): Promise<number[]> {
  for (let tries = 100; tries > 0 && processesOf(here).length > 0; tries--) await Bun.sleep(20);
  return processesOf(here);
}

const lastMessage = (turns: Turn[]) => turns.at(-1)?.req.messages.at(-1)?.text ?? "";
const offered = (turns: Turn[]) => (turns[0]?.req.tools ?? []).filter((name) => /mem_[a-z_]+$/.test(name));

for (const { name, client, agent } of [
  { name: "Claude Code", client: CLAUDE, agent: claude },
  { name: "OpenCode", client: OPENCODE, agent: opencode },
]) {
  describeUnless(lacksKit() ?? lacks(client), `real ${name} with engram mcp`, () => {
    test(
      "saves a memory in one run and finds it in the next, and leaves no process behind",
      async () => {
        const here = place();
        const kit = await loadKit();

        const saved = await run(agent, kit, here, "save");
        expect(offered(saved)).toHaveLength(19);
        expect(JSON.parse(lastMessage(saved))).toMatchObject({
          id: 1,
          result: expect.stringContaining('Memory saved: "Quokka census" (discovery)'),
        });
        expect(await leftBehind(here)).toEqual([]);

        const found = await run(agent, kit, here, "find");
        expect(offered(found)).toHaveLength(19);
        expect(JSON.parse(lastMessage(found))).toMatchObject({
          result: expect.stringContaining("The quokka lives in the cache layer"),
          results: [{ id: 1 }],
        });
        expect(await leftBehind(here)).toEqual([]);
      },
      AGENT_TEST_MS,
    );
  });
}
