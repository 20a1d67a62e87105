import fc from 'fast-check';
import { BlockCutter, type MarkdownBlock } from '../../../lib/repl/render/blocks.ts';
import { cuts, markdown, piecesOf } from './arbitrary-markdown.ts';

function blocksOf(pieces: readonly string[]): MarkdownBlock[] {
  const cutter = new BlockCutter();
  return [...pieces.flatMap((piece) => cutter.push(piece)), ...cutter.end()];
}
const describeBlocks = (text: string) =>
  blocksOf([text]).map((block) =>
    block.type === 'markdown' ? block.source : block.type === 'blank' ? '' : `${block.type} ${block.line}`,
  );

describe('cutting Markdown that arrives', () => {
  it('closes a paragraph at a blank line', () => {
    const cutter = new BlockCutter();
    expect(cutter.push('one\ntwo\n')).toEqual([]);
    expect(cutter.push('\n')).toEqual([{ type: 'markdown', source: 'one\ntwo' }, { type: 'blank' }]);
  });

  it('closes a heading at its end, and a paragraph before it', () => {
    expect(describeBlocks('text\n# Title\nmore')).toEqual(['text', '# Title', 'more']);
  });

  it('gives code line by line, and reads no Markdown in it', () => {
    const cutter = new BlockCutter();
    expect(cutter.push('```ts\n# no\n\n- no\n')).toEqual([
      { type: 'fence', line: '```ts' },
      { type: 'code', line: '# no' },
      { type: 'code', line: '' },
      { type: 'code', line: '- no' },
    ]);
    expect(cutter.push('```\n')).toEqual([{ type: 'fence', line: '```' }]);
  });

  it('closes code only with a fence of its kind and length', () => {
    expect(describeBlocks('````\n```\n~~~~\n````\nend')).toEqual([
      'fence ````',
      'code ```',
      'code ~~~~',
      'fence ````',
      'end',
    ]);
  });

  it('keeps a list with blank lines and nested code together', () => {
    const list = '1. one\n\n   ```js\n   a\n   ```\n\n2. two';
    expect(describeBlocks(`${list}\n\nafter`)).toEqual([list, '', 'after']);
  });

  it('reads an underline as a heading and not as a rule', () => {
    expect(describeBlocks('Title\n---\ntext\n\n---\n')).toEqual(['Title\n---', 'text', '', '---']);
  });

  it('cuts an endless block at a word', () => {
    const words = 'word '.repeat(2048);
    const sources = describeBlocks(words);
    expect(sources.length).toBeGreaterThan(1);
    expect(sources.join(' ')).toBe(words.trim());
  });

  it('shows the open block', () => {
    const cutter = new BlockCutter();
    cutter.push('- one\n- tw');
    expect(cutter.open()).toEqual({ type: 'markdown', source: '- one\n- tw' });
  });

  it('cuts at the same places however the text arrives', () => {
    fc.assert(
      fc.property(markdown, cuts, (text, sizes) => {
        expect(blocksOf(piecesOf(text, sizes))).toEqual(blocksOf([text]));
      }),
      { numRuns: 500 },
    );
  });

  it('cuts at the same places however a text that is too long arrives', () => {
    const long = fc.array(fc.constantFrom('word ', 'x'.repeat(3000), 'line\n', '日'.repeat(2000)), {
      minLength: 4,
      maxLength: 30,
    });
    fc.assert(
      fc.property(long, fc.integer({ min: 1, max: 5000 }), (parts, size) => {
        const text = parts.join('');
        expect(blocksOf(piecesOf(text, [size]))).toEqual(blocksOf([text]));
      }),
    );
  });

  it('loses nothing but white space', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const kept = blocksOf([text]).map((block) =>
          block.type === 'blank' ? '' : block.type === 'markdown' ? block.source : block.line,
        );
        expect(kept.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
      }),
      { numRuns: 500 },
    );
  });
});
