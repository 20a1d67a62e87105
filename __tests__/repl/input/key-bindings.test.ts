import fc from 'fast-check';
import { KEY_BINDINGS, splitAtBoundKey } from '../../../lib/repl/input/key-bindings.ts';

const bound = KEY_BINDINGS.flatMap(({ keys, action }) => keys.map((key) => ({ key, action })));
const plain = fc.stringMatching(/^[a-zé漢 ]{0,8}$/);

describe('keys of the input line', () => {
  it('part typed text at the first of them, and lose nothing', () => {
    fc.assert(
      fc.property(plain, fc.constantFrom(...bound), plain, (before, { key, action }, rest) => {
        expect(splitAtBoundKey(before + key + rest)).toEqual({ before, action, rest });
        expect(splitAtBoundKey(before)).toEqual({ before, action: undefined, rest: '' });
      }),
      { numRuns: 200 },
    );
  });

  it('have each their own bytes', () => {
    expect(new Set(bound.map(({ key }) => key)).size).toBe(bound.length);
  });
});
