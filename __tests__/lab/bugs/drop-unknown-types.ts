import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'drop-unknown-types',
  what: 'A reader passes over events of types that it does not know.',
  edits: [
    {
      file: 'lib/journal/reading/scan.ts',
      find: `    if (outcomes.length === 0) yield undefined;
    for (const outcome of outcomes) yield outcome;`,
      replace: `    if (outcomes.length === 0) yield undefined;
    for (const outcome of outcomes) {
      if (outcome.kind === 'damage' || !outcome.event.type.startsWith('lab.')) yield outcome;
    }`,
    },
  ],
};
