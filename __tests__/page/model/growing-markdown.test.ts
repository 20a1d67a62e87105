import fc from 'fast-check';
import { GrowingMarkdown, lexed } from '../../../lib/page/model/growing-markdown.ts';

const BLOCKS = [
  'A paragraph with **bold**\nand `code`.\n\n',
  '- one\n- two\n\n',
  '- one\n\n- two\n\n  of it\n\n',
  '| a | b |\n|---|---|\n| 1 | 2 |\n\n',
  '```ts\nconst a = 1;\n\nconst b = 2;\n```\n\n',
  '# A heading\n\n',
  '> quoted\n\n',
  'A title\n===\n\n',
  '---\n\n',
  'متى 什么 🌹\u202e\r\n\r\n',
];

/** Without where each block was cut. */
const shapes = (tokens: readonly { type: string; raw: string }[]) =>
  tokens.filter(({ type }) => type !== 'space').map(({ type, raw }) => [type, raw.trimEnd()]);

describe('Markdown that grows', () => {
  const texts = fc.array(fc.constantFrom(...BLOCKS), { maxLength: 12 }).map((blocks) => blocks.join(''));
  const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 });

  it('has the blocks of the whole text, in any pieces', () => {
    fc.assert(
      fc.property(texts, sizes, (text, pieces) => {
        const growing = new GrowingMarkdown();
        let at = 0;
        for (let turn = 0; at < text.length; turn += 1) {
          at += pieces[turn % pieces.length]!;
          growing.grow(text.slice(0, at));
        }
        const whole = new GrowingMarkdown().grow(text);
        expect(shapes([...growing.finished, ...growing.last])).toEqual(shapes([...whole.finished, ...whole.last]));
      }),
      { numRuns: 300 },
    );
  });

  it('reads only its end again', () => {
    const growing = new GrowingMarkdown();
    let text = '';
    let longest = 0;
    for (let at = 0; at < 500; at += 1) {
      text += `Walnut number ${at} fell.\n\n`;
      growing.grow(text);
      longest = Math.max(longest, growing.last.length);
    }
    // Two blocks and the empty lines after them.
    expect(longest).toBeLessThanOrEqual(4);
    expect(growing.finished.length).toBeGreaterThan(900);
  });

  it('keeps finished blocks unchanged: the same blocks in the same order', () => {
    const growing = new GrowingMarkdown().grow('One.\n\nTwo.\n\nThree.\n\nFour.');
    const [first] = growing.finished;
    growing.grow('One.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.\n\n');
    expect(growing.finished[0]).toBe(first);
    expect(first?.raw).toBe('One.');
  });

  it('begins again with a different text', () => {
    const growing = new GrowingMarkdown().grow('One.\n\nTwo.\n\nThree.\n\nFour.');
    growing.grow('Another.');
    expect(growing.finished).toEqual([]);
    expect(shapes(growing.last)).toEqual(shapes(lexed('Another.')));
  });
});
