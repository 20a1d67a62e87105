import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'checksum-over-serialised-again',
  what: 'A line is parsed and serialised again to be checked, so an escape that is written otherwise looks like damage.',
  edits: [
    {
      file: 'lib/journal/reading/reading.ts',
      find: 'if (this.#taken === this.#found && !this.#find()) return lines.next();',
      replace: 'if (this.#taken === this.#found) return lines.next();',
    },
    {
      file: 'lib/journal/line/codec.ts',
      find: '  if (!scanner.holds(stop - start)) return undefined;',
      replace: `  if (!scanner.holds(stop - start)) return undefined;
  const text = buffer.toString('utf8', start, stop);
  try {
    if (JSON.stringify(JSON.parse(text)) !== text) return undefined;
  } catch {}`,
    },
  ],
};
