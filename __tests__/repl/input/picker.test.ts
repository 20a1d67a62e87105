import { createPaint } from '../../../lib/display/paint.ts';
import { KeyReader } from '../../../lib/repl/input/keys.ts';
import { Picker } from '../../../lib/repl/input/picker.ts';
import { BottomRegion } from '../../../lib/repl/render/bottom-region.ts';
import { createVirtualScreen } from '../../support/virtual-screen.ts';

function open(items: readonly string[], { columns = 60, rows = 10 } = {}) {
  const screen = createVirtualScreen(columns, rows);
  screen.write('before\n');
  const picker = new Picker(
    {
      title: 'Which?',
      find: (typed) => items.filter((item) => item.includes(typed)),
      rowOf: (text) => [{ text, styles: [] }],
      previewOf: (text) => [[{ text: `about ${text}`, styles: [] }]],
    },
    { screen, region: new BottomRegion(screen, createPaint(false)) },
  );
  return { picker, screen, type: (text: string) => picker.take({ type: 'keys', text }), lines: () => screen.lines() };
}
const DOWN = '\x1b[B';
const UP = '\x1b[A';
const HELP = 'type to filter · Enter chooses · Escape leaves';

describe('a list to choose from', () => {
  it('shows its rows, the chosen one and details about it', () => {
    const { lines, type } = open(['one', 'two', 'three']);
    expect(lines()).toEqual(['before', `Which? 3 · ${HELP}`, '▸ one', '  two', '  three', 'about one', '›']);
    type(DOWN);
    expect(lines().slice(2, 6)).toEqual(['  one', '▸ two', '  three', 'about two']);
  });

  it('is filtered by typed, pasted and deleted letters, and Enter chooses', async () => {
    const { picker, lines, type } = open(['one', 'two', 'three']);
    type('t');
    picker.take({ type: 'paste', text: 'hre' });
    expect(lines()).toContain('› thre');
    type('\x7f\x7f');
    expect(lines()).toContain('▸ three');
    type(`\x15t${DOWN}\r`);
    expect(await picker.chosen).toBe('three');
    expect(lines()).toEqual(['before', '']);
  });

  it.each([['\x1b'], ['\x03'], ['\x04'], ['\x07'], ['\x1b\r'], ['\x1b[Zx\x1b']])(
    'chooses nothing at %j',
    async (key) => {
      const { picker, type, lines } = open(['one']);
      type(key);
      expect(await picker.chosen).toBeUndefined();
      expect(lines()).toEqual(['before', '']);
    },
  );

  it('chooses nothing at Enter if no row matches', async () => {
    const { picker, type } = open(['one']);
    type('zzz\r');
    type('\x15\r');
    expect(await picker.chosen).toBe('one');
  });

  it('adds rows that are found later, and keeps the first row chosen unless the user moved', async () => {
    const screen = createVirtualScreen(60, 20);
    let found = ['b'];
    let report = () => {};
    let isListening = true;
    const picker = new Picker(
      {
        title: 'Which?',
        find: () => found,
        rowOf: (text) => [{ text, styles: [] }],
        onMore(listener) {
          report = listener;
          return () => {
            isListening = false;
          };
        },
      },
      { screen, region: new BottomRegion(screen, createPaint(false)) },
    );
    found = ['a', 'b', 'c'];
    report();
    expect(screen.lines()).toContain('▸ a');
    picker.take({ type: 'keys', text: DOWN });
    found = ['0', 'a', 'b', 'c'];
    report();
    expect(screen.lines()).toContain('▸ b');
    picker.take({ type: 'keys', text: '\r' });
    expect(await picker.chosen).toBe('b');
    expect(isListening).toBe(false);
  });

  it('fits a low screen, and keeps the chosen row visible', () => {
    const { lines, type } = open(
      Array.from({ length: 500 }, (_, index) => `item ${index}`),
      { rows: 8 },
    );
    for (let index = 0; index < 40; index++) type(DOWN);
    expect(lines()).toContain('▸ item 40');
    expect(lines().length).toBeLessThanOrEqual(8);
    type(UP);
    expect(lines()).toContain('▸ item 39');
    type('\x1b[F');
    expect(lines()).toContain('▸ item 499');
  });
});

describe('typed text', () => {
  it('is split into keys', () => {
    const keys = new KeyReader().readWithEscape(`añ${DOWN}\x1bOA\x1b[5~\x1b[1;5C\r\x1bx\x1b`);
    expect(keys.map(({ name, text }) => text || name)).toEqual([
      ...['a', 'ñ', 'down', 'up', 'pageup', 'ctrl+right', 'return', 'escape', 'x', 'escape'],
    ]);
  });
});
