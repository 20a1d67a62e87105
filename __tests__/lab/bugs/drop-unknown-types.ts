import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'drop-unknown-types',
  what: 'A reader passes over events of types that it does not know.',
  edits: [
    {
      file: 'lib/journal/reading/scan.ts',
      find: `      yield { kind: 'event', event: eventAt(lines.buffer, reading.positions, lines.offset, lines.end) };`,
      replace: `      const event = eventAt(lines.buffer, reading.positions, lines.offset, lines.end);
      if (!event.type.startsWith('lab.')) yield { kind: 'event', event };`,
    },
  ],
};
