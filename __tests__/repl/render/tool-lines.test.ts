import type { StyledLine } from '../../../lib/display/paint.ts';
import { runningLines, toolBody, toolHeadline } from '../../../lib/repl/render/tool-lines.ts';

const textOf = (line: StyledLine) => line.map(({ text }) => text).join('');
const end = { name: 'bash', summary: 'npm test', status: 'ok', content: '', durationMs: 3200 };

describe('a tool call', () => {
  it.each([
    [{}, '✓ bash: npm test · 3.2 s'],
    [{ status: 'error', durationMs: 12 }, '✗ bash: npm test · error after 12 ms'],
    [{ status: 'timeout', durationMs: 120_000 }, '✗ bash: npm test · timeout after 2 min 0 s'],
    [{ status: 'denied', durationMs: 0 }, '✗ bash: npm test · denied'],
    [{ status: 'cancelled' }, '✗ bash: npm test · cancelled after 3.2 s'],
    [{ summary: '', durationMs: undefined }, '✓ bash'],
    [{ name: 'b\x1b[2Jad\u202e', summary: 'two\nlines' }, '✓ bad: two lines · 3.2 s'],
  ])('that ended with %j is shown as %s', (more, line) => {
    expect(textOf(toolHeadline({ ...end, ...more }))).toBe(line);
  });

  it('shows all of a short output, with control characters escaped', () => {
    expect(toolBody({ ...end, content: 'one\n\x1b]52;c;aGk=\x07two\tthree\n' }).map(textOf)).toEqual([
      '  │ one',
      '  │ two    three',
    ]);
  });

  it('shows a few lines of a long output, the number of hidden ones and the key that shows them', () => {
    const content = Array.from({ length: 1000 }, (_, index) => `line ${index + 1}`).join('\n');
    expect(toolBody({ ...end, content }).map(textOf)).toEqual([
      '  │ line 1',
      '  │ line 2',
      '  │ … 995 more lines: Ctrl+O or /output',
      '  │ line 998',
      '  │ line 999',
      '  │ line 1000',
    ]);
  });

  it('reports the part of the output that the model did not get', () => {
    const truncated = { originalBytes: 1_500_000, keptBytes: 30_000 };
    expect(toolBody({ ...end, truncated }).map(textOf)).toEqual(['  │ The model was given 30 kB of 1.5 MB.']);
  });

  const diff = '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n';
  it('colours a diff', () => {
    const body = toolBody({ ...end, content: diff });
    expect(body.map((line) => [line[1]!.text, line[1]!.styles])).toEqual([
      ['--- a/x', ['bold']],
      ['+++ b/x', ['bold']],
      ['@@ -1 +1 @@', ['cyan']],
      ['-old', ['red']],
      ['+new', ['green']],
    ]);
  });

  it('does not repeat a diff that the user was asked about', () => {
    expect(toolBody({ ...end, content: diff, wasShown: true })).toEqual([]);
    expect(toolBody({ ...end, content: 'output', wasShown: true }).map(textOf)).toEqual(['  │ output']);
  });

  it('shows its duration while it runs, and the end of its output', () => {
    const printed = `${Array.from({ length: 50 }, (_, index) => `line ${index + 1}`).join('\r\n')}\n\n`;
    const run = { name: 'bash', summary: 'npm test', startedMs: 1000, printed };
    expect(runningLines(run, 4999).map(textOf)).toEqual([
      '… bash: npm test · 3 s',
      '  │ line 47',
      '  │ line 48',
      '  │ line 49',
      '  │ line 50',
    ]);
  });
});
