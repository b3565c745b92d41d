// Shell completions, made from the command table: words by position, options by command.
import type { CliCommand } from "../../registry/cli.ts";
import { COMMON_OPTIONS } from "./arguments.ts";

type Shell = "bash" | "zsh" | "fish";

interface Entry {
  words: string;
  summary: string;
  options: { name: string; help: string; takesValue: boolean }[];
}

const entries = (commands: CliCommand[]): Entry[] =>
  commands
    .filter((command) => !command.hidden)
    .map((command) => ({
      words: command.command,
      summary: command.summary,
      options: [...command.options, ...COMMON_OPTIONS].map(({ name, help, value }) => ({
        name,
        help,
        takesValue: value !== undefined,
      })),
    }));

/** Words that may follow a prefix of command words, "" being the start. */
function children(list: Entry[]): Map<string, string[]> {
  const map = new Map<string, string[]>();
  for (const { words } of list) {
    const parts = words.split(" ");
    const parent = parts.slice(0, -1).join(" ");
    map.set(parent, [...(map.get(parent) ?? []), parts.at(-1) as string]);
  }
  return map;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function bash(list: Entry[]): string {
  const next = [...children(list)].map(([parent, words]) => `    ${quoted(parent)}) words=${quoted(words.join(" "))} ;;`);
  const options = list.map(
    ({ words, options }) => `    ${quoted(words)}) options=${quoted(options.map(({ name }) => `--${name}`).join(" "))} ;;`,
  );
  return `# bash completion for engram: eval "$(engram completions bash)"
_engram() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" path="" words="" options="" i w
  for ((i = 1; i < COMP_CWORD; i++)); do
    w="\${COMP_WORDS[i]}"
    [[ "$w" == -* ]] && continue
    path="\${path:+$path }$w"
  done
  case "$path" in
${next.join("\n")}
  esac
  local known="$path"
  while [[ -n "$known" ]]; do
    case "$known" in
${options.map((line) => `  ${line}`).join("\n")}
    esac
    [[ -n "$options" ]] && break
    [[ "$known" == *" "* ]] && known="\${known% *}" || known=""
  done
  if [[ "$cur" == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$cur"))
  else COMPREPLY=($(compgen -W "$words" -- "$cur")); fi
}
complete -o default -F _engram engram
`;
}

function zsh(list: Entry[]): string {
  return `#compdef engram
# zsh completion for engram: eval "$(engram completions zsh)"
autoload -U +X bashcompinit && bashcompinit
${bash(list)}`;
}

function fish(list: Entry[]): string {
  const lines = list.flatMap(({ words, summary, options }) => {
    const parts = words.split(" ");
    const parent = parts.slice(0, -1);
    const here = parent.length === 0 ? "__fish_use_subcommand" : `__fish_seen_subcommand_from ${parent.join(" ")}`;
    return [
      `complete -c engram -n ${quoted(here)} -f -a ${quoted(parts.at(-1) as string)} -d ${quoted(summary)}`,
      ...options.map(
        ({ name, help, takesValue }) =>
          `complete -c engram -n ${quoted(`__fish_seen_subcommand_from ${parts.at(-1)}`)} -l ${name}${takesValue ? " -r" : ""} -d ${quoted(help)}`,
      ),
    ];
  });
  return `# fish completion for engram: engram completions fish | source\n${[...new Set(lines)].join("\n")}\n`;
}

export const completionScript = (shell: Shell, commands: CliCommand[]): string => ({ bash, zsh, fish })[shell](entries(commands));
