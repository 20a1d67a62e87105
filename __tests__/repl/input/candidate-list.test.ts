import fc from 'fast-check';
import { textWidth } from '../../../lib/display/width.ts';
import { commonPrefix, formatCandidates } from '../../../lib/repl/input/candidate-list.ts';

it('the common beginning of all candidates is found', () => {
  expect(commonPrefix(['/save ', '/say '])).toBe('/sa');
  expect(commonPrefix(['/only '])).toBe('/only ');
  expect(commonPrefix([])).toBe('');
});

it('candidates are listed in columns that fit the width', () => {
  expect(formatCandidates(['one ', 'three', 'five', 'seven'], 16)).toEqual(['one    three', 'five   seven']);
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-z日]{1,20}$/), { minLength: 1 }),
      fc.integer({ min: 2, max: 90 }),
      (names, columns) => {
        for (const line of formatCandidates(names, columns)) expect(textWidth(line)).toBeLessThanOrEqual(columns);
      },
    ),
  );
});

it('the list of candidates has a maximum length', () => {
  const names = Array.from({ length: 1000 }, (_, index) => `session-${index}`);
  expect(formatCandidates(names, 80).at(-1)).toBe('… and 900 more');
});
