import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'trust-what-is-derived',
  what: 'A state file is used although the journal has no such line.',
  edits: [
    {
      file: 'lib/session/open.ts',
      find: '  return await reader.holds(anchor);',
      replace: '  return true;',
    },
  ],
};
