// The completion script for zsh. Names of files come from _files, which quotes them.
import type { CompletedCommand, CompletedOption, CompletedProgram } from './completable.ts';

export function zshCompletion({ commands, options }: CompletedProgram): string {
  return `#compdef ollm
# Completion of ollm for zsh. Put this into ~/.zshrc: source <(ollm completion zsh)
_ollm_ids() {
  local -a ids
  ids=(@last \${(f)"$(ollm completion ids -- "$PREFIX" 2>/dev/null)"})
  compadd -S '' -- \${(M)ids:#*:}
  compadd -- \${ids:#*:}
}
_ollm() {
  local curcontext="$curcontext" state line
  local -a commands global
  commands=(
${commands.map(({ name, description }) => `    ${quoted(`${name}:${description}`)}`).join('\n')}
  )
  global=(
${options.map((option) => `    ${optionSpec(option)}`).join('\n')}
  )
  _arguments -C $global '1:command:->command' '*::argument:->argument'
  case "$state" in
    command) _describe command commands ;;
    argument)
      # From here on the first word is the command.
      case "\${words[1]}" in
${commands.map(commandCase).join('\n')}
      esac ;;
  esac
}
compdef _ollm ollm
`;
}

function commandCase({ name, options, subcommands, choices, takesSession }: CompletedCommand): string {
  const specs = options.map(optionSpec);
  const words = [...subcommands, ...choices];
  if (words.length > 0) specs.push(quoted(`1:word:(${words.join(' ')})`));
  if (takesSession) specs.push(quoted('*:session:_ollm_ids'));
  return `        ${name}) _arguments $global ${specs.join(' ')} ;;`;
}

/** `'(-o --output)'{-o,--output}'[the file]:value:_files'` */
function optionSpec({ long, short, description, value }: CompletedOption): string {
  const text = `[${description.replace(/[[\]:]/g, ' ')}]`;
  const rest = quoted(value === undefined ? text : `${text}:value:${action(value)}`);
  return short === undefined ? `${long}${rest}` : `${quoted(`(${short} ${long})`)}{${short},${long}}${rest}`;
}

function action(value: NonNullable<CompletedOption['value']>): string {
  switch (value.kind) {
    case 'choices':
      return `(${value.choices.join(' ')})`;
    case 'session':
      return '_ollm_ids';
    case 'file':
      return '_files';
    case 'directory':
      return '_files -/';
    case 'other':
      return ' ';
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
