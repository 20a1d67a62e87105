import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'ignore-a-short-write',
  what: 'Fewer bytes were taken than given, and that is not checked.',
  edits: [
    {
      file: 'lib/journal/writing/append-file.ts',
      find: `    if (written < bytes.length) throw this.#takeBack(\`only \${written} of \${bytes.length} bytes were taken\`);
`,
      replace: '',
    },
  ],
};
