import fc from 'fast-check';
import { cutText } from '../../lib/retrieval/cut-text.ts';
import { estimateTokens } from '../../lib/tokens/estimate.ts';

const sentence = 'The writer holds the lock of the kernel for as long as it lives. ';
const paragraph = (name: string) => `${name}. ${sentence.repeat(16)}`;

describe('cutText', () => {
  it('cuts at headings, and names those above a passage', () => {
    const text = `# Locks\n\n${paragraph('One')}\n\n## When they end\n\n${paragraph('Two')}\n\n# Files\n\n${paragraph('Three')}`;
    expect(cutText(text, { isMarkdown: true }).map(({ line, headings }) => [line, headings])).toEqual([
      [1, ['Locks']],
      [5, ['Locks', 'When they end']],
      [9, ['Files']],
    ]);
  });

  it('treats no line in a fence, or outside Markdown, as a heading', () => {
    const text = `\`\`\`sh\n# not a heading\n\`\`\`\n\n${paragraph('One')}`;
    expect(cutText(text, { isMarkdown: true }).flatMap(({ headings }) => headings)).toEqual([]);
    expect(cutText('# a comment\nx = 1', { isMarkdown: false })[0]?.headings).toEqual([]);
  });

  it('cuts code before an unindented line rather than inside a function', () => {
    const body = (name: string) => `function ${name}() {\n${`  ${sentence}\n`.repeat(18)}}\n\n`;
    const code = `${body('one')}${body('two')}${body('three')}`;
    const [, second] = cutText(code, { isMarkdown: false });
    expect(second?.text).toContain('function two');
    expect(second?.text.indexOf('function two')).toBeLessThan(200);
  });

  it('lets adjacent passages of one section share some lines, but not many', () => {
    const lines = Array.from({ length: 120 }, (_, index) => `${index}: ${sentence}`).join('\n');
    const passages = cutText(lines, { isMarkdown: false });
    for (const [index, { line }] of passages.slice(1).entries()) {
      const shared = passages[index]!.lastLine - line + 1;
      expect(shared).toBeGreaterThanOrEqual(1);
      expect(shared).toBeLessThanOrEqual(4);
    }
  });

  it('omits no line, and makes no passage much larger than 400 tokens, of any text', () => {
    const line = fc.oneof(fc.string(), fc.constant(''), fc.constant('# A heading'), fc.string({ minLength: 3_000 }));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 60 }), fc.boolean(), (lines, isMarkdown) => {
        const text = lines.map((each) => each.replace(/[\r\n]/g, ' ').toWellFormed()).join('\n');
        const passages = cutText(text, { isMarkdown });
        const found = passages.map((passage) => passage.text).join('\n');
        for (const each of text.split('\n')) {
          if (each.length < 1_000 && each.trim() !== '') expect(found).toContain(each);
        }
        for (const passage of passages) {
          expect(passage.line).toBeLessThanOrEqual(passage.lastLine);
          // A single line of signs may have a token for each two characters.
          expect(estimateTokens(passage.text)).toBeLessThanOrEqual(400 + 1_200);
        }
      }),
    );
  });

  it('cuts a minified line of a megabyte into bounded passages, and an empty text into none', () => {
    const passages = cutText('x=1;'.repeat(262_144), { isMarkdown: false });
    expect(passages.length).toBeGreaterThan(500);
    expect(Math.max(...passages.map(({ text }) => text.length))).toBeLessThanOrEqual(2_400);
    expect(cutText('\n \n', { isMarkdown: true })).toEqual([]);
  });
});
