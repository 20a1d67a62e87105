import fc from 'fast-check';
import { excerptOf } from '../../../lib/repl/render/few-lines.ts';

describe('an excerpt', () => {
  it('is all of a short text', () => {
    expect(excerptOf('a\nb\nc\n', { head: 1, tail: 1 })).toEqual({ head: ['a', 'b', 'c'], hidden: 0, tail: [] });
    expect(excerptOf('', { head: 1, tail: 1 })).toEqual({ head: [], hidden: 0, tail: [] });
  });

  it('is the head and the tail of a long text', () => {
    expect(excerptOf('1\n2\n3\n4\n5', { head: 2, tail: 1 })).toEqual({ head: ['1', '2'], hidden: 2, tail: ['5'] });
  });

  it('keeps empty lines at its beginning and at its end', () => {
    expect(excerptOf('\n\n\n', { head: 0, tail: 1 })).toEqual({ head: [], hidden: 2, tail: [''] });
    expect(excerptOf('\n\n\n\n', { head: 1, tail: 1 })).toEqual({ head: [''], hidden: 2, tail: [''] });
  });

  it('accounts for every line of any text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z ]{0,5}$/), { maxLength: 40 }),
        fc.integer({ min: 0, max: 5 }),
        fc.integer({ min: 0, max: 5 }),
        (lines, head, tail) => {
          const text = lines.join('\n');
          const excerpt = excerptOf(text, { head, tail });
          const whole = text.replace(/\n$/, '');
          const expected = whole === '' ? [] : whole.split('\n');
          expect(excerpt.head.length + excerpt.hidden + excerpt.tail.length).toBe(expected.length);
          expect(excerpt.head).toEqual(expected.slice(0, excerpt.head.length));
          expect(excerpt.tail).toEqual(expected.slice(expected.length - excerpt.tail.length));
          expect(excerpt.hidden).not.toBe(1);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('cuts a line that is too long for a screen', () => {
    const { head } = excerptOf('x'.repeat(10_000_000), { head: 2, tail: 2 });
    expect(head[0]!.length).toBeLessThan(3000);
  });
});
