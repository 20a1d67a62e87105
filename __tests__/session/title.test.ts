import fc from 'fast-check';
import { titleFrom } from '../../lib/session/title.ts';
import { anyCharacter } from '../support/any-character.ts';

describe('a derived title', () => {
  it('is the first line with words', () => {
    expect(titleFrom('\n\n  ## Plan the release \nand then')).toBe('Plan the release');
  });

  it('is cut at a word', () => {
    const title = titleFrom(`Why does ${'the journal '.repeat(10)} end here?`);
    expect(title).toMatch(/ (the|journal)…$/);
  });

  it('is empty without words', () => {
    expect(titleFrom(' \n\u200b\n')).toBeUndefined();
  });

  it('is short, one line, and free of control characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (text) => {
        const title = titleFrom(text) ?? '';
        return [...title].length <= 60 && !/[\p{Cc}\p{Cs}\u202a-\u202e]/u.test(title);
      }),
      { numRuns: 300 },
    );
  });
});
