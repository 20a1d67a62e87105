import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'build-on-a-failed-sync',
  what: 'A sync failed, the session is opened again, and what can still be read is taken for stored.',
  edits: [
    {
      file: 'lib/journal/writing/append-file.ts',
      find: `      this.#whenSyncFails();
`,
      replace: '',
    },
  ],
};
