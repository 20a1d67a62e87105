import fc from 'fast-check';
import { createPaint, type StyledLine } from '../../../lib/display/paint.ts';
import { MarkdownStream } from '../../../lib/repl/render/answer-stream.ts';
import { Highlighter } from '../../../lib/repl/render/highlight.ts';
import { languageOf } from '../../../lib/repl/render/highlight-languages.ts';
import { loadLexer } from '../../../lib/repl/render/markdown.ts';

const textOf = (lines: readonly StyledLine[]) => lines.map((line) => line.map(({ text }) => text).join(''));
const stylesOf = (line: StyledLine) =>
  line.filter(({ text }) => text.trim() !== '').map(({ text, styles }) => [text, ...styles]);

describe('code in colours', () => {
  it.each([
    ['ts', 'typescript'],
    ['{.python}', 'python'],
    ['js title="a.js"', 'javascript'],
    ['C++', 'cpp'],
    ['C#', 'csharp'],
    ['', undefined],
    ['klingon', undefined],
  ])('knows %j', (words, language) => {
    expect(languageOf(words)).toBe(language);
  });

  it('colours a line by everything before it in its block', () => {
    const block = new Highlighter().block('ts');
    expect(stylesOf(block.lines(['const a = 1;'])[0]!)).toEqual([
      ['const', 'magenta'],
      [' a = '],
      ['1', 'yellow'],
      [';'],
    ]);
    expect(block.lines(['/* open']).map(stylesOf)).toEqual([[['/* open', 'dim']]]);
    expect(stylesOf(block.open('const b'))).toEqual([['const b', 'dim']]);
    expect(block.lines(['still */ const']).map(stylesOf)[0]?.[0]).toEqual(['still */', 'dim']);
  });

  it('has one colour in an unknown language', () => {
    const other = new Highlighter().block('klingon');
    expect(stylesOf(other.lines(['const a'])[0]!)).toEqual([['const a', 'cyan']]);
  });

  it('never changes the text, in any pieces', () => {
    const highlighter = new Highlighter();
    const line = fc.string({ unit: fc.constantFrom(...'ab <>&"\'`/*{}();=$\\é日'), maxLength: 30 });
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 12 }),
        fc.constantFrom('ts', 'html', 'bash'),
        (texts, words) => {
          const together = highlighter.block(words);
          const apart = highlighter.block(words);
          expect(textOf(together.lines(texts))).toEqual(texts);
          for (const text of texts) {
            expect(textOf([apart.open(text)])).toEqual([text]);
            expect(textOf(apart.lines([text]))).toEqual([text]);
          }
        },
      ),
    );
  });

  it('appears in answers if colours are on, and is not loaded if they are off', async () => {
    const lex = await loadLexer();
    const highlighter = new Highlighter();
    const asked: string[] = [];
    const watched = {
      block(words: string) {
        asked.push(words);
        return highlighter.block(words);
      },
    } as unknown as Highlighter;
    const lines = (enabled: boolean) => {
      const stream = new MarkdownStream({
        screen: { columns: 80 },
        paint: createPaint(enabled),
        lex,
        highlighter: watched,
      });
      return [...stream.push('```ts\nconst a = 1;\n```\n\nSee `a`.\n'), ...stream.end()];
    };
    expect(lines(true)[1]?.[0]).toEqual({ text: 'const', styles: ['magenta'] });
    expect(asked).toEqual(['ts']);
    expect(textOf(lines(false)).slice(0, 3)).toEqual(['```ts', 'const a = 1;', '```']);
    expect(asked).toEqual(['ts']);
  });
});
