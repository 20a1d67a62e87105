import fc from 'fast-check';
import { matchesWildcard, parseWildcard } from '../../lib/discovery/wildcard.ts';

function matches(pattern: string, text: string): boolean {
  const wildcard = parseWildcard(pattern);
  return wildcard !== undefined && matchesWildcard(wildcard, text);
}

describe('the wildcards of ignore rules', () => {
  test.each([
    ['*.log', 'a.log', 'a.log.gz'],
    ['a?c', 'abc', 'ac'],
    ['a?c', 'a?c', 'a/c'],
    ['*', 'a', 'a/b'],
    ['**/a', 'a', 'ba'],
    ['**/a', 'x/y/a', 'x/y/ba'],
    ['a/**', 'a/b/c', 'a'],
    ['a/**/b', 'a/b', 'ab'],
    ['a/**/b', 'a/x/y/b', 'a/x/yb'],
    ['*x**', 'axb', 'axb/c'],
    ['[a-c]', 'b', 'd'],
    ['[!a-c]', 'd', 'b'],
    ['[^a]', 'b', '/'],
    ['[]-]', ']', 'a'],
    ['[a-]', '-', 'b'],
    ['[c-a]', 'c', 'b'],
    ['[\\]]', ']', '\\'],
    ['[[:digit:]x]', '7', ':'],
    ['[:digit:]', ':', '7'],
    ['\\*', '*', 'a'],
  ])('%s matches %j, and not %j', (pattern, yes, no) => {
    expect([matches(pattern, yes), matches(pattern, no)]).toEqual([true, false]);
  });

  test.each(['[a', '[', '[!', '[[:digit:]', '[[:nothing:]]', 'a\\', '[a\\', '[a-\\'])(
    '%s matches nothing',
    (pattern) => {
      expect(parseWildcard(pattern)).toBeUndefined();
    },
  );

  test('matching finds what trying everything finds', () => {
    const name = fc.array(fc.constantFrom('a', 'b', '?', '*', '[ab]'), { maxLength: 4 }).map(withoutDoubles);
    const parts = fc.array(fc.oneof(name, fc.constant(['**'])), { minLength: 1, maxLength: 4 });
    const text = fc.array(fc.constantFrom('a', 'b', '/'), { maxLength: 10 }).map((characters) => characters.join(''));
    fc.assert(
      fc.property(parts, text, (parts, text) => {
        const pieces = parts.flatMap((part, index) => {
          const isLast = index === parts.length - 1;
          if (part[0] === '**') return [isLast ? '**' : '**/'];
          return isLast ? part : [...part, '/'];
        });
        expect(matches(pieces.join(''), text)).toBe(triesAll(pieces, text));
      }),
      { numRuns: 1000 },
    );
  });

  test('a pattern full of stars is answered at once', () => {
    const long = 'a'.repeat(4000);
    expect(matches(`${'*a'.repeat(1000)}b`, long)).toBe(false);
    expect(matches(`${'**/*a*/'.repeat(300)}b`, 'aa/'.repeat(1000))).toBe(false);
    expect(matches(`${'[a-z]*'.repeat(500)}!`, long)).toBe(false);
  });
});

function withoutDoubles(pieces: readonly string[]): string[] {
  return pieces.filter((piece, index) => piece !== '*' || pieces[index - 1] !== '*');
}

/** What the pieces mean, said as plainly as can be. */
function triesAll(pieces: readonly string[], text: string): boolean {
  const [piece, ...rest] = pieces;
  const after = (length: number) => triesAll(rest, text.slice(length));
  const lengths = [...Array(text.length + 1).keys()];
  switch (piece) {
    case undefined:
      return text === '';
    case '**':
      return true;
    case '**/':
      return lengths.some((length) => (length === 0 || text[length - 1] === '/') && after(length));
    case '*':
      return lengths.some((length) => !text.slice(0, length).includes('/') && after(length));
    case '?':
      return text !== '' && text[0] !== '/' && after(1);
    case '[ab]':
      return /^[ab]/.test(text) && after(1);
    default:
      return text.startsWith(piece) && after(piece.length);
  }
}
