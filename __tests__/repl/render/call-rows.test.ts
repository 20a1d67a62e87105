import fc from 'fast-check';
import { createPaint, type StyledLine } from '../../../lib/display/paint.ts';
import { textWidth } from '../../../lib/display/width.ts';
import { MarkdownStream } from '../../../lib/repl/render/answer-stream.ts';
import { callRows } from '../../../lib/repl/render/call-rows.ts';
import { type Lex, loadLexer } from '../../../lib/repl/render/markdown.ts';
import type { ShownToolEnd } from '../../../lib/repl/render/tool-lines.ts';

let lex: Lex;
beforeAll(async () => {
  lex = await loadLexer();
});

const textOf = (line: StyledLine) => line.map(({ text }) => text).join('');
const paint = createPaint(true);
const rowsOf = (end: ShownToolEnd, columns = 60) =>
  callRows(end, {
    columns,
    stream: (width) => new MarkdownStream({ screen: { columns: width + 1 }, paint, lex }),
  }).map(textOf);

const FACTS = '2 requests · 300 tokens · session agent-1f0c9a2e-talk';
const agent = { name: 'agent', summary: 'Find it', status: 'ok', durationMs: 100 };
const page = { name: 'web_fetch', summary: 'Fetch http://a.test/b', status: 'ok', durationMs: 100 };

describe('the rows of a call', () => {
  it("show the first row of a subagent's answer, rendered, and how many more it has", () => {
    expect(
      rowsOf({ ...agent, content: `## Found\n\n- **one** of the two that were looked for\n${FACTS}` }, 30),
    ).toEqual(['✓ agent: Find it · 100 ms', '  │ ## Found', '  │ … 3 more lines: Ctrl+O · …']);
  });

  it('say how many rows of an answer are hidden, and how to see them', () => {
    const answer = Array.from({ length: 40 }, (_, index) => `- ${index}`).join('\n');
    const rows = rowsOf({ ...agent, content: `${answer}\n${FACTS}` });
    expect(rows).toEqual([
      '✓ agent: Find it · 100 ms',
      '  │ • 0',
      '  │ … 39 more lines: Ctrl+O · 2 requests · 300 tokens · ses…',
    ]);
    expect(rowsOf({ ...agent, content: `Found.\n${FACTS}` }).slice(1)).toEqual([
      '  │ Found.',
      '  │ 2 requests · 300 tokens · session agent-1f0c9a2e',
    ]);
  });

  it('are at most three for a subagent that ended well, for any answer and any width', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.nat({ max: 30 }),
        fc.integer({ min: 40, max: 160 }),
        (line, more, columns) => {
          const content = `${line}\n${'next\n\n'.repeat(more)}\n${FACTS}`;
          expect(rowsOf({ ...agent, content }, columns).length).toBeLessThanOrEqual(3);
        },
      ),
    );
  });

  it.each([
    ['file_read', 'Read src/greet.ts', '     1  one\n     2  two\n', '✓ Read src/greet.ts · 2 lines'],
    ['list_files', 'List the files in the project', 'a.ts\n', '✓ List the files in the project · 1 line'],
    ['search_files', 'Search the project for "x"', 'a.ts:1: x\n', '✓ Search the project for "x" · 1 line'],
    ['file_read', 'src/greet.ts', 'one\n', '✓ file_read: src/greet.ts · 100 ms'],
  ])('are one after %s has read: %s', (name, summary, content, row) => {
    expect(rowsOf({ ...page, name, summary, content })).toEqual([row]);
  });

  it('show the error of a failed read', () => {
    expect(rowsOf({ ...page, name: 'file_read', summary: 'Read a', status: 'error', content: 'Gone.' })).toEqual([
      '✗ file_read: Read a · error after 100 ms',
      '  │ Gone.',
    ]);
  });

  it('show no duration for a stored list', () => {
    const content = '▸ Mend it\n☐ Test it';
    expect(rowsOf({ ...page, name: 'todo_write', summary: '0 of 2 done', content })).toEqual([
      '✓ todo_write: 0 of 2 done',
      '  │ ▸ Mend it',
      '  │ ☐ Test it',
    ]);
  });

  it('do not repeat the address of a page, and skip its empty lines', () => {
    const content = 'http://a.test/b (200, text/html)\nHinges\n\n# Oil it\n\nOften.';
    expect(rowsOf({ ...page, content })).toEqual([
      '✓ web_fetch: Fetch http://a.test/b · 100 ms',
      '  │ 200, text/html',
      '  │ Hinges',
      '  │ # Oil it',
      '  │ Often.',
    ]);
  });

  it('show the address of the page that a redirect led to', () => {
    const content = 'http://a.test/c (200, text/html)\n\nOften.';
    expect(rowsOf({ ...page, content })).toContain('  │ http://a.test/c (200, text/html)');
  });

  it('are indented if the headline is longer than a row', () => {
    expect(rowsOf({ ...agent, summary: 'Find all readers of the configuration', content: '' }, 30)).toEqual([
      '✓ agent: Find all readers of',
      '  the configuration · 100 ms',
    ]);
  });

  it('never take more columns than the screen has', () => {
    const name = fc.constantFrom('agent', 'todo_write', 'web_fetch', 'web_search', 'bash');
    const status = fc.constantFrom('ok', 'error', 'denied', 'cancelled');
    fc.assert(
      fc.property(name, status, fc.string(), fc.string(), fc.integer({ min: 12, max: 120 }), (...drawn) => {
        const [name, status, summary, content, columns] = drawn;
        const end = { name, status, summary, content: `${content}\n\`\`\`\n${content}`, durationMs: 5 };
        for (const row of rowsOf(end, columns)) expect(textWidth(row)).toBeLessThanOrEqual(columns);
      }),
    );
  });
});
