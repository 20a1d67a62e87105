import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'truncate-without-sync',
  what: 'Bytes of an append that did not fit are cut off, and that is not synced before it is refused.',
  edits: [
    {
      file: 'lib/journal/writing/appender.ts',
      find: `    this.#restoring = this.#file
      .sync('all')
`,
      replace: `    this.#restoring = Promise.resolve()
`,
    },
  ],
};
