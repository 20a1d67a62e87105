import fc from 'fast-check';
import { hexLines } from '../../../lib/page/model/hex-lines.ts';

describe('a hex dump', () => {
  it('has every byte once, in order, and only visible characters', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(8, 16), fc.nat(1e9), (bytes, perLine, offset) => {
        const lines = hexLines(bytes, { offset, perLine });
        const back = lines.flatMap(({ hex }) => hex.split(' ').map((each) => Number.parseInt(each, 16)));
        expect(back).toEqual([...bytes]);
        expect(lines.every(({ text }) => /^[\x20-\x7e·]*$/.test(text))).toBe(true);
        expect(lines.map((line) => Number.parseInt(line.offset, 16))).toEqual(
          lines.map((_, at) => offset + at * perLine),
        );
      }),
      { numRuns: 100 },
    );
  });
});
