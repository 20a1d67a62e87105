import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'show-a-line-twice',
  what: 'A follower begins again where the file had ended before.',
  edits: [
    {
      file: 'lib/journal/reading/follow.ts',
      find: `      this.#offset = lines.end;
`,
      replace: `      this.#offset = lines.offset;
`,
    },
  ],
};
