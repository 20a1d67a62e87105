import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'lock-that-goes-stale',
  what: 'A process that has waited long enough for a lock takes it, although its holder lives.',
  edits: [
    {
      file: 'lib/journal/files/lock.ts',
      find: '    if (attempt === ATTEMPTS) return undefined;',
      replace: `    if (attempt === ATTEMPTS) return fileSystem.open(lockPath, 'lock', 0o600);`,
    },
  ],
};
