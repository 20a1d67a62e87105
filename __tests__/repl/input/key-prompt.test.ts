import fc from 'fast-check';
import { createKeyPrompt, YES_OR_NO } from '../../../lib/repl/input/key-prompt.ts';
import type { InputPiece } from '../../../lib/repl/input/paste.ts';

const keys = (text: string): InputPiece => ({ type: 'keys', text });

function prompt() {
  let nowMs = 1000;
  const { answer, take, giveUp } = createKeyPrompt({ answers: { y: 'yes', a: 'always', n: 'no' }, now: () => nowMs });
  let given: string | undefined;
  void answer.then((value) => {
    given = value;
  });
  return {
    take,
    giveUp,
    pass: (ms: number) => {
      nowMs += ms;
    },
    given: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return given;
    },
  };
}

describe('a question for one key', () => {
  it('takes a key in either case, after its first moment', async () => {
    const { take, pass, given } = prompt();
    pass(200);
    expect(take(keys('Y'))).toBeUndefined();
    expect(await given()).toBe('yes');
  });

  it.each([0, 1, 150, 199])('takes no key after %i ms', async (ms) => {
    const { take, pass, given } = prompt();
    pass(ms);
    expect(take(keys('y'))).toEqual(keys('y'));
    expect(await given()).toBeUndefined();
  });

  it('takes no letter out of the flow of a sentence, however long it is', async () => {
    const { take, pass, given } = prompt();
    for (const letter of 'yes, by all means, always and any time') {
      pass(150);
      expect(take(keys(letter))).toEqual(keys(letter));
    }
    expect(await given()).toBeUndefined();
    pass(200);
    take(keys('a'));
    expect(await given()).toBe('always');
  });

  it('is answered by nothing that is pasted or comes as several characters', async () => {
    const several = fc.string({ minLength: 2, maxLength: 8, unit: fc.constantFrom('y', 'a', 'n', '\r', '\x1b', ' ') });
    const piece = fc.oneof(
      several.map(keys),
      fc.string({ maxLength: 4 }).map((text): InputPiece => ({ type: 'paste', text })),
      fc.constant<InputPiece>({ type: 'paste', text: 'y' }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(piece, fc.integer({ min: 0, max: 5000 })), { minLength: 1 }), async (all) => {
        const { take, pass, given } = prompt();
        for (const [each, ms] of all) {
          pass(ms);
          expect(take(each)).toBe(each);
        }
        expect(await given()).toBeUndefined();
      }),
      { numRuns: 150 },
    );
  });

  it('is answered for whoever can answer no more', async () => {
    const { giveUp, given } = prompt();
    giveUp('no');
    expect(await given()).toBe('no');
  });

  it('means yes by one key alone', () => {
    expect(Object.entries(YES_OR_NO).filter(([, answer]) => answer)).toEqual([['y', true]]);
  });
});
