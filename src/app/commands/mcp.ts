// `engram mcp`: the tools over standard input and output, for one agent, without a server.
import { type CliCommand, UsageError } from "../../registry/cli.ts";
import { readConfig } from "../config.ts";
import { createRuntime } from "../runtime.ts";

const DRAIN_MS = 5000;
const PARENT_CHECK_MS = 500;

/** Standard input has ended, a signal came, or the parent died without closing the pipe. */
const untilOver = (closed: Promise<void>): Promise<void> =>
  new Promise((resolve) => {
    const parent = process.ppid;
    const watch = setInterval(() => {
      if (process.ppid !== parent) done();
    }, PARENT_CHECK_MS);
    const done = () => {
      clearInterval(watch);
      resolve();
    };
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, done);
    void closed.then(done);
  });

const mcp: CliCommand = {
  command: "mcp",
  usage: "[--tools=LIST] [--project NAME]",
  summary: "Serve MCP over standard input and output, for an agent's configuration",
  options: [
    { name: "tools", value: "LIST", help: "profiles (agent, admin, all) and tool names between commas; default: everything" },
    { name: "project", value: "NAME", help: "the project of this process, instead of the directory's" },
  ],
  operations: [],
  optionalValues: ["tools"],
  missingValue: (option) => `engram: ${option} requires a value`,
  async run(args, cli) {
    if (args.words.length > 0)
      throw new UsageError(`unexpected argument(s): ${args.words.map((word) => JSON.stringify(word)).join(" ")}`);
    const project = args.value("project");
    if (args.has("project") && !project?.trim())
      throw new UsageError("engram: --project requires a value", { verbatim: true, showUsage: false });
    const config = readConfig();
    const runtime = createRuntime(project === undefined ? config : { ...config, project });
    const [{ mcpHost, selectTools }, { createMcpServer }, { serveLines }] = await Promise.all([
      import("../mcp.ts"),
      import("../../surfaces/mcp/server.ts"),
      import("../../surfaces/mcp/stdio.ts"),
    ]);
    const host = await mcpHost(runtime, selectTools(args.value("tools")), cli.cwd);
    const misunderstood = (error: unknown) =>
      config.debug ? runtime.reportError(error) : cli.note("engram: a message that is not MCP was ignored\n");
    const connection = serveLines(() => createMcpServer(host), misunderstood);
    await untilOver(connection.closed);
    await Promise.race([connection.drained(), new Promise((resolve) => setTimeout(resolve, DRAIN_MS))]);
    runtime.close();
    return 0;
  },
};

export const mcpCommands: CliCommand[] = [mcp];
