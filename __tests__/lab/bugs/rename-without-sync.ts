import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'rename-without-sync',
  what: 'A snapshot gets its name before its content is on the device.',
  edits: [
    {
      file: 'lib/journal/files/whole-file.ts',
      find: `    await handle.sync();
`,
      replace: '',
    },
  ],
};
