import fc from 'fast-check';
import { Marked } from 'marked';
import { printable } from '../../lib/display/printable.ts';
import { containedPieces, fenced, fencedPieces, plainInMarkdown } from '../../lib/exporters/contained-markdown.ts';
import { hostileText } from './hostile-text.ts';

const containedMarkdown = (source: string) => [...containedPieces(source)].join('');
const types = (markdown: string) => new Marked().lexer(markdown).map(({ type }) => type);

describe('Markdown of untrusted text', () => {
  it.each([
    ['# One\n\nTwo\n===\n', '#### One\n\n#### Two'],
    ['> quoted\ngoes on\n===', '> quoted\n> goes on\n> \\==='],
    ['[a]: https://a.example "t"', '\\[a]: https://a.example "t"'],
    ['[\n[a]: https://a.example', '\\[\n\\[a]: <https://a.example>'],
    ['[a\nb](https://a.example)', '[a b](<https://a.example>)'],
    ['***', '* * *'],
    ['    indented', '```\nindented\n```'],
    ['~~~js\nopen', '```js\nopen\n```'],
    ['1) one\n2) two\n   - deep', '1. one\n2. two\n   - deep'],
    ['- [x] done\n- [ ] open', '- [x] done\n- [ ] open'],
    ['| a | b |\n|:-|-:|\n| `x\\|y` | <b> |', '| a | b |\n| :--- | ---: |\n| `x\\|y` | &lt;b> |'],
    ['<div>\nraw\n</div>', '```html\n<div>\nraw\n</div>\n```'],
    ['see <https://a.example> and https://b.example', 'see <https://a.example> and <https://b.example>'],
    ['[a](https://a.example/x_(y) "t")', '[a](<https://a.example/x_(y)>)'],
    ['a **b** _c_ ~~d~~ `e` \\* f  \ng', 'a **b** _c_ ~~d~~ `e` \\* f  \ng'],
  ])('%j', (source, expected) => {
    expect(containedMarkdown(source)).toBe(expected);
  });

  it('leaves no raw HTML and no link definition', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const contained = containedMarkdown(text);
        expect(types(contained).filter((type) => type === 'html' || type === 'def')).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('has a code block that contains any text whole', () => {
    fc.assert(
      fc.property(hostileText, (content) => {
        const tokens = new Marked().lexer(`${fenced(content, 'js')}\n\nafter`);
        expect(tokens.map(({ type }) => type)).toEqual(['code', 'space', 'paragraph']);
      }),
    );
  });

  it('has only text in plain text on one line', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const tokens = new Marked().lexer(`| ${plainInMarkdown(text)} |`);
        expect(tokens.map(({ type }) => type)).toEqual(['paragraph']);
      }),
    );
  });
});

describe('Markdown in pieces', () => {
  it('has an equal code block for any content', () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 0, max: 3 }), (text, long) => {
        const source = text + 'long `text` '.repeat(long * 2000) + text;
        expect([...fencedPieces(source, 'diff')].join('')).toBe(fenced(printable(source), 'diff'));
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['a long one', `${'many words '.repeat(30_000)}\n`],
    ['a long one of line breaks that become shorter', '\r\n'.repeat(100_010)],
  ])('is a code block for %s', (_, source) => {
    expect(containedMarkdown(source)).toBe(fenced(printable(source)));
  });
});
