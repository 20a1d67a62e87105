import fc from 'fast-check';
import { actionOf, KEY_BINDINGS } from '../../../lib/repl/input/key-bindings.ts';
import { KeyReader } from '../../../lib/repl/input/keys.ts';

const bound = KEY_BINDINGS.flatMap(({ keys, action }) => keys.map((key) => ({ key, action })));
const plain = fc.stringMatching(/^[a-zé漢😀 ]{0,8}$/u);

describe('keys of the input line', () => {
  it('are found in typed text without losing a character', () => {
    fc.assert(
      fc.property(plain, fc.constantFrom(...bound), plain, (before, { key, action }, rest) => {
        const keys = new KeyReader().read(before + key + rest);
        expect(keys.map(({ sequence }) => sequence).join('')).toBe(before + key + rest);
        const actions = keys.map((each) => actionOf(each));
        expect(actions.filter((each) => each !== undefined)).toEqual([action]);
        expect(
          keys
            .slice(0, actions.indexOf(action))
            .map(({ text }) => text)
            .join(''),
        ).toBe(before);
      }),
      { numRuns: 200 },
    );
  });

  it('have distinct bytes', () => {
    expect(new Set(bound.map(({ key }) => key)).size).toBe(bound.length);
  });

  it('include one Enter that is sent as two characters', () => {
    expect(new KeyReader().read('a\r\nb\r\n').map((key) => actionOf(key))).toEqual([
      undefined,
      'enter',
      undefined,
      'enter',
    ]);
  });
});
