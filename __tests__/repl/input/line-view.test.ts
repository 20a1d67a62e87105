import fc from 'fast-check';
import { InputLine } from '../../../lib/repl/input/input-line.ts';
import { KeyReader } from '../../../lib/repl/input/keys.ts';
import { createVirtualScreen, type VirtualScreen } from '../../support/virtual-screen.ts';

const PROMPT = '\nstatus\n> ';

function open({ columns = 40, rows = 12, history = [] as readonly string[] } = {}) {
  const screen = createVirtualScreen(columns, rows);
  const output = {
    get columns() {
      return screen.columns;
    },
    get rows() {
      return screen.rows;
    },
    write: (written: string) => screen.write(written),
  };
  screen.write('before\n');
  const line = new InputLine({ output: output as unknown as NodeJS.WriteStream, history });
  const reader = new KeyReader();
  const type = (typed: string) => {
    for (const key of reader.read(typed)) {
      if (key.sequence === '\x1b\r') line.insert('\n');
      else line.press(key);
    }
    line.draw();
  };
  line.show(PROMPT);
  return { screen, line, type, output };
}
const [UP, DOWN, LEFT, BREAK] = ['\x1b[A', '\x1b[B', '\x1b[D', '\x1b\r'];
const below = (screen: VirtualScreen) => screen.lines().slice(screen.lines().indexOf('status') + 1);

/** The screen as it is where the same line is drawn for the first time. */
function drawnAnew({ screen, line }: ReturnType<typeof open>) {
  const other = open({ columns: screen.columns, rows: screen.rows });
  other.line.replace({ text: line.text, cursor: line.cursor });
  other.line.erase();
  other.line.show(PROMPT);
  return other.screen;
}

describe('a line on the screen', () => {
  it('has a row for each line of the text, and the arrows move through the rows', () => {
    const { screen, type, line } = open();
    type(`def f():${BREAK}    return 1${BREAK}${BREAK}print(f())`);
    expect(below(screen)).toEqual(['> def f():', '…     return 1', '…', '… print(f())']);
    type(`${UP}${UP}!`);
    expect(below(screen)).toEqual(['> def f():', '…     return! 1', '…', '… print(f())']);
    type(`${UP}?${DOWN}${DOWN}${DOWN}.`);
    expect(line.text).toBe('def f():?\n    return! 1\n\nprint(f().)');
  });

  it('goes to earlier input from the first row, continues through it, and returns to the draft', () => {
    const { type, line } = open({ history: ['third', 'second\nof two', 'first'] });
    type(`draft${BREAK}more${UP}`);
    expect(line.text).toBe('draft\nmore');
    type(`\x01${UP}`);
    expect(line.text).toBe('third');
    type(UP);
    expect(line.text).toBe('second\nof two');
    type(UP);
    expect(line.text).toBe('first');
    type(`${DOWN}${DOWN}${DOWN}`);
    expect(line.text).toBe('draft\nmore');
    type(`\x1b<${UP}${UP}${LEFT}${UP}x`);
    expect(line.text).toBe('seconxd\nof two');
  });

  it('ignores the up arrow without earlier input', () => {
    const { type, line } = open();
    type(`one${BREAK}two${UP}${UP}${UP}${DOWN}!`);
    expect(line.text).toBe('one\ntwo!');
  });

  it('equals a line that is drawn from nothing, after any keys', () => {
    const character = fc.constantFrom('a', ' ', 'é', 'e\u0301', '漢', '😀', '👨‍👩‍👧', 'ש', 'long words in it ', BREAK);
    const key = fc.constantFrom(
      UP,
      DOWN,
      LEFT,
      '\x1b[C',
      '\x01',
      '\x05',
      '\x7f',
      '\x1b[3~',
      '\x17',
      '\x15',
      '\x0b',
      '\x1f',
      '\x19',
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 3, arbitrary: character }, key), { maxLength: 30 }),
        fc.constantFrom(20, 40, 80),
        (typed, columns) => {
          const opened = open({ columns, rows: 40 });
          for (const each of typed) opened.type(each);
          const anew = drawnAnew(opened);
          expect(opened.screen.lines().map((row) => row.trimEnd())).toEqual(anew.lines().map((row) => row.trimEnd()));
          expect(opened.screen.cursorColumn()).toBe(anew.cursorColumn());
          expect(opened.screen.beforeCursor()).toBe(anew.beforeCursor());
        },
      ),
      { numRuns: 200 },
    );
  });

  it('shows the rows around the cursor if it is higher than the screen, and all of it when it is left', () => {
    const { screen, type, line } = open({ rows: 10 });
    const lines = Array.from({ length: 30 }, (_, index) => `row ${index + 1}`);
    type(lines.join(BREAK));
    expect(screen.lines()).toEqual(['before', '', 'status', '↑ row 23', ...lines.slice(23).map((row) => `… ${row}`)]);
    type(UP.repeat(29));
    expect(below(screen)).toEqual(['> row 1', ...lines.slice(1, 7).map((row) => `… ${row}`), '↓ row 8']);
    type(`!${DOWN.repeat(15)}?`);
    expect(screen.beforeCursor()).toMatch(/row 16\?$/);
    expect(line.enter().text).toBe(['row 1!', ...lines.slice(1, 15), 'row 16?', ...lines.slice(16)].join('\n'));
    expect(screen.lines()).toEqual([
      'before',
      '',
      'status',
      '> row 1!',
      ...lines.slice(1, 15).map((row) => `… ${row}`),
      '… row 16?',
      ...lines.slice(16).map((row) => `… ${row}`),
      '',
    ]);
  });

  it('is wrapped again when the window changes, and leaves no old rows', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('some words ', '漢字', BREAK, LEFT, UP), { minLength: 1, maxLength: 30 }),
        fc.array(fc.constantFrom(20, 33, 40, 80, 120), { minLength: 1, maxLength: 4 }),
        (typed, widths) => {
          const opened = open({ columns: 60, rows: 60 });
          opened.type(typed.join(''));
          for (const columns of widths) {
            opened.screen.resize(columns, 60);
            opened.line.resize(PROMPT);
          }
          const anew = drawnAnew(opened);
          expect(opened.screen.lines()).toEqual(anew.lines());
          expect(opened.screen.cursorColumn()).toBe(anew.cursorColumn());
        },
      ),
      { numRuns: 100 },
    );
  });

  it('begins in a row of its own after a prompt that leaves no room', () => {
    const { screen, line, type } = open({ columns: 30 });
    line.erase();
    line.show('What should the model do instead? ');
    type('wait');
    expect(screen.lines().slice(1)).toEqual(['What should the model do', 'instead?', '  wait']);
  });
});
