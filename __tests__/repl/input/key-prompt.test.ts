import fc from 'fast-check';
import { KeyPrompt, YES_OR_NO } from '../../../lib/repl/input/key-prompt.ts';
import type { InputPiece } from '../../../lib/repl/input/paste.ts';

const keys = (text: string): InputPiece => ({ type: 'keys', text });

function question() {
  let nowMs = 1000;
  const strangers: string[] = [];
  const prompt = new KeyPrompt({
    answers: { y: 'yes', a: 'always', n: 'no' },
    now: () => nowMs,
    onStranger: (key) => strangers.push(key),
  });
  let given: string | undefined;
  void prompt.answer.then((value) => {
    given = value;
  });
  return {
    strangers,
    take: (piece: InputPiece) => prompt.take(piece),
    giveUp: (value: string) => prompt.giveUp(value),
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
    const { take, pass, given } = question();
    pass(200);
    expect(take(keys('Y'))).toEqual([]);
    expect(await given()).toBe('yes');
  });

  it.each([0, 1, 150, 199])('takes no key after %i ms', async (ms) => {
    const { take, pass, given } = question();
    pass(ms);
    expect(take(keys('y'))).toEqual([keys('y')]);
    expect(await given()).toBeUndefined();
  });

  it('takes no letter out of a typed sentence, however long it is', async () => {
    const { take, pass, given } = question();
    for (const letter of 'yes, by all means, always and any time') {
      pass(150);
      expect(take(keys(letter))).toEqual([keys(letter)]);
    }
    expect(await given()).toBeUndefined();
    pass(200);
    take(keys('a'));
    expect(await given()).toBe('always');
  });

  it('is not answered by pasted text or by several characters that arrive together', async () => {
    const several = fc.string({ minLength: 2, maxLength: 8, unit: fc.constantFrom('y', 'a', 'n', '\r', '\x1b', ' ') });
    const piece = fc.oneof(
      several.map(keys),
      fc.string({ maxLength: 4 }).map((text): InputPiece => ({ type: 'paste', text })),
      fc.constant<InputPiece>({ type: 'paste', text: 'y' }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(piece, fc.integer({ min: 0, max: 5000 })), { minLength: 1 }), async (all) => {
        const { take, pass, given } = question();
        for (const [each, ms] of all) {
          pass(ms);
          expect(take(each)).toEqual([each]);
        }
        expect(await given()).toBeUndefined();
      }),
      { numRuns: 150 },
    );
  });

  it('drops a single key that is not offered, and reports it', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    try {
      const { take, pass, given, strangers } = question();
      pass(300);
      expect(take(keys('x'))).toEqual([]);
      expect(strangers).toEqual([]);
      pass(200);
      jest.advanceTimersByTime(200);
      expect(strangers).toEqual(['x']);
      expect(take(keys('y'))).toEqual([]);
      expect(await given()).toBe('yes');
    } finally {
      jest.useRealTimers();
    }
  });

  it('keeps an unoffered key if a sentence follows it', () => {
    const { take, pass, strangers } = question();
    pass(300);
    expect(take(keys('x'))).toEqual([]);
    pass(100);
    expect(take(keys('y'))).toEqual([keys('x'), keys('y')]);
    pass(100);
    expect(take(keys('z'))).toEqual([keys('z')]);
    expect(strangers).toEqual([]);
  });

  it('holds back neither arrows nor Ctrl+C', () => {
    const { take, pass } = question();
    pass(300);
    expect(take(keys('\x1b[A'))).toEqual([keys('\x1b[A')]);
    pass(300);
    expect(take(keys('\x03'))).toEqual([keys('\x03')]);
  });

  it('gets a default answer if the user can no longer answer', async () => {
    const { giveUp, given } = question();
    giveUp('no');
    expect(await given()).toBe('no');
  });

  it('means yes only after y', () => {
    expect(Object.entries(YES_OR_NO).filter(([, answer]) => answer)).toEqual([['y', true]]);
  });
});
