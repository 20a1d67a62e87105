import fc from 'fast-check';
import type { ChangedHunk } from '../../lib/blame/call-changes.ts';
import { lineMarks, marksOf, mayHaveLine } from '../../lib/blame/line-marks.ts';
import { matchLines, type WrittenChange } from '../../lib/blame/match-lines.ts';

const TEXTS = [
  'alpha beta gamma',
  ' alpha  beta gamma',
  'delta epsilon\r',
  '}',
  '',
  '  x = 1',
  'return kappa;',
  'ξδ λμ',
];
const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'grapheme', maxLength: 20 }));
const hunk = fc.array(fc.record({ text, isAdded: fc.boolean() }), { maxLength: 8 });
const change = fc.record({ hunks: fc.array(hunk, { maxLength: 3 }), session: fc.constantFrom('a', 'b') });

test('verdicts on a file stay equal without the changes whose marks match none of its lines', () => {
  let passedOver = 0;
  fc.assert(
    fc.property(fc.array(text, { maxLength: 12 }), fc.array(change, { maxLength: 6 }), (file, written) => {
      const lines = file.map((each, index) => ({
        ...{ line: index + 1, text: each, name: 'a.ts', commit: 'a' },
        ...{ authoredMs: 10_000, committedMs: 10_000 },
      }));
      const changes = written.map(
        ({ hunks, session }, at): WrittenChange<number> => ({ call: at, session, atMs: 1000 * at, hunks }),
      );
      const known = lineMarks(file);
      const maybe = changes.filter(({ hunks }) => mayHaveLine(marksOf(hunks), known));
      passedOver += changes.length - maybe.length;
      expect(matchLines(lines, maybe)).toEqual(matchLines(lines, changes));
    }),
    { numRuns: 500 },
  );
  expect(passedOver).toBeGreaterThan(50);
});

test('a change of more lines than marks may have any line', () => {
  const long = (count: number): ChangedHunk[] => [
    Array.from({ length: count }, (_, at) => ({ text: `const line${at} = ${at};`, isAdded: true })),
  ];
  const other = lineMarks(['nothing of this kind']);
  expect([64, 65].map((count) => mayHaveLine(marksOf(long(count)), other))).toEqual([false, true]);
  expect(marksOf(long(64))).toHaveLength(192);
});
