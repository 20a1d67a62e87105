// /diff: what tools changed in files. /revert: those files are put back, after the differences were shown and the user
// said yes.
// /undo offers the same for the turn that it takes back.
import type { ReplCommand } from './command.ts';
import { requireWritable } from './run.ts';

export const revertCommand: ReplCommand = {
  name: 'revert',
  group: 'tools',
  arguments: '[PATH …]',
  summary: 'puts files back that tools changed in this session',
  details:
    'Shows the differences and asks first. A file that was changed since then stays as it is. What programs changed cannot be put back: it names the calls that may have',
  example: '/revert src/main.ts',
  legal: 'always',
  async run(context, argument) {
    requireWritable(context.conversation);
    const paths = wordsOf(argument);
    const { offerRevert } = await import('./offer-revert.ts');
    await offerRevert(context, paths.length === 0 ? {} : { paths });
  },
};

export const diffCommand: ReplCommand = {
  name: 'diff',
  group: 'tools',
  arguments: '[PATH …]',
  summary: 'shows what tools changed in files in this session',
  details: 'Each file as one difference, from before the session to now. /revert puts them back',
  example: '/diff src',
  legal: 'always',
  async run(context, argument) {
    const paths = wordsOf(argument);
    const { showChanges } = await import('./offer-revert.ts');
    await showChanges(context, paths.length === 0 ? {} : { paths });
  },
};

/** Words, of which those in quotes may hold blanks. */
function wordsOf(text: string): string[] {
  return [...text.matchAll(/"([^"]+)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}
