// The quick way against the plain one: the same rules over whole lines and strings, with regular expressions.
import fc from 'fast-check';
import { type Chant, createChantDetector, findChant, mayHoldChant } from '../../lib/loop-detection/chant.ts';
import { readRuns } from '../../lib/loop-detection/runs.ts';

const RUNS = { numRuns: 300 };

/** What an answer is made of, with all that the rules ask for: marks, fences, numbers, blanks of every kind, wide characters. */
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

it('what is told of an answer is what the rules say of its lines', () => {
  fc.assert(
    fc.property(text, (answer) => {
      expect(findChant(answer)).toEqual(plainChant(answer));
    }),
    RUNS,
  );
});

it('the rules tell of some of these answers, and not of others', () => {
  const told = fc.sample(text, { numRuns: 300, seed: 1 }).map((answer) => plainChant(answer) !== undefined);
  expect(new Set(told)).toEqual(new Set([true, false]));
});

it('pieces of any size make no difference', () => {
  fc.assert(
    fc.property(text, fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1 }), (answer, sizes) => {
      const detector = createChantDetector();
      let found: Chant | undefined;
      for (let start = 0, turn = 0; start < answer.length && found === undefined; turn++) {
        const stop = start + sizes[turn % sizes.length]!;
        found = detector.push(answer.slice(start, stop));
        start = stop;
      }
      const whole = createChantDetector();
      expect(found ?? detector.end()).toEqual(whole.push(answer) ?? whole.end());
    }),
    RUNS,
  );
});

describe('the runs of words of an answer', () => {
  const word = fc.oneof(
    fc.stringMatching(/^[a-zA-Z]{1,12}$/),
    fc.constantFrom('12345', 'ÄÖÜ', 'K', '我现在', 'x'.repeat(28)),
  );
  const gap = fc.constantFrom(' ', ', ', '.\n', '\u00a0', '  ', '-', '\n12. ', '\n- ', '....');
  const phrase = fc
    .array(fc.tuple(word, gap), { minLength: 1, maxLength: 30 })
    .map((words) => words.map((pair) => pair.join('')).join(''));
  const answer = fc
    .array(fc.tuple(phrase, fc.constantFrom(1, 1, 2, 6, 7, 10, 30), fc.boolean()), { minLength: 1, maxLength: 5 })
    .map((parts) => parts.map(([said, count, isLoud]) => (isLoud ? said.toUpperCase() : said).repeat(count)).join(''));

  it('never rule out one that is told, wherever it stands and whatever is around it', () => {
    fc.assert(
      fc.property(fc.oneof(answer, text), (said) => {
        if (findChant(said) !== undefined) expect(mayHoldChant(readRuns(said))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    [4, 20],
    [3, 25],
  ])(
    'never rule out a paragraph of %i long words that comes six times, the first of them cut through',
    (count, length) => {
      const words = Array.from({ length: count }, (_, index) => 'abcd'.charAt(index).repeat(length));
      const said = `${words.join(' ')}, `.repeat(6);
      const cut = `x ${said.slice(3)}${said.slice(0, 3)}`;
      expect(findChant(cut)).toMatchObject({ count: 6 });
      expect(mayHoldChant(readRuns(cut))).toBe(true);
    },
  );

  it('rule out the most of those that are not', () => {
    const plain = fc.uniqueArray(fc.stringMatching(/^[a-z]{3,9}$/), { minLength: 100, maxLength: 200 });
    const answers = fc.sample(plain, { numRuns: 50, seed: 1 }).map((words) => words.join(' '));
    expect(answers.filter((said) => mayHoldChant(readRuns(said)))).toEqual([]);
    const told = fc.sample(answer, { numRuns: 200, seed: 1 }).filter((said) => findChant(said) !== undefined);
    expect(told.length).toBeGreaterThan(10);
  });

  it.each([
    ['a long word', `${'x'.repeat(40)} and so on`],
    ['a ruler', `one ${'-'.repeat(40)} two`],
    ['Chinese', '我现在读取文件并修复它。'.repeat(5)],
    ['more than is read', 'one two '.repeat(3000)],
  ])('do not tell where there is %s', (_, said) => {
    expect(mayHoldChant(readRuns(said))).toBe(true);
  });
});

it('an answer is told whatever long one came before it', () => {
  const chant = 'I will now read the file and fix it. '.repeat(20);
  const alone = findChant(chant);
  expect(findChant('```\n'.padEnd(50_000, 'unclosed '))).toBeUndefined();
  expect(findChant(chant)).toEqual(alone);
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
    const beginning = isMarked(bare) ? beginningOf(bare) : '';
    const steps = [
      ...(beginning === '' ? [] : [beginning]),
      ...bare.slice(beginning.length).split(''),
      ...(isLast ? [] : [' ']),
    ];
    for (const step of steps) {
      const before = prose.length;
      for (const character of step.split('')) {
        const folded = foldPlainly(character);
        if (folded !== ' ' || !prose.endsWith(' ')) prose += folded;
      }
      unseen += prose.length - before;
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

/** As much of a line as is taken at once, because it is needed to tell what the line is. */
function beginningOf(line: string): string {
  let length = 1;
  while (length < line.length && !isTelling(line.slice(0, length))) length++;
  return line.slice(0, length);
}

function foldPlainly(character: string): string {
  if (/\s/u.test(character)) return ' ';
  const lower = character.toLowerCase();
  return lower.length === 1 ? lower : character;
}

function plainLook(prose: string): Chant | undefined {
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
