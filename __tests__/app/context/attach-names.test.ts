import fc from 'fast-check';
import { namedFiles } from '../../../lib/app/context/attach-names.ts';

const names = (message: string) => namedFiles(message).map(({ shown }) => shown);
const paths = (message: string) =>
  namedFiles(message)
    .filter(({ looksLikePath }) => looksLikePath)
    .map(({ shown }) => shown);

describe('the files that a message names', () => {
  it.each<[string, string[]]>([
    ['look at @lib/index.ts please', ['lib/index.ts']],
    ['@a.txt and @b.txt, and @a.txt again', ['a.txt', 'b.txt']],
    ['what is in @README.md?', ['README.md']],
    ['(see @docs/a.md)', ['docs/a.md']],
    ['@"my notes.txt" and @~/b.png', ['my notes.txt', '~/b.png']],
    ['@.env', ['.env']],
    ['@../up.txt', ['../up.txt']],
    ['write to me@example.com', []],
    ['git@github.com:a/b.git', []],
    ["import x from '@angular/core'", []],
    ['@@angular/core', []],
    ['install @types/node with npm', []],
    ['npm i @scope/name@1.2.3 @types/node@20.1', []],
    ['@scope/name/sub is imported', []],
    ['@Injectable() and @media (width)', []],
    ['@./notes and @~/notes and @/etc/hosts', ['./notes', '~/notes', '/etc/hosts']],
    ['@@ -1,3 +1,4 @@ function', []],
    ['a lonely @ sign', []],
  ])('%s', (message, expected) => {
    expect(paths(message)).toEqual(expected);
  });

  it('stay words if no file has that name', () => {
    expect(names('ask @bob about @media, he knows')).toEqual(['bob', 'media']);
    expect(paths('ask @bob about @media, he knows')).toEqual([]);
  });

  it('may end with a punctuation mark, or not', () => {
    expect(namedFiles('is it @what.txt?')[0]?.candidates).toEqual(['what.txt?', 'what.txt']);
  });

  it('are found in any text without an error, and never without an @', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('@', 'a', '.', '/', ' ', '"', '\n', '~', '\\', '\u202e') }),
        (text) => {
          for (const { shown, candidates } of namedFiles(text)) {
            expect(text).toContain(shown);
            expect(candidates.length).toBeGreaterThan(0);
          }
          if (!text.includes('@')) expect(namedFiles(text)).toEqual([]);
        },
      ),
      { numRuns: 200 },
    );
  });
});
