// Everything the environment may say, read here and nowhere else.
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { EngramError } from "../kernel/errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export const DEFAULT_PORT = 7437;

export interface Config {
  /** Absolute; an unusable ENGRAM_DATA_DIR is an error at the moment it is needed. */
  dataDirectory(): string;
  port: number;
  socket: string | undefined;
  /** Default project of this process: beats the directory, loses to an explicit name. */
  project: string | undefined;
  /** Read at every use: a running server follows changes made by its own process. */
  httpToken(): string | undefined;
  timeZone: string | undefined;
  gitCeilings: string[];
  /** Stack traces on unexpected errors. */
  debug: boolean;
  colour: boolean;
}

const present = (value: string | undefined): string | undefined =>
  value === undefined || value.trim() === "" ? undefined : value;

export function parsePort(value: string | undefined): number | undefined {
  const port = value !== undefined && /^\d{1,5}$/.test(value.trim()) ? Number(value) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}

export function readConfig(env: Environment = process.env): Config {
  return {
    dataDirectory() {
      const given = present(env.ENGRAM_DATA_DIR);
      if (given === undefined) return join(present(env.HOME) ?? homedir(), ".engram");
      if (!isAbsolute(given))
        throw new EngramError("unavailable", `ENGRAM_DATA_DIR must be an absolute path, got ${JSON.stringify(given)}`);
      return given;
    },
    port: parsePort(env.ENGRAM_PORT) ?? DEFAULT_PORT,
    socket: present(env.ENGRAM_SOCKET),
    project: present(env.ENGRAM_PROJECT),
    httpToken: () => present(env.ENGRAM_HTTP_TOKEN),
    timeZone: present(env.ENGRAM_TIMEZONE),
    gitCeilings: (env.GIT_CEILING_DIRECTORIES ?? "").split(delimiter).filter((path) => path !== ""),
    debug: present(env.ENGRAM_DEBUG) !== undefined,
    colour: !present(env.NO_COLOR) && env.TERM !== "dumb",
  };
}
