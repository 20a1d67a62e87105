import fc from 'fast-check';
import { wordsOf } from '../../../lib/page/model/changed-words.ts';
import { linesOfChange, sizeOfChange } from '../../../lib/page/model/line-diff.ts';

const text = fc
  .array(fc.constantFrom('a', 'b', 'a b', 'const x = 1;', ''), { maxLength: 12 })
  .map((lines) => lines.join('\n'));
const signed = (before: string, after: string) =>
  linesOfChange(before, after, wordsOf).map(({ sign, words }) => sign + words.map((word) => word.text).join(''));

describe('the lines of a change', () => {
  it('contain both sides', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = linesOfChange(`${before}\n`, `${after}\n`, wordsOf);
        const side = (left: '+' | '-') =>
          lines
            .flatMap(({ sign, words }) => (sign === left ? [] : [`${words.map((word) => word.text).join('')}\n`]))
            .join('');
        expect([side('+'), side('-')]).toEqual([`${before}\n`, `${after}\n`]);
      }),
    );
  });

  it('mark the words that differ', () => {
    expect(signed('let x = 1;\nend', 'let y = 1;\nend')).toEqual(['-let x = 1;', '+let y = 1;', ' end']);
    const [removed] = linesOfChange('let x = 1;', 'let y = 1;', wordsOf);
    expect(removed?.words.filter(({ isChanged }) => isChanged)).toEqual([{ text: 'x', isChanged: true }]);
  });

  it('without anything in common are whole lines, and the comparison ends', () => {
    const [before, after] = ['a', 'b'].map((word) =>
      Array.from({ length: 6000 }, (_, at) => `${word}${at}`).join('\n'),
    );
    expect(linesOfChange(before!, after!, wordsOf)).toHaveLength(12_000);
    expect(sizeOfChange(before!, after!)).toBeUndefined();
  });
});
