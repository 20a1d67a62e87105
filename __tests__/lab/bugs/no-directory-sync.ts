import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'no-directory-sync',
  what: 'The content of a new journal is synced, its name is not.',
  edits: [
    {
      file: 'lib/journal/writing/writer.ts',
      find: '  await fileSystem.syncDirectory(dirname(path));',
      replace: '  await undefined;',
    },
  ],
};
