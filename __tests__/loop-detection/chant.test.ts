import fc from 'fast-check';
import { ChantDetector, findChant } from '../../lib/loop-detection/chant.ts';
import { SIMILAR, similarity, sketchOf } from '../../lib/loop-detection/similarity.ts';

const PHRASE = 'I will now read the file and fix it. ';
const PARAGRAPH =
  'Let me think about this once more: the writer holds the lock, so the reader has to wait until it is given up again. ';

describe('an answer that repeats itself', () => {
  it.each([
    ['a phrase', PHRASE.repeat(14)],
    ['a paragraph', PARAGRAPH.repeat(8)],
    ['lines of prose', `${PARAGRAPH.trim()}\n`.repeat(8)],
    ['after an honest beginning', `Here is what I found out so far.\n\n${PHRASE.repeat(20)}`],
    ['one letter', 'a'.repeat(2000)],
    ['words in Chinese', '我现在读取文件并修复它。'.repeat(60)],
  ])('is reported: %s', (_, text) => {
    expect(findChant(text)).toMatchObject({ count: expect.any(Number) });
  });

  it.each([
    ['a phrase that came a few times', PHRASE.repeat(5)],
    ['code', `\`\`\`\n${'x += 1; y += 1; z += 1;\n'.repeat(100)}\`\`\`\n`],
    ['a table', '| a | b | c |\n'.repeat(200)],
    ['a list', '- done, nothing to report here\n'.repeat(100)],
    ['a numbered list', Array.from({ length: 150 }, (_, index) => `${index}. the same entry again\n`).join('')],
    ['quotations', '> the same line over and over again\n'.repeat(100)],
    [
      'figures that count up',
      Array.from({ length: 90 }, (_, index) => `File ${index} is done, the next one follows. `).join(''),
    ],
    ['a line of marks', '-'.repeat(3000)],
  ])('is not reported for %s', (_, text) => {
    expect(findChant(text)).toBeUndefined();
  });

  it('is found at the same place or before its end, in any pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }), (sizes) => {
        const text = `Well.\n${PARAGRAPH.repeat(12)}`;
        const detector = new ChantDetector();
        let found = false;
        for (let start = 0, turn = 0; start < text.length && !found; turn++) {
          const end = start + (sizes[turn % sizes.length] ?? 1);
          found = detector.push(text.slice(start, end)) !== undefined;
          start = end;
        }
        expect(found || detector.end() !== undefined).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('is searched quickly in a long line', () => {
    const words = Array.from({ length: 150_000 }, (_, index) => (index * 2_654_435_761).toString(36)).join(' ');
    expect(findChant(words)).toBeUndefined();
  });
});

describe('the similarity of outputs', () => {
  const words = (from: number, count: number) =>
    Array.from(
      { length: count },
      (_, index) => `w${'abcdefghijklmnopqrstuvwxyz'[(from + index) % 26]}${'xyz'.repeat((from + index) % 7)}`,
    ).join(' ');

  it('is complete for the same words, in any case and with any figures and marks', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 12, maxLength: 80 }), (list) => {
        const shouted = list.map((word) => word.toUpperCase()).join(', ');
        expect(similarity(sketchOf(list.join(' ')), sketchOf(shouted))).toBe(1);
      }),
    );
  });

  it('is high if a few words differ, and low for a different text', () => {
    const text = words(0, 120);
    expect(similarity(sketchOf(text), sketchOf(text.replace(/(?<=^(?:\S+ ){60})\S+/, 'other')))).toBeGreaterThanOrEqual(
      SIMILAR,
    );
    expect(similarity(sketchOf(words(0, 120)), sketchOf('quite another text '.repeat(12)))).toBeLessThan(0.3);
  });

  it('is zero for short texts: one word more is a different message', () => {
    expect(similarity(sketchOf('Reading a.ts now'), sketchOf('Reading b.ts now'))).toBe(0);
  });
});
