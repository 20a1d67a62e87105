import fc from 'fast-check';
import { createPaint } from '../../../lib/display/paint.ts';
import { MarkdownStream } from '../../../lib/repl/render/answer-stream.ts';
import { BottomRegion } from '../../../lib/repl/render/bottom-region.ts';
import { type Lex, loadLexer } from '../../../lib/repl/render/markdown.ts';
import type { Screen } from '../../../lib/repl/render/screen.ts';
import { createVirtualScreen } from '../../support/virtual-screen.ts';
import { cuts, markdown, piecesOf } from './arbitrary-markdown.ts';

let lex: Lex;
beforeAll(async () => {
  lex = await loadLexer();
});

interface ShowOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly color?: boolean;
}

/** A stream whose lines are drawn at the bottom of a screen. */
function drawnOn(screen: Screen, color: boolean) {
  const paint = createPaint(color);
  const stream = new MarkdownStream({ screen, paint, lex });
  const region = new BottomRegion(screen, paint);
  return {
    push: (text: string) => {
      const settled = stream.push(text);
      region.draw(stream.open(screen.rows - 2), settled);
    },
    note: (text: string) => region.draw(stream.open(screen.rows - 2), [[{ text, styles: ['dim'] }]]),
    end: () => region.draw([], stream.end()),
  };
}

function show(pieces: readonly string[], { columns = 40, rows = 12, color = true }: ShowOptions = {}) {
  const screen = createVirtualScreen(columns, rows);
  const stream = drawnOn(screen, color);
  for (const piece of pieces) stream.push(piece);
  stream.end();
  return screen;
}
const linesOf = (text: string, options?: ShowOptions) => show([text], options).lines().slice(0, -1);

describe('Markdown that streams', () => {
  it('ends as if it had arrived in one piece, in any pieces, on any screen', () => {
    fc.assert(
      fc.property(
        markdown,
        cuts,
        fc.integer({ min: 12, max: 90 }),
        fc.integer({ min: 4, max: 30 }),
        (text, sizes, columns, rows) => {
          const streamed = show(piecesOf(text, sizes), { columns, rows });
          const atOnce = show([text], { columns, rows });
          expect(streamed.lines()).toEqual(atOnce.lines());
          expect(streamed.cursorColumn()).toBe(0);
        },
      ),
      { numRuns: 120 },
    );
  });

  it('shows a plain paragraph word for word', () => {
    const plainWord = fc.stringMatching(/^[a-zA-Z][a-zA-Z,.?]{0,11}$/);
    fc.assert(
      fc.property(fc.array(plainWord, { minLength: 1, maxLength: 60 }), cuts, (words, sizes) => {
        const text = words.join(' ');
        const shown = show(piecesOf(text, sizes)).lines().slice(0, -1);
        expect(shown.join(' ')).toBe(text);
      }),
      { numRuns: 100 },
    );
  });

  it('keeps every character of code', () => {
    const code = fc.array(
      fc.stringMatching(/^[ -~]{0,30}$/).filter((line) => !line.trim().startsWith('~~~')),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(code, cuts, (lines, sizes) => {
        const text = ['~~~', ...lines, '~~~', ''].join('\n');
        const shown = show(piecesOf(text, sizes)).lines().slice(1, -2);
        expect(shown).toEqual(lines.map((line) => line.trimEnd()));
      }),
      { numRuns: 100 },
    );
  });

  it('prints a line of code that is wider than the screen as one line, so that it can be copied', () => {
    const written: string[] = [];
    const line = `const long = "${'x'.repeat(100)}";`;
    const screen = { columns: 40, rows: 10, movable: true, write: (text: string) => void written.push(text) };
    const stream = drawnOn(screen, false);
    stream.push(`\`\`\`\n${line}\n\`\`\`\n`);
    stream.end();
    expect(written.join('')).toContain(line);
  });

  it('never draws more rows than the screen has, so that no preliminary row scrolls away', () => {
    const text = Array.from({ length: 40 }, (_, index) => `- item ${index}`).join('\n');
    expect(
      show(piecesOf(text, [3]), { rows: 6 })
        .lines()
        .slice(0, -1),
    ).toEqual(Array.from({ length: 40 }, (_, index) => `• item ${index}`));
  });

  it('draws no preliminary row if the cursor cannot be moved', () => {
    const written: string[] = [];
    const screen = { columns: 40, rows: 10, movable: false, write: (text: string) => void written.push(text) };
    const stream = drawnOn(screen, false);
    for (const piece of piecesOf('one two\n\nthree', [2])) stream.push(piece);
    stream.end();
    expect(written.join('')).toBe('one two\n\nthree\n');
  });

  it('puts a notice above the block that is still open', () => {
    const screen = createVirtualScreen(40, 10);
    const stream = drawnOn(screen, true);
    stream.push('An open para');
    stream.note('a notice');
    stream.push('graph');
    stream.end();
    expect(screen.lines()).toEqual(['a notice', 'An open paragraph', '']);
  });

  it('removes control sequences, also those that arrive in pieces', () => {
    const shown = show(
      piecesOf('safe \x1b]52;c;aGk=\x07text \x1b[1A\x1b[2Kend\n```\n\x1b[31mcode\x1b[0m\n```', [3]),
    ).lines();
    expect(shown.slice(0, 3)).toEqual(['safe text end', '```', 'code']);
  });
});

describe('the look of Markdown', () => {
  it('has emphasis and code in styles, or with their marks if there are no styles', () => {
    expect(linesOf('**a** *b* `c` ~~d~~')).toEqual(['a b c d']);
    expect(linesOf('**a** *b* `c` ~~d~~', { color: false })).toEqual(['**a** *b* `c` ~~d~~']);
  });

  it('has the numbers of lists as written, and nested lists', () => {
    expect(linesOf('9. a\n10. b\n    - c\n- [x] d\n- [ ] e')).toEqual([' 9. a', '10. b', '    • c', '☑ d', '☐ e']);
  });

  it('wraps an item next to its marker', () => {
    expect(linesOf('- one two three four five', { columns: 14 })).toEqual(['• one two', '  three four', '  five']);
  });

  it('shows the target of a link', () => {
    expect(linesOf('[bank](http://evil.example) and http://a.b')).toEqual([
      'bank (http://evil.example) and',
      'http://a.b',
    ]);
  });

  it('bars quotes', () => {
    expect(linesOf('> one\n> two')).toEqual(['│ one', '│ two']);
  });

  it('aligns tables', () => {
    expect(linesOf('| name | n |\n|:--|--:|\n| a | 10 |\n| 日本 | 5 |')).toEqual([
      'name │  n',
      '─────┼───',
      'a    │ 10',
      '日本 │  5',
    ]);
  });

  it('wraps the widest column of a table that is too wide', () => {
    expect(linesOf('| a | b |\n|--|--|\n| x | one two three four |', { columns: 20 })).toEqual([
      'a │ b',
      '──┼────────────────',
      'x │ one two three',
      '  │ four',
    ]);
  });

  it('shows a table row by row if it does not fit', () => {
    expect(linesOf('| heading | second one | third one |\n|-|-|-|\n| a | b | c |', { columns: 20 })).toEqual([
      'heading: a',
      'second one: b',
      'third one: c',
    ]);
  });

  it('keeps line breaks within a paragraph', () => {
    expect(linesOf('roses are red\nviolets are blue')).toEqual(['roses are red', 'violets are blue']);
  });

  it('shows HTML and definitions unchanged', () => {
    expect(linesOf('<b>x</b>\n\n[a]: http://b.c')).toEqual(['<b>x</b>', '', '[a]: http://b.c']);
  });

  it('folds blank lines between blocks into one, and has none at the start', () => {
    expect(linesOf('\n\na\n\n\n\nb')).toEqual(['a', '', 'b']);
  });
});
