import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'quarantine-without-a-name',
  what: 'The directory of the quarantine is made, and its name is not synced before the journal is cut.',
  edits: [
    {
      file: 'lib/journal/writing/writer.ts',
      find: '  await ensureDirectory(ports, directory);',
      replace: '  ports.fileSystem.makeDirectory(directory, 0o700);',
    },
  ],
};
