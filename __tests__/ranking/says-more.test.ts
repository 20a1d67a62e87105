import { saysMoreThan } from '../../lib/ranking/says-more.ts';
import { readQuery } from '../../lib/ranking/words.ts';

describe('a text says more than a question', () => {
  const question = readQuery('which port does the server listen on?');

  it('if it has a word that is not in the question', () => {
    expect(saysMoreThan('The server listens on port 8471', question)).toBe(true);
    expect(saysMoreThan('which port does the crane listen on?', question)).toBe(true);
  });

  it('but not if it is the same question, a part of it, or empty', () => {
    for (const text of ['Which port does the server listen on?', 'on which server?', ''])
      expect(saysMoreThan(text, question)).toBe(false);
  });
});
