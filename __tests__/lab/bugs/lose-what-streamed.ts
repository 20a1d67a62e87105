import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'lose-what-streamed',
  what: 'Of an answer that was cut off, the next opening keeps only the last piece.',
  edits: [
    {
      file: 'lib/projections/streamed.ts',
      find: '        answer.pieces.push(piece);',
      replace: '        answer.pieces = [piece];',
    },
  ],
};
