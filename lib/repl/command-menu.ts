// The menu below a line that begins with a slash while it is typed: the possible commands with their summaries; after
// the word of a command, its usage.
import { type StyledLine, spanOf } from '../display/paint.ts';
import { fitWidth, textWidth } from '../display/width.ts';
import { type ReplCommand, usageOf } from './commands/command.ts';
import { MOST_LISTED, moreRow } from './menu-rows.ts';

const NAME_COLUMNS = 13;

/** Empty for a line that is not a command. */
export function commandMenu(commands: readonly ReplCommand[], text: string, columns: number): readonly StyledLine[] {
  if (!/^\/(?!\/)[^\n]*$/.test(text)) return [];
  const [word = ''] = /^\/\S*/.exec(text)!;
  const named = commands.filter(({ name, aliases = [] }) => [name, ...aliases].includes(word.slice(1)));
  if (/\s/.test(text)) return named.map((command) => usageRow(command, columns));
  const found = commands.filter(({ name, aliases = [] }) =>
    [name, ...aliases].some((each) => `/${each}`.startsWith(word)),
  );
  if (found.length === 1) return [usageRow(found[0]!, columns)];
  const more = found.length - MOST_LISTED;
  return [
    ...found.slice(0, MOST_LISTED).map((command) => commandRow(command, columns)),
    ...(found.length === 0 ? [] : [moreRow(more)]),
  ];
}

function commandRow({ name, summary }: ReplCommand, columns: number): StyledLine {
  return [
    spanOf(`/${name}`.padEnd(NAME_COLUMNS), 'cyan'),
    spanOf(fitWidth(summary, Math.max(1, columns - NAME_COLUMNS)), 'dim'),
  ];
}

function usageRow(command: ReplCommand, columns: number): StyledLine {
  const usage = fitWidth(usageOf(command), columns);
  const room = columns - textWidth(usage) - 2;
  return [spanOf(`${usage}  `, 'cyan'), spanOf(room > 0 ? fitWidth(command.summary, room) : '', 'dim')];
}
