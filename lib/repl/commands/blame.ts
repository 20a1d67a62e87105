// `/blame FILE[:LINE]`: which conversation wrote lines of a file.
import { resolve } from 'node:path';
import { spanOf } from '../../display/paint.ts';
import { pathCandidates } from '../input/path-candidates.ts';
import { keepingApp, type ReplCommand, wrongUsage } from './command.ts';

const MOST_LINES = 200;

export const blameCommand: ReplCommand = {
  name: 'blame',
  group: 'session',
  arguments: 'FILE[:LINE]',
  summary: 'shows which conversation wrote lines of a file',
  details: `= is certain, ~ likely; /load opens a session. At most ${MOST_LINES} lines are shown: FILE:40-44 names some`,
  example: '/blame src/limit.ts:40-44',
  legal: 'always',
  complete: ({ app }, argument) => pathCandidates(app.fileSystem, app.cwd, argument),
  async run(context, argument) {
    if (argument.trim() === '') throw wrongUsage(blameCommand, 'Which file?');
    const app = keepingApp(context);
    const { front, signal } = context;
    const { blameFile } = await import('../../app/blame/blame-file.ts');
    const text = await import('../../app/blame/blame-text.ts');
    const isThere = (path: string) => app.fileSystem.stat(resolve(app.cwd, path)) !== undefined;
    const { lines, notes } = await blameFile(app, { ...text.blamePlace(argument.trim(), isThere), signal });
    const promptOf = text.promptShower(await app.redactor({ onRequest: true }));
    const shown = lines.slice(0, MOST_LINES);
    for (const row of text.blameRows(shown)) front.print([spanOf(row.head, 'dim'), spanOf(`  ${row.text}`)]);
    front.print('');
    for (const row of text.blameSummary(shown, promptOf)) front.print(row);
    if (shown.length < lines.length)
      front.notice(`${lines.length - shown.length} more lines: name some, as FILE:40-44.`);
    for (const note of notes) front.notice(note);
  },
};
