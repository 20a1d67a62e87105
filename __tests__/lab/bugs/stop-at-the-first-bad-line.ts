import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'stop-at-the-first-bad-line',
  what: 'A reader ends at damage, and says nothing.',
  edits: [
    {
      file: 'lib/journal/reading/scan.ts',
      find: '    return examiner.examine(lines, step, after ? 0 : lines.count);',
      replace: `    const outcomes = examiner.examine(lines, step, after ? 0 : lines.count);
    return outcomes.some(({ kind }) => kind === 'damage') ? undefined : outcomes;`,
    },
  ],
};
