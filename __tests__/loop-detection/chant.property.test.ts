// The streaming detector against the same rules over the whole answer, line by line and character by character.
import fc from 'fast-check';
import { type Chant, ChantDetector, findChant } from '../../lib/loop-detection/chant.ts';

const RUNS = { numRuns: 300 };

/**
 * What an answer is made of, with all that the rules ask for: marks, fences, numbers, blanks of every kind, wide
 * characters.
 */
const fragment = fc.oneof(
  fc.constantFrom(
    '\n',
    '\n\n',
    '- ',
    '* ',
    '```\n',
    '~~~',
    '| a |',
    '# ',
    '> ',
    '12. ',
    '1234567890) ',
    '---',
    '**so** ',
  ),
  fc.constantFrom(' ', '  ', '\t', '\r\n', '\u00a0', '\u3000', '\0', '\ufeff'),
  fc.constantFrom('Once more I look at it. ', 'ÄÖÜ Ω Ж ', '我现在读取文件。', '🙂 ', 'İ', 'x'),
  fc.string({ maxLength: 30 }),
);
const text = fc
  .array(
    fc
      .tuple(fc.array(fragment, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 16 }))
      .map(([parts, count]) => parts.join('').repeat(count)),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''))
  .filter(({ length }) => length < 14_000);

it('the finding about an answer agrees with the rules for its lines', () => {
  fc.assert(
    fc.property(text, (answer) => {
      expect(findChant(answer)).toEqual(plainChant(answer));
    }),
    RUNS,
  );
});

it('the rules report some of these answers, and not others', () => {
  const told = fc.sample(text, { numRuns: 300, seed: 1 }).map((answer) => plainChant(answer) !== undefined);
  expect(new Set(told)).toEqual(new Set([true, false]));
});

it('pieces of any size give equal results', () => {
  fc.assert(
    fc.property(text, fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1 }), (answer, sizes) => {
      const detector = new ChantDetector();
      let found: Chant | undefined;
      for (let start = 0, turn = 0; start < answer.length && found === undefined; turn++) {
        const stop = start + sizes[turn % sizes.length]!;
        found = detector.push(answer.slice(start, stop));
        start = stop;
      }
      const whole = new ChantDetector();
      expect(found ?? detector.end()).toEqual(whole.push(answer) ?? whole.end());
    }),
    RUNS,
  );
});

function plainChant(answer: string): Chant | undefined {
  if (answer.length < 400) return undefined;
  let prose = '';
  let unseen = 0;
  let isCode = false;
  const lines = answer.split('\n');
  for (const [number, line] of lines.entries()) {
    const isLast = number === lines.length - 1;
    const bare = line.replace(/^\s+/u, '');
    // The end of an answer that does not tell yet what its line is does not count.
    if (isLast && (bare === '' || (isMarked(bare) && beginningOf(bare) === bare && !isTelling(bare)))) break;
    const isFence = /^(?:```|~~~)/u.test(bare);
    if (isFence || isCode || /^(?:\||#|>|[-*+•] |\d{1,19}[.)]|---|===|\*\*\*)/u.test(bare)) {
      if (isFence) isCode = !isCode;
      prose = '';
      continue;
    }
    for (const character of [...bare.split(''), ...(isLast ? [] : [' '])]) {
      const folded = /\s/u.test(character) ? ' ' : character;
      if (folded === ' ' && prose.endsWith(' ')) continue;
      prose += folded;
      unseen += 1;
      if (unseen < 256) continue;
      unseen = 0;
      const chant = plainLook(prose);
      if (chant !== undefined) return chant;
    }
  }
  return plainLook(prose);
}

function isMarked(line: string): boolean {
  return /^[`~|#>*+•=\d-]/u.test(line);
}

function isTelling(beginning: string): boolean {
  return beginning.length >= (/^\d+$/u.test(beginning) ? 20 : 5);
}

/** The beginning of a line that is taken together, because it tells the kind of the line. */
function beginningOf(line: string): string {
  let length = 1;
  while (length < line.length && !isTelling(line.slice(0, length))) length++;
  return line.slice(0, length);
}

function plainLook(said: string): Chant | undefined {
  const prose = said.toLowerCase();
  if (prose.length < 400) return undefined;
  const probe = prose.length - 40;
  const before = prose.lastIndexOf(prose.slice(probe), probe - 1);
  const period = probe - before;
  if (before < 0 || period > 1000) return undefined;
  let repeated = period;
  while (repeated < prose.length && prose.at(-1 - repeated) === prose.at(-1 - repeated + period)) repeated++;
  const count = Math.floor(repeated / period);
  const threshold = period < 60 ? 10 : 6;
  const phrase = prose.slice(-period);
  if (count < threshold || repeated < 400 || !/\p{L}/u.test(phrase)) return undefined;
  return { count, threshold, sample: phrase.trim().slice(0, 60).toWellFormed() };
}
