// The commands about messages: read them, take them back, ask again, write one in an editor.
import { retryTurn, undoTurn } from '../../app/sessions/change/undo-turn.ts';
import { findMessage } from '../../app/sessions/read/find-message.ts';
import { searchHistory } from '../../app/sessions/read/search-history.ts';
import { spanOf } from '../../display/paint.ts';
import { sanitize, sanitizeLine } from '../../display/sanitize.ts';
import { shortId } from '../../display/short-id.ts';
import { fitWidth } from '../../display/width.ts';
import { OllmError } from '../../errors/index.ts';
import type { Role } from '../../messages/index.ts';
import { countedEntries } from '../../projections/timeline.ts';
import { textOf } from '../earlier-messages.ts';
import type { CommandContext, ReplCommand } from './command.ts';

const DEFAULT_COUNT = 10;
const MOST_MATCHES = 20;
const LONGEST_LINE = 200;

export const historyCommand: ReplCommand = {
  name: 'history',
  group: 'conversation',
  arguments: '[N | WORDS]',
  summary: 'lists the last messages, or those with these words; shows message N whole',
  details: 'N is the number in front of a message in these lists',
  example: '/history 12',
  legal: 'always',
  async run(context, argument) {
    const wanted = argument.trim();
    if (wanted === '') listLast(context, DEFAULT_COUNT);
    else if (/^\d+$/.test(wanted)) await showOne(context, Number(wanted));
    else await search(context, wanted);
  },
};

async function showOne({ front, conversation, signal }: CommandContext, seq: number): Promise<void> {
  const { store, session } = conversation;
  const found = await findMessage(store, session.id, seq, signal);
  if (found === undefined) {
    throw new OllmError('USAGE', `${seq} is not the number of a message.`, {
      hint: '/history lists the last messages with their numbers; /history WORDS finds others.',
    });
  }
  await front.show([{ kind: found.role === 'user' ? 'user' : 'answer', text: found.text }]);
}

function listLast({ front, conversation }: CommandContext, count: number): void {
  const { timeline } = conversation.session.states.view;
  const messages = countedEntries(timeline).flatMap((item) =>
    item.kind === 'message' && item.pinned === undefined ? [item] : [],
  );
  if (messages.length === 0) front.print('Nothing has been said yet.');
  for (const { role, seq, parts } of messages.slice(-count)) printMessage(front, { role, seq, text: textOf(parts) });
  if (count > messages.length && timeline.forgotten.length > 0) {
    front.print(`Older messages are in the journal: /export, or ollm replay ${shortId(conversation.session.id)}.`);
  }
}

async function search({ front, conversation, signal }: CommandContext, text: string): Promise<void> {
  const words = text.toLowerCase().split(/\s+/);
  const { store, session } = conversation;
  const matches = await searchHistory(store, session.id, words, { limit: MOST_MATCHES, signal });
  if (matches.length === 0) front.print('No message has these words.');
  for (const match of matches.toReversed()) printMessage(front, match);
}

/** On one line. */
export function printMessage(
  front: CommandContext['front'],
  { role, seq, text }: { readonly role: Role; readonly seq: number; readonly text: string },
): void {
  const columns = Math.min(LONGEST_LINE, front.columns);
  const start = `${String(seq).padStart(4)} ${role === 'assistant' ? 'model' : role}: `;
  front.print([spanOf(start, 'dim'), spanOf(fitWidth(sanitizeLine(text), columns - start.length))]);
}

export const undoCommand: ReplCommand = {
  name: 'undo',
  aliases: ['rewind'],
  group: 'conversation',
  arguments: '',
  summary: 'goes back to the state before the last turn; may be repeated',
  details:
    'The model no longer sees that turn. The journal keeps it. Files that its tools changed stay changed, unless you say yes to putting them back',
  example: '/undo',
  legal: 'after-a-turn',
  async run(context) {
    const { app, front, conversation, leader } = context;
    const undone = await leader.run(app.ids.uuid(), undoTurn);
    if (!undone) throw new OllmError('USAGE', 'There is no turn left to undo.');
    front.print(`Undone: ${fitWidth(sanitizeLine(undone.text), 200)}`);
    const { hasEffects } = await import('../../app/sessions/change/revert-files.ts');
    const { since } = undone;
    if (!(await hasEffects({ id: conversation.session.id, store: conversation.store }, since))) return;
    await (await import('./offer-revert.ts')).offerRevert(context, { since });
  },
};

export const retryCommand: ReplCommand = {
  name: 'retry',
  group: 'conversation',
  arguments: '',
  summary: 'asks the last question again',
  details:
    'The model does not see its earlier answer; the journal keeps it. Switch with /model first to ask another one',
  example: '/retry',
  legal: 'after-a-turn',
  async run({ app, leader }) {
    const input = await leader.run(app.ids.uuid(), retryTurn);
    if (!input) throw new OllmError('USAGE', 'There is no turn to ask again.');
    return { type: 'ask', input };
  },
};

export const editorCommand: ReplCommand = {
  name: 'editor',
  group: 'conversation',
  arguments: '[TEXT]',
  summary: 'opens $VISUAL, $EDITOR, vi or nano, and sends the text that you save there',
  details: 'The file begins with TEXT. An empty file, or an editor that fails, sends nothing',
  example: '/editor Compare these two:',
  legal: 'writable',
  async run({ front, signal }, argument) {
    const { externalEditor } = front;
    if (externalEditor === undefined) throw noEditor(front.kind);
    const text = (await externalEditor.edit(argument, { extension: 'md', signal })).trimEnd();
    if (text.trim() === '') {
      front.notice('Nothing was written, and nothing is sent.');
      return;
    }
    return { type: 'message', text };
  },
};

function noEditor(kind: 'terminal' | 'pipe'): OllmError {
  if (kind === 'pipe') return new OllmError('USAGE', '/editor needs a terminal.');
  return new OllmError('EDITOR_FAILED', 'No editor is named, and neither vi nor nano is installed.', {
    hint: 'Set VISUAL or EDITOR, as in: EDITOR=nano ollm repl',
  });
}

export const reasoningCommand: ReplCommand = {
  name: 'reasoning',
  group: 'conversation',
  arguments: '[on | off]',
  summary: 'shows the reasoning before the last answer; on always shows it',
  details: 'While it is off, one line says that the model is thinking. Some providers do not send their reasoning',
  example: '/reasoning on',
  legal: 'always',
  actions: {
    '': { run: showReasoning },
    on: { run: async (context) => switchReasoning(context, true) },
    off: { run: async (context) => switchReasoning(context, false) },
  },
};

async function showReasoning({ front, conversation }: CommandContext): Promise<void> {
  const { findReasoning } = await import('../../app/tools/tool-outputs.ts');
  const text = await findReasoning(conversation.store, conversation.session.id);
  if (text === undefined) front.print('The last answer came without any thinking that could be shown.');
  else front.print(...sanitize(text.trim()).split('\n'));
}

function switchReasoning({ front }: CommandContext, isOn: boolean): void {
  front.switches.reasoning = isOn;
  front.print(isOn ? 'Thinking is shown as it arrives.' : 'Thinking is one line.');
}
