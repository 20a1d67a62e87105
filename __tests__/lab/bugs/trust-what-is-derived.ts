import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'trust-what-is-derived',
  what: 'A state file is used although the journal has no such line.',
  edits: [
    {
      file: 'lib/session/saved/saved-state.ts',
      find: '  if (!(await reader.holds(anchor))) return { isWhole: false, stamp };',
      replace: '  if (!(await reader.holds(anchor))) return { isWhole: true, stamp };',
    },
  ],
};
