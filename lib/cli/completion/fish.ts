// The completion script for fish.
import type { CompletedCommand, CompletedOption, CompletedProgram } from './completable.ts';

export function fishCompletion({ commands, options }: CompletedProgram): string {
  const lines = [
    '# Completion of ollm for fish. Put this into ~/.config/fish/config.fish: ollm completion fish | source',
    'complete -c ollm -f',
    ...options.map((option) => optionLine('', option)),
    ...commands.flatMap(commandLines),
  ];
  return `${lines.join('\n')}\n`;
}

function commandLines({ name, description, options, subcommands, choices, takesSession }: CompletedCommand): string[] {
  const within = ` -n '__fish_seen_subcommand_from ${name}'`;
  const words = [...subcommands, ...choices];
  return [
    `complete -c ollm -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`,
    ...options.map((option) => optionLine(within, option)),
    ...(words.length > 0 ? [`complete -c ollm${within} -a ${quoted(words.join(' '))}`] : []),
    ...(takesSession
      ? [`complete -c ollm${within} -a '@last (ollm completion ids -- (commandline -ct) 2>/dev/null)'`]
      : []),
  ];
}

function optionLine(within: string, { long, short, description, value }: CompletedOption): string {
  const flags = `-l ${long.slice(2)}${short ? ` -s ${short.slice(1)}` : ''}`;
  return `complete -c ollm${within} ${flags}${value ? ` ${action(value)}` : ''} -d ${quoted(description)}`;
}

function action(value: NonNullable<CompletedOption['value']>): string {
  switch (value.kind) {
    case 'choices':
      return `-xa ${quoted(value.choices.join(' '))}`;
    case 'session':
      return `-xa '@last (ollm completion ids -- (commandline -ct) 2>/dev/null)'`;
    case 'file':
      return '-rF';
    case 'directory':
      return `-xa '(__fish_complete_directories)'`;
    case 'other':
      return '-x';
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
