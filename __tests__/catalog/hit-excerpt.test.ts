// The words around a hit, on one line, with the places of the searched words.
import fc from 'fast-check';
import { excerptAround, excerptAt } from '../../lib/catalog/hit-excerpt.ts';
import { parseQuery } from '../../lib/catalog/query.ts';
import { anyCharacter } from '../support/any-character.ts';

function marked(text: string, query: string): string {
  const { text: shown, marks } = excerptAround(text, parseQuery(query).terms);
  let result = '';
  let done = 0;
  for (const [start, end] of marks) {
    result += `${shown.slice(done, start)}[${shown.slice(start, end)}]`;
    done = end;
  }
  return result + shown.slice(done);
}

const LONG = 'word '.repeat(200);

describe('an excerpt', () => {
  it.each([
    ['one two three', 'two', 'one [two] three'],
    ['Die ÄNDERUNG hier', 'anderung', 'Die [ÄNDERUNG] hier'],
    ['call getUserName()', 'user', 'call get[User]Name()'],
    ['the configuration', 'conf*', 'the [configuration]'],
    ['连接被重置了', '重置', '连接被[重置]了'],
    ['a  line\n\tand   another', 'another', 'a line and [another]'],
    ['done 🎉 now', '🎉', 'done [🎉] now'],
    ['nothing of it', 'else', 'nothing of it'],
  ])('of %j for %s is %s', (text, query, expected) => expect(marked(text, query)).toBe(expected));

  it('is at the place where most of the words are near each other', () => {
    const text = `alpha ${LONG}alpha beta gamma ${LONG}beta`;
    expect(marked(text, 'alpha beta gamma')).toMatch(/^….*\[alpha\] \[beta\] \[gamma\].*…$/);
  });

  it('counts several forms of a word as one', () => {
    const terms = ['fix', 'fixes', 'fixed'].map((text) => ({ text, isPrefix: false, formOf: 0 }));
    const parser = { text: 'pars', isPrefix: true, formOf: 1 };
    const { text } = excerptAround(`fix fixes fixed ${LONG} parsers fixed`, [...terms, parser]);
    expect(text.endsWith('parsers fixed')).toBe(true);
  });

  it('of a long text is around the rarest of the words, and around whole words, at any place', () => {
    const [common, filler] = ['the '.repeat(50_000), 'word '.repeat(40_000)];
    expect(marked(`${common}${LONG}the harbour master${LONG}`, 'the harbour')).toContain('[the] [harbour] master');
    expect(marked(`concatenated ${filler}a cat sleeps ${filler}`, 'cat')).toContain('a [cat] sleeps');
    expect(marked(`bobcat ${filler}a getCatName ${filler}`, 'cat')).toContain('get[Cat]Name');
  });

  it('marks the same words in a text of only ASCII letters and in one with others', () => {
    const piece = fc.constantFrom('cat', 'Cat', 'concat', 'getCatName', 'CATS', 'cat9', '_cat', 'dog', 'do', '-', '.');
    const text = fc.array(fc.tuple(piece, fc.constantFrom(' ', '', '\n', '(')), { maxLength: 20 });
    fc.assert(
      fc.property(text, fc.constantFrom('cat', 'cat dog', 'ca*', '"cat dog"', 'getCatName do'), (pieces, query) => {
        const said = pieces.flat().join('');
        const { terms } = parseQuery(query.replace('ca*', 'cat*'));
        expect(excerptAround(`${said} .`, terms).marks).toEqual(excerptAround(`${said} …`, terms).marks);
      }),
    );
  });

  it('is short, well formed, and its marks are inside, for any text', () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 600 });
    fc.assert(
      fc.property(text, text, fc.nat(600), fc.nat(600), (said, query, from, length) => {
        const terms = [{ text: query, isPrefix: false }];
        const start = Math.min(from, said.length);
        for (const excerpt of [
          excerptAround(said, terms),
          excerptAt(said, start, Math.min(said.length, start + length)),
        ]) {
          expect(excerpt.text.length).toBeLessThanOrEqual(400);
          expect(excerpt.text).not.toMatch(/[\n\r\t]/);
          let done = 0;
          for (const [begin, end] of excerpt.marks) {
            expect(begin).toBeGreaterThanOrEqual(done);
            expect(end).toBeGreaterThanOrEqual(begin);
            done = end;
          }
          expect(done).toBeLessThanOrEqual(excerpt.text.length);
          if (said.isWellFormed()) expect(excerpt.text.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});
