import { createPaint } from '../../../lib/display/paint.ts';
import { AnswerScreen, type Footer } from '../../../lib/repl/render/answer-screen.ts';
import { MarkdownStream, PlainStream } from '../../../lib/repl/render/answer-stream.ts';
import { BottomRegion } from '../../../lib/repl/render/bottom-region.ts';
import { type Lex, loadLexer } from '../../../lib/repl/render/markdown.ts';
import { createVirtualScreen } from '../../support/virtual-screen.ts';

let lex: Lex;
beforeAll(async () => {
  lex = await loadLexer();
});

interface Options {
  readonly columns?: number;
  readonly rows?: number;
  readonly look?: typeof LOOK;
  readonly footer?: Footer;
  readonly movable?: boolean;
}

const LOOK = { reasoning: false, markdown: true };

function open({
  columns = 60,
  rows = 12,
  look = LOOK,
  footer = { queued: 0, waiting: [] },
  movable = true,
}: Options = {}) {
  const screen = { ...createVirtualScreen(columns, rows), movable };
  let nowMs = 1000;
  const paint = createPaint(false);
  const region = new BottomRegion(screen, paint);
  const stream = () => (look.markdown ? new MarkdownStream({ screen, paint, lex }) : new PlainStream());
  const surface = new AnswerScreen({ screen, paint, region, stream, look, now: () => nowMs, footer: () => footer });
  return {
    surface,
    screen,
    pass: (ms: number) => {
      nowMs += ms;
    },
    lines: () => screen.lines(),
  };
}
const bash = { name: 'bash', summary: 'npm test' };
const ended = { ...bash, status: 'ok', content: 'fine\n', durationMs: 20 };

describe('a turn on the screen', () => {
  it('shows the first word of an answer immediately', () => {
    const { surface, lines } = open();
    surface.begin();
    expect(lines()).toEqual(['⠋ 0 s · waiting for the model · Ctrl+C cancels']);
    surface.text('Hello');
    expect(lines()).toEqual(['Hello', '⠋ 0 s · writing, 5 bytes · Ctrl+C cancels']);
    surface.settle();
    expect(lines()).toEqual(['Hello', '']);
  });

  it('separates text from tools, and leaves no moving row', () => {
    const { surface, lines } = open();
    surface.begin();
    surface.text('Let me look.');
    surface.toolStarted('c1', bash);
    surface.toolOutput('c1', 'on the way\n');
    surface.toolEnded('c1', ended);
    surface.text('All is well.');
    surface.settle();
    expect(lines()).toEqual(['Let me look.', '', '✓ bash: npm test · 20 ms', '  │ fine', '', 'All is well.', '']);
  });

  it('shows parallel tools, each with its own output', () => {
    const { surface, lines } = open();
    surface.begin();
    surface.toolStarted('c1', bash);
    surface.toolStarted('c2', { name: 'file_read', summary: 'a.ts' });
    surface.toolOutput('c1', 'one\n');
    surface.toolEnded('c2', { ...ended, name: 'file_read', summary: 'a.ts', content: '' });
    expect(lines()).toEqual([
      '✓ file_read: a.ts · 20 ms',
      '… bash: npm test · 0 s',
      '  │ one',
      '⠋ 0 s · running bash · Ctrl+C cancels',
    ]);
    surface.settle();
    expect(lines()).toEqual(['✓ file_read: a.ts · 20 ms', '']);
  });

  it('limits a tool that prints without end to a few rows', () => {
    const { surface, lines } = open({ rows: 8 });
    surface.begin();
    surface.toolStarted('c1', bash);
    for (let index = 0; index < 5000; index++) surface.toolOutput('c1', `${'x'.repeat(100)} ${index}\n`);
    expect(lines().length).toBeLessThan(8);
    surface.settle();
  });

  it('shows that the model thinks in one line, and afterwards for how long', () => {
    const { surface, lines, pass } = open();
    surface.begin();
    surface.reasoning('The user wants to know what a journal is.');
    expect(lines()[0]).toBe('⠋ 0 s · thinking: …know what a journal is. · Ctrl+C cancels');
    pass(4200);
    surface.text('A journal');
    surface.settle();
    expect(lines()).toEqual(['Thought for 4.2 s · /reasoning shows it', '', 'A journal', '']);
  });

  it('separates thoughts from the tools before them', () => {
    const { surface, lines } = open();
    surface.begin();
    surface.toolStarted('c1', bash);
    surface.toolEnded('c1', { ...ended, content: '' });
    surface.reasoning('hm');
    surface.toolStarted('c2', bash);
    surface.toolEnded('c2', { ...ended, content: '' });
    surface.settle();
    expect(lines()).toEqual([
      '✓ bash: npm test · 20 ms',
      '',
      'Thought for 0 ms · /reasoning shows it',
      '',
      '✓ bash: npm test · 20 ms',
      '',
    ]);
  });

  it('shows the thoughts of the model on request, wrapped, and no part twice', () => {
    const { surface, lines } = open({ columns: 20, look: { reasoning: true, markdown: true } });
    surface.begin();
    for (const word of 'The user wants to know what a journal is.\nSo I say it.'.split(/(?<= )/))
      surface.reasoning(word);
    surface.text('It is');
    surface.settle();
    expect(lines()).toEqual(['The user wants to', 'know what a journal', 'is.', 'So I say it.', '', 'It is', '']);
  });

  it('shows the newest retry in place of the previous one: reason, attempt, and delay', () => {
    const { surface, lines } = open();
    surface.begin();
    surface.retry({ reason: 'Too many requests.', attempt: 2, attempts: 4, delayMs: 500 });
    expect(lines()).toEqual(['⠋ 0 s · Attempt 2 of 4 in 1 s: Too many requests. · Ctrl+C']);
    surface.retry({ reason: 'The server broke down.', attempt: 3, attempts: 4, delayMs: 2500 });
    expect(lines()).toEqual(['⠋ 0 s · Attempt 3 of 4 in 3 s: The server broke d… · Ctrl+C']);
    surface.text('Hello');
    surface.settle();
    expect(lines()).toEqual(['Hello', '']);
  });

  it('names the file that a call writes as soon as the call names it, and the size of the part that has come', () => {
    const { surface, lines, pass } = open();
    surface.begin();
    const write = (text: string) => surface.toolInput({ key: 'a', name: 'file_write', text });
    write('');
    expect(lines()).toEqual(['⠋ 0 s · writing file_write, 0 bytes · Ctrl+C cancels']);
    write('{"path":"src/b');
    write(`ig.txt","content":"${'x'.repeat(3040)}`);
    pass(12_000);
    surface.refresh();
    expect(lines()).toEqual(['⠋ 12 s · writing src/big.txt, 3.1 kB · Ctrl+C cancels']);
    surface.toolInput({ key: 'b', name: 'bash', text: '{"command":"ls"' });
    surface.refresh();
    expect(lines()).toEqual(['⠋ 12 s · writing bash, 15 bytes · Ctrl+C cancels']);
    surface.settle();
    expect(lines()).toEqual(['']);
  });

  it('shows typed text below the answer, with its cursor, and removes it at the end', () => {
    const waiting = [[{ text: '  1 then this', styles: [] }]];
    const draft = { lines: [[{ text: '› go on', styles: [] }]], column: 4, rowsBelow: 0 };
    const { surface, lines, screen } = open({ footer: { queued: 2, waiting, draft } });
    surface.begin();
    surface.text('Hello');
    expect(lines()).toEqual(['Hello', '⠋ 0 s · writing, 5 bytes · 2 queued · Ctrl+C', '  1 then this', '› go on']);
    expect(screen.cursorColumn()).toBe(4);
    surface.text('\n\nmore');
    surface.refresh();
    expect(lines()).toEqual([
      'Hello',
      '',
      'more',
      '⠋ 0 s · writing, 11 bytes · 2 queued · Ctrl+C',
      '  1 then this',
      '› go on',
    ]);
    surface.settle();
    expect(lines()).toEqual(['Hello', '', 'more', '']);
  });

  it('draws no moving row on a terminal that cannot move its cursor', () => {
    const { surface, lines } = open({ movable: false });
    surface.begin();
    surface.reasoning('hm');
    surface.toolInput({ key: 'a', name: 'bash', text: '{' });
    expect(lines()).toEqual(['Thought for 0 ms · /reasoning shows it', '']);
    surface.text('Hello');
    surface.settle();
    expect(lines()).toEqual(['Thought for 0 ms · /reasoning shows it', '', 'Hello', '']);
  });

  it('shows an answer unformatted if Markdown is off', () => {
    const { surface, lines } = open({ look: { reasoning: false, markdown: false } });
    surface.text('# A *title*\nhalf');
    surface.text(' a \x1b[2Jline');
    surface.settle();
    expect(lines()).toEqual(['# A *title*', 'half a line', '']);
  });
});

describe('temporary rows', () => {
  it('leave nothing on the screen, also after the screen has become narrower', () => {
    const screen = createVirtualScreen(40, 10);
    screen.write('before\n');
    const region = new BottomRegion(screen, createPaint(false));
    region.draw([[{ text: 'x'.repeat(30), styles: [] }], [{ text: 'second', styles: [] }]]);
    region.draw([[{ text: 'one', styles: [] }]]);
    expect(screen.lines()).toEqual(['before', 'one']);
    region.clear();
    region.clear();
    expect(screen.lines()).toEqual(['before', '']);
    expect(screen.cursorColumn()).toBe(0);
  });

  it('are never more than the screen has', () => {
    const screen = createVirtualScreen(20, 5);
    const region = new BottomRegion(screen, createPaint(false));
    region.draw(Array.from({ length: 50 }, (_, index) => [{ text: `row ${index} ${'y'.repeat(50)}`, styles: [] }]));
    expect(screen.lines()).toHaveLength(4);
    region.clear();
    expect(screen.lines()).toEqual(['']);
  });
});
