import type { AskedQuestion } from '../api/types.ts';
import { exact } from './visible.ts';

/** What is asked, in full, with each character that would not be seen as an escape. */
export function askedText({ call, summary }: Pick<AskedQuestion, 'call' | 'summary'>): string {
  const { command, preview } = call ?? {};
  if (command?.kind === 'shell') return exact(command.line);
  if (command?.kind === 'program') return command.argv.map(quoted).join(' ');
  if (preview !== undefined) return exact(preview.text === '' ? summary : preview.text);
  return exact(call ? JSON.stringify(call.args, undefined, 2) : summary);
}

/** One argument: two of them never look like one, nor one like two. */
function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${exact(argument).replaceAll("'", `'\\''`)}'`;
}
