// /history: what was said, the newest last; or where words were said in this session, with the seq to fork or replay
// at.
import { searchHistory } from '../../app/sessions/search-history.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import { fitWidth } from '../../display/width.ts';
import type { Part, Role } from '../../messages/index.ts';
import { countedEntries } from '../../projections/timeline.ts';
import type { CommandContext, ReplCommand } from './command.ts';

const DEFAULT_COUNT = 10;
const MOST_MATCHES = 20;
const LONGEST_LINE = 200;

export const historyCommand: ReplCommand = {
  name: 'history',
  group: 'conversation',
  arguments: '[N | WORDS]',
  summary: 'shows the last messages, or those with these words',
  example: '/history 5',
  legal: 'always',
  async run(context, argument) {
    const wanted = argument.trim();
    if (wanted === '' || /^\d+$/.test(wanted)) showLast(context, Number(wanted) || DEFAULT_COUNT);
    else await search(context, wanted);
    return undefined;
  },
};

function showLast({ front, conversation }: CommandContext, count: number): void {
  const { timeline } = conversation.session.states.view;
  const messages = countedEntries(timeline).flatMap((item) =>
    item.kind === 'message' && item.pinned === undefined ? [item] : [],
  );
  if (messages.length === 0) front.print('Nothing was said yet.');
  for (const { role, seq, parts } of messages.slice(-count)) printMessage(front, { role, seq, text: textOf(parts) });
  if (count > messages.length && timeline.forgotten.length > 0) {
    front.print(`Older messages are in the journal: /export, or ollm replay ${conversation.session.id}.`);
  }
}

async function search({ front, conversation, signal }: CommandContext, text: string): Promise<void> {
  const words = text.toLowerCase().split(/\s+/);
  const { store, session } = conversation;
  const matches = await searchHistory(store, session.id, words, { limit: MOST_MATCHES, signal });
  if (matches.length === 0) front.print('No message has these words.');
  for (const match of matches.toReversed()) printMessage(front, match);
}

function printMessage(
  front: CommandContext['front'],
  { role, seq, text }: { readonly role: Role; readonly seq: number; readonly text: string },
): void {
  const columns = Math.min(LONGEST_LINE, front.columns);
  const start = `${String(seq).padStart(4)} ${role === 'assistant' ? 'model' : role}: `;
  front.print([
    { text: start, styles: ['dim'] },
    { text: fitWidth(sanitizeLine(text), columns - start.length), styles: [] },
  ]);
}

function textOf(parts: readonly Part[]): string {
  return parts
    .map((part) => {
      if (part.type === 'text') return part.text;
      return part.type === 'file' ? `[${part.name}]` : '';
    })
    .join(' ');
}
