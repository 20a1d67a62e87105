// The part of a passage that is quoted: whole lines of it, the paragraph or the definition.
import fc from 'fast-check';
import { quoteOf } from '../../lib/ranking/quote.ts';
import { stem } from '../../lib/ranking/words.ts';

const about = (...words: string[]) => {
  const stems = words.map(stem);
  return { weightOf: (each: string) => (stems.includes(each) ? 1 : 0), identifiers: [] as string[] };
};

test('a paragraph is quoted with its heading', () => {
  const text = '# Ships\n\nThey float.\n\n## Anchors\n\nAn anchor is iron.\nIt holds.\n\nThe mast is oak.\n';
  expect(quoteOf(text, { ...about('iron'), kind: 'prose' })).toEqual({
    best: 6,
    first: 4,
    text: '## Anchors\n\nAn anchor is iron.\nIt holds.',
  });
});

test('a paragraph that ends with a colon is quoted with the text that follows', () => {
  const text = 'Type the anchor:\n\n```sh\nanchor\n\nlet go\n```\n\nAnd so on.\n';
  expect(quoteOf(text, { ...about('type'), kind: 'prose' }).text).toBe(
    'Type the anchor:\n\n```sh\nanchor\n\nlet go\n```',
  );
});

test('a definition is quoted with its comment, to its closing line', () => {
  const text = 'const a = 1;\n\n// Lets go.\nfunction anchor() {\n  drop();\n\n  wait();\n}\n\nfunction mast() {}\n';
  const { text: quoted } = quoteOf(text, { ...about('anchor'), identifiers: ['anchor'], kind: 'code' });
  expect(quoted).toBe('// Lets go.\nfunction anchor() {\n  drop();\n\n  wait();\n}');
});

test('data is quoted by its entry', () => {
  const text = '{\n  "name": "a",\n  "scripts": {\n    "test": "node"\n  },\n  "license": "MIT"\n}\n';
  expect(quoteOf(text, { ...about(), kind: 'data', says: /"scripts"/ }).text).toBe(
    '  "scripts": {\n    "test": "node"\n  },',
  );
});

test('a quote consists of lines of the passage, including its best, for any text', () => {
  const line = fc.constantFrom('anchor', '  anchor', '}', '{', '', '   ', '# anchor', '```', 'a: b:', '<p>', '\tx');
  const kind = fc.constantFrom('prose' as const, 'code' as const, 'data' as const);
  const says = fc.constantFrom(undefined, 'head' as const, /a/);
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 40 }), kind, says, (lines, of, where) => {
      const { best, first, text } = quoteOf(lines.join('\n'), { ...about('anchor'), kind: of, says: where });
      const quoted = text.split('\n');
      expect(quoted).toEqual(lines.slice(first, first + quoted.length));
      expect(best).toBeGreaterThanOrEqual(first);
      expect(best).toBeLessThan(first + quoted.length);
      expect(quoted.length).toBeLessThanOrEqual(24);
    }),
  );
});
