import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'stop-at-the-first-bad-line',
  what: 'A reader ends at damage, and says nothing.',
  edits: [
    {
      file: 'lib/journal/reading/scan.ts',
      find: '        yield examiner.examine(parts, after ? 0 : lines.count);',
      replace: `        const outcomes = examiner.examine(parts, after ? 0 : lines.count);
        if (outcomes.some(({ kind }) => kind === 'damage')) return;
        yield outcomes;`,
    },
  ],
};
