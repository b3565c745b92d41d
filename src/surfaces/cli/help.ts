// Help and usage, made from the command table.
import type { CliCommand, CliOption } from "../../registry/cli.ts";
import { COMMON_OPTIONS } from "./arguments.ts";

export const usageLine = (command: CliCommand): string =>
  `usage: engram ${command.command}${command.usage ? ` ${command.usage}` : ""}`;

const optionLine = ({ name, short, value, help }: CliOption): string =>
  `  ${`${short ? `-${short}, ` : ""}--${name}${value ? ` ${value}` : ""}`.padEnd(22)} ${help}`;

export function commandHelp(command: CliCommand, commands: CliCommand[]): string {
  const below = commands.filter((other) => !other.hidden && other.command.startsWith(`${command.command} `));
  const lines = [usageLine(command), "", command.summary];
  if (command.details) lines.push("", command.details);
  lines.push("", "Options:", ...[...command.options, ...COMMON_OPTIONS].map(optionLine));
  if (below.length > 0)
    lines.push("", "Commands below it:", ...below.map((other) => `  engram ${other.command} ${other.usage}`.trimEnd()));
  return `${lines.join("\n")}\n`;
}

export function overview(commands: CliCommand[], version: string): string {
  const top = commands.filter((command) => !command.hidden && !command.command.includes(" "));
  const width = Math.max(...top.map((command) => command.command.length)) + 2;
  return `engram v${version} — memory for coding agents

Usage:
  engram <command> [arguments]

Commands:
${top.map((command) => `  ${command.command.padEnd(width)}${command.summary}`).join("\n")}

  engram <command> --help shows its options.

Environment:
  ENGRAM_DATA_DIR    where memories live (default ~/.engram)
  ENGRAM_PORT        port of engram serve (default 7437)
  ENGRAM_PROJECT     project of this process instead of the directory's
  ENGRAM_TIMEZONE    zone of displayed times
  NO_COLOR           plain output
`;
}
