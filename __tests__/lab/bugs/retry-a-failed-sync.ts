import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'retry-a-failed-sync',
  what: 'A sync that failed is tried again on the same descriptor, and the second answer is believed.',
  edits: [
    {
      file: 'lib/journal/writing/append-file.ts',
      find: `this.#syncing = what === 'all' ? this.#handle.sync() : this.#handle.dataSync();`,
      replace: `const once = () => (what === 'all' ? this.#handle.sync() : this.#handle.dataSync());
      this.#syncing = once().catch(once);`,
    },
  ],
};
