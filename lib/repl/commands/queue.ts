// /queue: what was entered while a turn runs and waits for its end. It runs at once, beside the turn.
import { sanitizeLine } from '../../display/sanitize.ts';
import { fitWidth } from '../../display/width.ts';
import { textOfEntered } from '../entered.ts';
import { type CommandContext, type ReplCommand, wrongUsage } from './command.ts';
import { formatRows, type Row } from './rows.ts';

const LONGEST = 200;

export const queueCommand: ReplCommand = {
  name: 'queue',
  group: 'conversation',
  arguments: '[rm N | clear | send]',
  summary: 'shows what you entered while a turn runs; removes or sends it',
  details:
    'It is sent when the turn has ended. After a turn that failed or was cancelled it waits for /queue send, or for Enter at an empty line',
  example: '/queue rm 1',
  legal: 'always',
  isImmediate: true,
  actions: {
    '': { run: async (context) => show(context) },
    rm: {
      takesText: true,
      run: async (context, text) => remove(context, text.trim()),
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
    ...steering.map(({ typed }): Row => ['now', short(typed)]),
    ...entries.map((entered, index): Row => [String(index + 1), short(textOfEntered(entered))]),
  ];
  front.print(...formatRows(rows, front.columns));
  front.print(
    isResting
      ? 'Enter at the empty line, or /queue send, sends the next; /queue rm N removes one.'
      : '/queue rm N removes one.',
  );
}

function remove({ front }: CommandContext, text: string): void {
  if (!/^\d+$/.test(text)) throw wrongUsage(queueCommand, 'Which one? /queue shows their numbers.');
  if (!front.queue.remove(Number(text))) throw wrongUsage(queueCommand, `There is no queued message ${text}.`);
  front.print(`Message ${text} is removed.`);
}
