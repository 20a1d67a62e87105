import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'checksum-over-serialised-again',
  what: 'A line is parsed and serialised again to be checked, so an escape that is written otherwise looks like damage.',
  edits: [
    {
      file: 'lib/journal/line/codec.ts',
      find: '  return checksum(buffer.subarray(start, stop - CHECKSUM_TAIL_BYTES)) === checksumIn(tail) ? tail : undefined;',
      replace: `  const text = buffer.toString('utf8', start, stop);
  try {
    if (JSON.stringify(JSON.parse(text)) !== text) return undefined;
  } catch {}
  return checksum(buffer.subarray(start, stop - CHECKSUM_TAIL_BYTES)) === checksumIn(tail) ? tail : undefined;`,
    },
  ],
};
