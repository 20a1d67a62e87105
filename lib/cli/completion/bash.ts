// The completion script for bash. It offers commands, flags and ids, which need no quotes. Names of files are left to
// bash itself: where the script offers nothing, "complete -o default" completes a name and quotes it.
import type { CompletedCommand, CompletedOption, CompletedProgram } from './completable.ts';

export function bashCompletion({ commands, options }: CompletedProgram): string {
  const names = commands.map(({ name }) => name);
  return `# Completion of ollm for bash. Put this into ~/.bashrc: source <(ollm completion bash)
_ollm() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" command="" word typed colon=""
  # For bash a colon ends a word; an address continues behind it.
  typed="\${COMP_LINE:0:COMP_POINT}"
  typed="\${typed##*[[:space:]]}"
  [[ "$typed" == *:* ]] && colon="\${typed%:*}:"
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in
      ${names.join('|')}) command="$word"; break ;;
    esac
  done
  case "$command:$prev" in
${[...valueCases('*', options), ...commands.flatMap((command) => valueCases(command.name, command.options))].join('\n')}
  esac
  case "$command" in
    "") word="${[...names, 'help', ...flagsOf(options)].join(' ')}" ;;
${commands.map((command) => wordsCase(command, options)).join('\n')}
  esac
  [[ "$typed" == -* ]] || cur="$typed"
  COMPREPLY=($(compgen -W "$word" -- "$cur"))
  [[ "\${COMPREPLY[0]}" == *: ]] && compopt -o nospace 2>/dev/null
  COMPREPLY=("\${COMPREPLY[@]#"$colon"}")
}
complete -o default -F _ollm ollm
`;
}

function valueCases(command: string, options: readonly CompletedOption[]): string[] {
  return options.flatMap(({ long, short, value }) => {
    if (!value || value.kind === 'other') return [];
    const patterns = [long, short].filter(Boolean).map((flag) => `${command}:${flag}`);
    return [`    ${patterns.join('|')}) ${answer(value)} ;;`];
  });
}

function answer(value: NonNullable<CompletedOption['value']>): string {
  switch (value.kind) {
    case 'choices':
      return `COMPREPLY=($(compgen -W "${value.choices.join(' ')}" -- "$cur")); return`;
    case 'session':
      return 'word="@last $(ollm completion ids -- "$typed" 2>/dev/null)"; command=":"';
    case 'directory':
      // An older bash has no compopt; it offers files too.
      return 'compopt -o dirnames 2>/dev/null; return';
    case 'file':
    case 'other':
      return 'return';
  }
}

function wordsCase(
  { name, options, subcommands, choices, takesSession }: CompletedCommand,
  global: readonly CompletedOption[],
): string {
  const flags = [...flagsOf(options), ...flagsOf(global), '--help'].join(' ');
  const others = [
    ...subcommands,
    ...choices,
    takesSession ? '@last $(ollm completion ids -- "$typed" 2>/dev/null)' : '',
  ]
    .filter(Boolean)
    .join(' ');
  return `    ${name}) if [[ "$cur" == -* ]]; then word="${flags}"; else word="${others}"; fi ;;`;
}

function flagsOf(options: readonly CompletedOption[]): string[] {
  return options.map(({ long }) => long);
}
