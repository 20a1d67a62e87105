// /queue: messages entered during a turn, which wait for its end. It runs at once, during the turn.
import { sanitizeLine } from '../../display/sanitize.ts';
import { fitWidth } from '../../display/width.ts';
import { type Entered, textOfEntered, textOfWhole } from '../entered.ts';
import type { Front } from '../front.ts';
import { type CommandContext, type ReplCommand, wrongUsage } from './command.ts';
import { formatRows, type LabelledRow } from './rows.ts';

const LONGEST = 200;

export const queueCommand: ReplCommand = {
  name: 'queue',
  group: 'conversation',
  arguments: '[rm N | edit N | clear | send]',
  summary: 'shows what you entered while a turn runs; removes, changes or sends it',
  details:
    'It is sent when the turn has ended. Arrow-up in the empty line takes the last one back to change it, as /queue edit N does. Messages that wait are in the journal, and offered again when the session continues. After a turn that failed or was cancelled it waits for /queue send, or for Enter at an empty line',
  example: '/queue rm 1',
  legal: 'always',
  isImmediate: true,
  actions: {
    '': { run: async (context) => show(context) },
    rm: {
      takesText: true,
      run: async (context, text) => remove(context, text.trim()),
    },
    edit: {
      takesText: true,
      run: async (context, text) => edit(context, text.trim()),
    },
    clear: {
      async run({ front }) {
        front.queue.clear();
        front.print('Nothing is queued.');
      },
    },
    send: { run: async ({ front }) => front.queue.resume() },
  },
};

function show({ front }: CommandContext): void {
  const { entries, steering, isResting } = front.queue;
  if (entries.length + steering.length === 0) {
    front.print('Nothing is queued.');
    return;
  }
  const short = (text: string) => fitWidth(sanitizeLine(text), LONGEST);
  const rows = [
    ...steering.map(({ typed }): LabelledRow => ['now', short(typed)]),
    ...entries.map((entered, index): LabelledRow => [String(index + 1), short(textOfEntered(entered))]),
  ];
  front.print(...formatRows(front.columns, rows));
  front.print(
    isResting
      ? 'Enter at the empty line, or /queue send, sends the next; /queue edit N changes one, /queue rm N removes one.'
      : '/queue edit N changes one, /queue rm N removes one.',
  );
}

function remove({ front }: CommandContext, text: string): void {
  taken(front, text);
  front.print(`Message ${text} is removed.`);
}

/** It comes back into the line, and waits no longer. */
function edit({ front }: CommandContext, text: string): void {
  if (front.prefill === undefined) throw wrongUsage(queueCommand, 'A message can be changed only at a terminal.');
  front.prefill(textOfWhole(taken(front, text)));
}

function taken({ queue }: Pick<Front, 'queue'>, text: string): Entered {
  if (!/^\d+$/.test(text)) throw wrongUsage(queueCommand, 'Which one? /queue shows their numbers.');
  const removed = queue.remove(Number(text));
  if (removed === undefined) throw wrongUsage(queueCommand, `No message ${text} waits.`);
  return removed;
}
