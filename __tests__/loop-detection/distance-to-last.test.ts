import fc from 'fast-check';
import { distanceToLast } from '../../lib/loop-detection/distance-to-last.ts';

const unitsOf = (text: string) => Uint16Array.from(text, (character) => character.charCodeAt(0));

it('the end of a text is found where a string finds it, and no further back than is asked for', () => {
  // ā and š share their low bits with other letters.
  const text = fc
    .array(fc.constantFrom('a', 'b', 'ā', 'š', 'ab', 'abab'), { minLength: 2, maxLength: 80 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(
      text,
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 40 }),
      fc.string(),
      (string, asked, most, behind) => {
        const length = Math.min(asked, string.length);
        const probe = string.length - length;
        const before = probe === 0 ? -1 : string.lastIndexOf(string.slice(probe), probe - 1);
        const expected = before < 0 || probe - before > most ? undefined : probe - before;
        expect(distanceToLast(unitsOf(string + behind), { stop: string.length, length, most })).toBe(expected);
      },
    ),
    { numRuns: 1000 },
  );
});
