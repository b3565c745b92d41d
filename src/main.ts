#!/usr/bin/env node
// Words to command. Imports are lazy, so that a hook pays for nothing it does not use; the one file that may exit the process.

async function main(): Promise<number> {
  const argv = process.argv.slice(2);
  const [{ commandsFor, allCommands }, { runCli }, { processTerminal }, { createRuntime }, { VERSION }] = await Promise.all([
    import("./app/catalogue.ts"),
    import("./surfaces/cli/host.ts"),
    import("./surfaces/cli/terminal.ts"),
    import("./app/runtime.ts"),
    import("./app/version.ts"),
  ]);
  const runtime = createRuntime();
  try {
    return await runCli(argv, {
      commandsFor,
      allCommands,
      version: VERSION,
      app: runtime.app,
      terminal: processTerminal(),
      cwd: process.cwd(),
      timeZone: runtime.config.timeZone,
      dataDirectory: runtime.config.dataDirectory,
      reportError: (error) => {
        if (runtime.config.debug) runtime.reportError(error);
      },
    });
  } finally {
    runtime.close();
  }
}

process.exit(await main());

export {};
