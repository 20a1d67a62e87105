import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'acknowledge-before-sync',
  what: 'The sync is made, and the append does not wait for it.',
  edits: [
    {
      file: 'lib/journal/writing/appender.ts',
      find: `      if (pending.level === 'process' || end <= this.#synced.offset) pending.resolve(receipts);
      else this.#waiting.push({ offset: end, receipts, pending });`,
      replace: `      pending.resolve(receipts);
      if (pending.level === 'disk') this.#waiting.push({ offset: end, receipts, pending });`,
    },
  ],
};
