import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'truncate-without-sync',
  what: 'Bytes of an append that did not fit are cut off, and that is not synced before it is refused.',
  edits: [
    {
      file: 'lib/journal/writing/appender.ts',
      find: `      if (isOllmError(error, 'JOURNAL_FULL')) await this.#committer.sync('all');
`,
      replace: '',
    },
  ],
};
