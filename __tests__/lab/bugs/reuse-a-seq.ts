import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'reuse-a-seq',
  what: 'After a write that failed somehow, the next append goes on with the same seq.',
  edits: [
    {
      file: 'lib/journal/writing/append-file.ts',
      find: `      if (!FULL_CODES.includes(code)) throw this.#poison(\`a write failed (\${code ?? 'unknown'})\`, error);`,
      replace: `      if (!FULL_CODES.includes(code)) {
        try {
          this.length = this.#handle.stat().size;
        } catch {}
        throw new OllmError('IO_FAILED', 'The write failed.');
      }`,
    },
  ],
};
