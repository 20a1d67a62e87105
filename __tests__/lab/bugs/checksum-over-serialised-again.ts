import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'checksum-over-serialised-again',
  what: 'A line is parsed and serialised again to be checked, so an escape that is written otherwise looks like damage.',
  edits: [
    {
      file: 'lib/journal/codec.ts',
      find: '  const hash = checksum(covered);',
      replace: `  const text = buffer.toString('utf8', start, stop - CHECKSUM_TAIL_BYTES);
  let again = text;
  try {
    again = JSON.stringify(JSON.parse(\`\${text}}\`)).slice(0, -1);
  } catch {}
  const hash = checksum(Buffer.from(again));`,
    },
  ],
};
