// The part of a passage that is quoted: whole lines of it, the paragraph or the definition.
import fc from 'fast-check';
import { quoteOf } from '../../lib/ranking/quote.ts';
import { stem } from '../../lib/ranking/words.ts';

const about = (...words: string[]) => {
  const stems = words.map(stem);
  return { weightOf: (each: string) => (stems.includes(each) ? 1 : 0), identifiers: [] as string[] };
};

test('A paragraph is quoted with the heading that it is under', () => {
  const text = '# Ships\n\nThey float.\n\n## Anchors\n\nAn anchor is iron.\nIt holds.\n\nThe mast is oak.\n';
  expect(quoteOf(text, { ...about('iron'), kind: 'prose' })).toEqual({
    best: 6,
    first: 4,
    text: '## Anchors\n\nAn anchor is iron.\nIt holds.',
  });
});

test('A paragraph that ends with a colon goes on with what it announces', () => {
  const text = 'Type the anchor:\n\n```sh\nanchor\n\nlet go\n```\n\nAnd so on.\n';
  expect(quoteOf(text, { ...about('type'), kind: 'prose' }).text).toBe(
    'Type the anchor:\n\n```sh\nanchor\n\nlet go\n```',
  );
});

test('A definition is quoted with its comment, to the line that closes it', () => {
  const text = 'const a = 1;\n\n// Lets go.\nfunction anchor() {\n  drop();\n\n  wait();\n}\n\nfunction mast() {}\n';
  const { text: quoted } = quoteOf(text, { ...about('anchor'), identifiers: ['anchor'], kind: 'code' });
  expect(quoted).toBe('// Lets go.\nfunction anchor() {\n  drop();\n\n  wait();\n}');
});

test('Of data the entry is quoted', () => {
  const text = '{\n  "name": "a",\n  "scripts": {\n    "test": "node"\n  },\n  "license": "MIT"\n}\n';
  expect(quoteOf(text, { ...about(), kind: 'data', says: /"scripts"/ }).text).toBe(
    '  "scripts": {\n    "test": "node"\n  },',
  );
});

test('A quote is some lines of the passage, the best of them among them, whatever the text is', () => {
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
