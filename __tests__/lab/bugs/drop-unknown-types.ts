import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'drop-unknown-types',
  what: 'A reader passes over events of types that it does not know.',
  edits: [
    {
      file: 'lib/journal/reading/scan.ts',
      find: '      batch.push(outcome);',
      replace: "      if (outcome.kind === 'damage' || !outcome.event.type.startsWith('lab.')) batch.push(outcome);",
    },
  ],
};
