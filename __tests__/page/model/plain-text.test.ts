import { plainText } from '../../../lib/page/model/plain-text.ts';

describe('the plain text of Markdown', () => {
  it.each([
    ['# A title\n\nwith *one* line  \nand another', 'A title\n\nwith one line\nand another'],
    ['1. one\n2. two\n   - inner', '1. one\n2. two\n   - inner'],
    ['- [x] done\n- [ ] open', '- [x] done\n- [ ] open'],
    ['| a | b |\n|---|---|\n| 1 | `2` |', 'a\tb\n1\t2'],
    ['> said\n>\n> before', 'said\n\nbefore'],
    ['see <https://example.com> and ![a cat](cat.png)', 'see https://example.com and a cat (cat.png)'],
    ['a &amp; b < c', 'a & b < c'],
    ['', ''],
  ])('%j', (markdown, text) => {
    expect(plainText(markdown)).toBe(text);
  });
});
