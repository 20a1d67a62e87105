// `/recall WORDS`: the passages of sessions and project files that answer a question, and why each was found.
import { spanOf } from '../../display/paint.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import { fitWidth } from '../../display/width.ts';
import { keepingApp, type ReplCommand, wrongUsage } from './command.ts';

const MOST_PASSAGES = 5;
const SHOWN_LINES = 3;
const LONGEST_LINE = 200;

export const recallCommand: ReplCommand = {
  name: 'recall',
  group: 'session',
  arguments: 'WORDS',
  summary: 'finds passages of sessions and of the project that answer a question, and why',
  details: `The best ${MOST_PASSAGES} of this project are shown. ollm recall looks everywhere, and shows more`,
  example: '/recall why did the build fail',
  legal: 'always',
  async run(context, argument) {
    const text = argument.trim();
    if (text === '') throw wrongUsage(recallCommand, 'Which words?');
    const { recall, reasonOf } = await import('../../app/recall/recall.ts');
    const { front, signal } = context;
    const app = keepingApp(context);
    const scope = { project: app.paths.project };
    const { passages, notes } = await recall(app, { text, limit: MOST_PASSAGES, scope }, { signal });
    const columns = Math.min(LONGEST_LINE, front.columns);
    for (const passage of passages) {
      front.print([spanOf(sanitizeLine(passage.place), 'bold'), spanOf(`  ${sanitizeLine(reasonOf(passage))}`, 'dim')]);
      const lines = passage.quote.text.split('\n').filter((line) => line.trim() !== '');
      for (const line of lines.slice(0, SHOWN_LINES)) front.print(`  ${fitWidth(sanitizeLine(line), columns - 2)}`);
    }
    for (const sentence of notes) front.notice(sentence);
    if (passages.length === 0) front.print('No passage was found.');
  },
};
