// The completion script for zsh.
import type { CompletedCommand, CompletedOption, CompletedProgram } from './words.ts';

export function zshCompletion({ commands, options }: CompletedProgram): string {
  return `#compdef ollm
# Completion of ollm for zsh. Put this into ~/.zshrc: source <(ollm completion zsh)
_ollm_ids() {
  local -a ids
  ids=(@last \${(f)"$(ollm completion ids 2>/dev/null)"})
  compadd -a ids
}
_ollm() {
  local -a commands global
  commands=(
${commands.map(({ name, description }) => `    ${quoted(`${name}:${description}`)}`).join('\n')}
  )
  global=(
${options.map((option) => `    ${optionSpec(option)}`).join('\n')}
  )
  local position=2
  while [[ "\${words[position]}" == -* && position -lt CURRENT ]]; do (( position++ )); done
  if (( CURRENT <= position )); then
    _describe command commands
    _arguments $global
    return
  fi
  case "\${words[position]}" in
${commands.map(commandCase).join('\n')}
  esac
}
compdef _ollm ollm
`;
}

function commandCase({ name, options, subcommands, choices, takesSession }: CompletedCommand): string {
  const specs = options.map(optionSpec);
  const words = [...subcommands, ...choices];
  if (words.length > 0) specs.push(quoted(`*:word:(${words.join(' ')})`));
  if (takesSession) specs.push(quoted('*:session:_ollm_ids'));
  return `    ${name}) _arguments $global ${specs.join(' ')} ;;`;
}

function optionSpec({ long, description, value }: CompletedOption): string {
  const text = `${long}[${description.replace(/[[\]:]/g, ' ')}]`;
  return quoted(value === undefined ? text : `${text}:value:${action(value)}`);
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
