import fc from 'fast-check';
import { textWidth } from '../../lib/display/width.ts';
import { wrapWords } from '../../lib/display/wrap-words.ts';

const words = fc.array(fc.constantFrom('a', 'path/to/a/file.ts', '"ollm repl"', 'word', '日本語', ''), {
  maxLength: 30,
});

describe('a wrapped text', () => {
  it('has the same words in the same order, and breaks only between them', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 60 }), (list, columns) => {
        const text = list.join(' ');
        expect(wrapWords(text, columns).replaceAll('\n', ' ')).toBe(text);
      }),
    );
  });

  it('has no line wider than the limit, except a single word', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 60 }), (list, columns) => {
        for (const line of wrapWords(list.join(' '), columns).split('\n'))
          expect(textWidth(line) <= columns || !line.trim().includes(' ')).toBe(true);
      }),
    );
  });

  it('keeps lines that fit, with their spaces', () => {
    expect(wrapWords('  a   b\n\n  c', 10)).toBe('  a   b\n\n  c');
  });
});
