// /compact: older messages make room in the window; the summary in their place; and the way back.
import { sanitize } from '../../display/sanitize.ts';
import type { CommandContext, ReplCommand } from './command.ts';
import { requireWritable } from './run.ts';

export const compactCommand: ReplCommand = {
  name: 'compact',
  aliases: ['compress'],
  group: 'context',
  arguments: '[--summary | --undo]',
  summary: 'makes room in the window by a summary of older messages',
  details:
    'ollm does it itself when the window is nearly full (services.compression). --summary shows the present summary, --undo brings the older messages back. Nothing leaves the journal',
  example: '/compact',
  legal: 'always',
  actions: { '': { run: compactNow }, '--summary': { run: showSummary }, '--undo': { run: undo } },
};

async function compactNow({ app, front, leader, conversation: opened, signal }: CommandContext): Promise<void> {
  requireWritable(opened);
  const { compactConversation } = await import('../../app/sessions/change/compact-conversation.ts');
  const result = await leader.run(app.ids.uuid(), (_app, conversation, stopped) =>
    compactConversation(app, conversation, { signal: AbortSignal.any([stopped, signal]) }),
  );
  if (result.kind === 'failed') throw result.error;
  if (result.kind === 'nothing-to-do') {
    front.print(
      `Nothing to compact: the newest message and the last ${app.config.services.compression.preserveRecent} tokens stay as they are (services.compression.preserveRecent), and there is no more than that.`,
    );
  }
  const { sentencesOf } = await import('../../turn/compaction/make-room.ts');
  for (const sentence of sentencesOf(result)) front.print(sentence);
}

async function showSummary({ front, conversation }: CommandContext): Promise<void> {
  const { standingSummary } = await import('../../app/sessions/change/compact-conversation.ts');
  const { last } = conversation.session.states.compaction;
  const summary = standingSummary(conversation);
  if (summary !== undefined) front.print(...sanitize(summary.text).split('\n'));
  else if (last === undefined) front.print('Nothing has been compacted yet.');
  else front.print('There is no summary now: the older messages were set aside without one, or were brought back.');
}

async function undo({ app, front, leader, conversation: opened }: CommandContext): Promise<void> {
  requireWritable(opened);
  const { undoCompaction } = await import('../../app/sessions/change/compact-conversation.ts');
  const seq = await leader.run(app.ids.uuid(), (_app, conversation) => undoCompaction(conversation));
  front.print(`The compaction at event ${seq} is taken back: the model sees those messages again.`);
}
