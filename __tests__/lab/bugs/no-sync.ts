import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'no-sync',
  what: 'Appends are acknowledged at level disk, and nothing is ever synced.',
  edits: [
    {
      file: 'lib/journal/writing/append-file.ts',
      find: `this.#syncing = what === 'all' ? this.#handle.sync() : this.#handle.dataSync();`,
      replace: 'this.#syncing = Promise.resolve();',
    },
  ],
};
