// What the protocol's own tools say: the official conformance suite over HTTP, the inspector over both transports.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { type Client, fileOf, lacks, lacksNode, MCP_COMMAND, NODE } from "../support/clients.ts";
import { type Place, PROGRAM, ROOT, usePlaces } from "../support/process.ts";
import { describeUnless } from "../support/skip.ts";

const CONFORMANCE: Client = { package: "@modelcontextprotocol/conformance", version: "0.1.16", file: "dist/index.js" };
const INSPECTOR: Client = {
  package: "@modelcontextprotocol/inspector",
  version: "2.12.0",
  file: "clients/launcher/build/index.js",
};
const EXPECTED_FAILURES = join(ROOT, "test", "e2e", "conformance-expected-failures.yml");

/** Scenarios that ask for nothing only a test server has, and how many of their checks must pass. */
const ANY_SERVER: [scenario: string, passed: number][] = [
  ["server-initialize", 1],
  ["ping", 1],
  ["tools-list", 1],
  // Without sessions there is nothing to check: the suite warns and stops.
  ["server-sse-multiple-streams", 0],
  ["dns-rebinding-protection", 2],
  ["resources-list", 1],
  ["prompts-list", 1],
];

const place = usePlaces();
const runWithNode = (here: Place, client: Client, args: string[]) =>
  here.run(args, { program: [NODE ?? "node", fileOf(client)] });
const plain = (text: string): string => text.replace(/\u001b\[[0-9;]*m/g, "");

describeUnless(lacksNode() ?? lacks(CONFORMANCE), "the official conformance suite against /mcp", () => {
  for (const [scenario, passed] of ANY_SERVER) {
    test(`${scenario} has no failed check`, async () => {
      const here = place();
      const { url } = await here.serve();
      const { code, stdout, stderr } = await runWithNode(here, CONFORMANCE, [
        "server",
        "--url",
        `${url}/mcp`,
        "--scenario",
        scenario,
      ]);
      const said = plain(stdout);
      expect({ code, said, stderr }).toMatchObject({
        code: 0,
        said: expect.stringContaining(`Passed: ${passed}/${passed}, 0 failed`),
      });
    });
  }

  test("the whole suite fails only where conformance-expected-failures.yml says so", async () => {
    const here = place();
    const { url } = await here.serve();
    const words = ["server", "--url", `${url}/mcp`, "--suite", "all", "--expected-failures", EXPECTED_FAILURES];
    const { code, stdout, stderr } = await runWithNode(here, CONFORMANCE, words);
    const said = plain(stdout);
    const summary = said.slice(said.indexOf("=== SUMMARY ==="));
    expect({ code, summary, stderr }).toMatchObject({
      code: 0,
      summary: expect.stringMatching(/\nTotal: \d+ passed, \d+ failed\n/),
    });
  });
});

describeUnless(lacksNode() ?? lacks(INSPECTOR), "the MCP inspector's strict look at the tools", () => {
  const LIST = ["--method", "tools/list", "--strict"];
  const inspect = async (here: Place, words: string[]): Promise<string[]> => {
    const { code, stdout, stderr } = await runWithNode(here, INSPECTOR, ["--cli", ...words, ...LIST]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return (JSON.parse(stdout) as { tools: { name: string }[] }).tools.map(({ name }) => name);
  };

  test("finds nothing to complain about over standard streams", async () => {
    expect(await inspect(place(), MCP_COMMAND)).toHaveLength(19);
    expect(await inspect(place(), [PROGRAM, "mcp"])).toHaveLength(23);
  });

  test("finds nothing to complain about over HTTP", async () => {
    const here = place();
    const { url } = await here.serve();
    expect(await inspect(here, [`${url}/mcp`])).toHaveLength(23);
  });
});
