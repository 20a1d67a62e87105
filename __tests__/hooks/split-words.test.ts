import fc from 'fast-check';
import { splitWords } from '../../lib/hooks/split-words.ts';
import { anyCharacter } from '../support/any-character.ts';

const words = (line: string) => {
  const split = splitWords(line, { homeDirectory: '/home/me' });
  return split.ok ? split.words : split.problem;
};

describe('a line with a program and its arguments', () => {
  it.each([
    ['check', ['check']],
    ['  check\t-v  --deep ', ['check', '-v', '--deep']],
    [`check 'two words' "and \\"quoted\\""`, ['check', 'two words', 'and "quoted"']],
    [`check a'b c'd`, ['check', 'ab cd']],
    [`check '' ""`, ['check', '', '']],
    ['check two\\ words', ['check', 'two words']],
    [`check '$HOME' "a|b" \\$x`, ['check', '$HOME', 'a|b', '$x']],
    ['check "back\\slash"', ['check', 'back\\slash']],
    ['~/bin/check ~/x a~/b "~/y"', ['/home/me/bin/check', '/home/me/x', 'a~/b', '~/y']],
    ['/bin/check a#b', ['/bin/check', 'a#b']],
  ])('%s', (line, expected) => {
    expect(words(line)).toEqual(expected);
  });

  it.each([
    ['', 'names no program'],
    ["''", 'names no program'],
    ["check 'open", "a ' is not closed"],
    ['check "open', 'a " is not closed'],
    ['check \\', 'ends with a backslash'],
    ['check | tee log', '| must be in quotes'],
    ['check $HOME', '$ must be in quotes'],
    ['check `id`', '` must be in quotes'],
    ['check; rm x', '; must be in quotes'],
    ['check *.ts', '* must be in quotes'],
    ['check # later', '# must be in quotes'],
    ['check a\0b', 'holds a NUL'],
  ])('is refused rather than misread: %j', (line, problem) => {
    expect(words(line)).toContain(problem);
  });

  it('gives back every list of words that was quoted', () => {
    const word = fc.string({ unit: anyCharacter }).filter((text) => !text.includes('\0'));
    const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
    fc.assert(
      fc.property(word, fc.array(word), (program, rest) => {
        fc.pre(program !== '');
        expect(words([program, ...rest].map(quoted).join(' '))).toEqual([program, ...rest]);
      }),
      { numRuns: 200 },
    );
  });
});
