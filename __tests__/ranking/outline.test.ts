// Outlines have the words that an index of the same text has: texts of any kind, against `wordsIn`.
import fc from 'fast-check';
import { numberOfStem, outlineOf, readOutline } from '../../lib/ranking/outline.ts';
import { fold, STOP_WORDS, stem, wordsIn } from '../../lib/ranking/words.ts';

const sought = (text: string) =>
  [...wordsIn(text)].filter(({ text: word }) => word.length > 1 && !STOP_WORDS.has(fold(word))).map(({ stem }) => stem);

function countIn(text: string, stems: readonly string[], isMarkdown = false) {
  const sections: { words: number; counts: readonly number[] }[] = [];
  readOutline(outlineOf(text, { isMarkdown }), stems.map(numberOfStem), (words, counts) =>
    sections.push({ words, counts: [...counts] }),
  );
  return sections;
}

test('an outline counts the words of a text by their stems', () => {
  const text = 'The anchor is let go. Two anchors hold, and HTTPServer2 holds anchorChain.';
  expect(countIn(text, [stem('anchor'), 'hold', 'http', 'serv', 'chain', 'rope', 'the'])).toEqual([
    { words: 15, counts: [3, 2, 1, 1, 1, 0, 0] },
  ]);
});

test('a long text has a section for about each passage, which ends with a line', () => {
  const line = `${'sail '.repeat(20)}\n`;
  const sections = countIn(line.repeat(50), ['sail']);
  expect(sections.map(({ words }) => words)).toEqual([320, 320, 320, 40]);
  // A line that never ends is cut, and a word is counted up to a limit.
  expect(countIn('sail '.repeat(1_000), ['sail']).map(({ counts }) => counts[0])).toEqual([15, 15, 15]);
  expect(countIn('', ['sail'])).toEqual([]);
});

test('a heading in Markdown begins a section, so that a short section is not lost among its neighbours', () => {
  const page = `# Sails\n\n${'sail '.repeat(30)}\n\n## Codes\n\nA code.\n\n### More codes\n\nA code, a code.\n`;
  const stems = [stem('sail'), stem('code')];
  expect(countIn(page, stems, true).map(({ counts }) => counts)).toEqual([
    [15, 0],
    [0, 2],
    [0, 3],
  ]);
  expect(countIn(page, stems).map(({ counts }) => counts)).toEqual([[15, 5]]);
});

test('words of any letters are counted, as often as in the index', () => {
  const plain = fc.stringMatching(/^[A-Za-z0-9 _.\-—“\n]{0,200}$/);
  fc.assert(
    fc.property(plain, (text) => {
      const stems = sought(text);
      const different = [...new Set(stems)];
      const [section] = countIn(text, different);
      const expected = different.map((stem) => Math.min(15, stems.filter((each) => each === stem).length));
      expect(section?.counts ?? []).toEqual(expected);
    }),
    { numRuns: 300 },
  );
  const any = fc.string({
    unit: fc.constantFrom('a', 'B', '7', ' ', 'é', 'Ü', 'ß', '漢', 'か', 'ไ', '—', '😀', 'я', '\n'),
  });
  fc.assert(
    fc.property(any, (text) => {
      const different = [...new Set(sought(text))];
      for (const count of countIn(text, different)[0]?.counts ?? []) expect(count).toBeGreaterThan(0);
    }),
    { numRuns: 300 },
  );
});
