// What one process shares between its hosts: configuration, the app, how to start itself again.
import { messageOf } from "../kernel/errors.ts";
import { type Config, readConfig } from "./config.ts";
import type { App } from "./open.ts";

export interface Runtime {
  config: Config;
  /** Opens nothing yet: the parts of an app open when first used. */
  app(): Promise<App>;
  close(): void;
  reportError(error: unknown): void;
}

export function createRuntime(config: Config = readConfig()): Runtime {
  let app: App | undefined;
  return {
    config,
    async app() {
      const { openApp } = await import("./open.ts");
      app ??= openApp(config);
      return app;
    },
    close() {
      app?.close();
      app = undefined;
    },
    reportError(error) {
      const text = config.debug && error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
      process.stderr.write(`engram: unexpected error: ${text}\n`);
    },
  };
}

/** The words that start this very program: the executable alone, or a runtime and its script. */
export function selfCommand(): string[] {
  const script = process.argv[1];
  const compiled = script === undefined || script.startsWith("/$bunfs/") || /^[A-Z]:[\\/]~BUN/i.test(script);
  return compiled ? [process.execPath] : [process.execPath, script];
}
