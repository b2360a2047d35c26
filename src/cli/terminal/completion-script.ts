import { helpOf } from "../../config/index.ts";
import { type Command, commonOptions } from "./command.ts";

/** Shells that complete commands and options. */
export const shells = ["bash", "zsh", "fish"] as const;

/** Of these shells. */
export type Shell = (typeof shells)[number];

const bash = `# bash completion for tidemark
_tidemark()
{
    local IFS=$'\\n'
    COMPREPLY=($(compgen -W "$(SHELL=/bin/bash tidemark --get-yargs-completions "\${COMP_WORDS[@]}" 2>/dev/null)" \\
        -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o bashdefault -o default -F _tidemark tidemark
`;

const zsh = `#compdef tidemark
# zsh completion for tidemark
_tidemark()
{
  local found
  found=("\${(@f)$(SHELL=/bin/zsh tidemark --get-yargs-completions "\${words[@]}" 2>/dev/null)}")
  if [[ \${#found} -gt 0 && -n "\${found[1]}" ]]; then
    _describe 'values' found
  else
    _default
  fi
}
if [[ "\${funcstack[1]}" = "_tidemark" ]]; then _tidemark "$@"; else compdef _tidemark tidemark; fi
`;

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}

/** All that fish is to know stands in its script: it starts no Node for each key. */
function formatFish(commands: readonly Command[]): string {
  const names = commands.map(({ usage }) => usage.split(" ")[0] ?? "");
  const lines = ["# fish completion for tidemark"];
  const add = (condition: string, rest: string) => lines.push(`complete -c tidemark -n ${quote(condition)} ${rest}`);
  for (const [at, { describe }] of commands.entries())
    add("__fish_use_subcommand", `-f -a ${names[at]} -d ${quote(describe)}`);
  add("__fish_use_subcommand", `-f -a completion -d ${quote("Print a script that completes commands and options")}`);
  add("__fish_seen_subcommand_from completion", `-f -a ${quote(shells.join(" "))}`);
  for (const [at, { options }] of commands.entries())
    for (const setting of Object.values({ ...options, ...commonOptions })) {
      const { option, alias, kind, isDeprecated } = setting;
      if (isDeprecated) continue;
      const needsValue = kind.form !== "flag" && kind.whenAlone === undefined ? " -r" : "";
      const letter = alias === undefined ? "" : ` -s ${alias}`;
      add(
        `__fish_seen_subcommand_from ${names[at]}`,
        `-l ${option}${letter}${needsValue} -d ${quote(helpOf(setting))}`,
      );
    }
  lines.push(
    "complete -c tidemark -f -s h -l help -d 'Show help'",
    "complete -c tidemark -f -l version -d 'Show the version'",
  );
  return `${lines.join("\n")}\n`;
}

/** The script with which a shell completes the commands and options of `tidemark`. */
export function formatCompletionScript(shell: Shell, commands: readonly Command[]): string {
  return { bash: () => bash, zsh: () => zsh, fish: () => formatFish(commands) }[shell]();
}
