// The line that is being edited: its text, its cursor, its history and what was pasted into it. node:readline edits and
// draws it; it gets only the keys that are meant for it, and hears of a new width only while it has something to draw.
// On a terminal that cannot move its cursor the line is drawn here.
import { createInterface, type Interface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import { sanitizeLine } from '../../display/sanitize.ts';
import { textWidth } from '../../display/width.ts';
import { createPasteShelf, isShownAsIs, toLine } from './paste-shelf.ts';

const MOST_ENTRIES = 1000;

export interface InputLineOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /** Newest first. */
  readonly history: readonly string[];
  /** `line` as it was edited, `text` with pasted text in its place. The line is empty afterwards. */
  readonly onEnter: (line: string, text: string) => void;
  /** Ctrl+Z. */
  readonly onSuspend: () => void;
  /** False on a terminal that cannot move its cursor. Default: true. */
  readonly movable?: boolean | undefined;
}

export class InputLine {
  readonly #keys: KeySource;
  readonly #output: NodeJS.WriteStream;
  readonly #movable: boolean;
  readonly #sink: Writable;
  readonly #readline: Interface;
  #shelf = createPasteShelf();
  readonly #remembered: string[];
  /** The list that readline walks through; it adds each line by itself, which is taken back. */
  readonly #recalled: string[];
  /** True while an Enter of the editor's own is on its way through readline. */
  #isOwnEnter = false;
  /** While it is false, the line is edited and another part draws it. */
  #isShown = false;

  /** The line as it is on a screen whose cursor cannot move; undefined: none is. */
  #written: string | undefined;

  constructor({ input, output, history, onEnter, onSuspend, movable = true }: InputLineOptions) {
    this.#keys = new KeySource(input);
    this.#output = output;
    this.#movable = movable;
    this.#sink = this.#createSink();
    this.#remembered = history.map(toLine);
    this.#recalled = [...this.#remembered];
    this.#readline = createInterface({
      input: this.#keys,
      output: this.#sink,
      terminal: true,
      history: this.#recalled,
      historySize: MOST_ENTRIES,
    });
    // With TERM=dumb readline knows no key but Enter, not even Backspace: what it draws is the only thing to replace.
    if (!movable) delete (this.#readline as { _ttyWrite?: unknown })._ttyWrite;
    this.#readline.on('line', (line) => {
      if (this.#isOwnEnter) return;
      const text = this.#shelf.expand(line);
      this.#shelf.clear();
      onEnter(line, text);
    });
    this.#readline.on('history', () => this.#recall());
    this.#readline.on('SIGTSTP', onSuspend);
  }

  get text(): string {
    return this.#readline.line;
  }

  get cursor(): number {
    return this.#readline.cursor;
  }

  get textBeforeCursor(): string {
    return this.#readline.line.slice(0, this.#readline.cursor);
  }

  /** Earlier input, newest first, each once. */
  get entries(): readonly string[] {
    return [...new Set(this.#remembered)];
  }

  /** Draws the line, with what is in it, behind a prompt, whose last line is the prompt proper. */
  show(prompt: string): void {
    this.#isShown = true;
    this.#written = undefined;
    this.#readline.setPrompt(prompt);
    this.#readline.prompt(true);
  }

  /** Takes the prompt and the line off the screen. They are there still: `show` draws them again. */
  erase(): void {
    const { rows } = this.#readline.getCursorPos();
    this.#output.write(`${rows > 0 ? `\x1b[${rows}A` : ''}\r\x1b[J`);
  }

  /** From now on the line is not drawn. What is on the screen of it stays. */
  hide(): void {
    this.#isShown = false;
    this.#readline.setPrompt('');
    this.#rowsAbove(0);
  }

  /** How many rows readline goes up before it draws again. */
  #rowsAbove(rows: number): void {
    (this.#readline as unknown as { prevRows: number }).prevRows = rows;
  }

  /** Draws it again where it is. */
  redraw(): void {
    this.#written = undefined;
    this.#readline.prompt(true);
  }

  resize(prompt: string): void {
    // The terminal has wrapped what is on it at its new width: so many rows are above the cursor now.
    this.#rowsAbove(this.#readline.getCursorPos().rows);
    this.#readline.setPrompt(prompt);
    this.#sink.emit('resize');
  }

  /** Keys as they were typed. When it returns, readline has taken them. */
  type(keys: string): void {
    this.#keys.feed(keys);
  }

  /** Text at the cursor, as it is. */
  insert(text: string): void {
    if (text !== '') this.#readline.write(text);
  }

  /** Puts `text` in the place of so many characters before the cursor. */
  replaceBefore(length: number, text: string): void {
    const start = this.#readline.cursor - length;
    while (this.#readline.cursor > start) this.#readline.write(null, { name: 'backspace' });
    this.insert(text);
  }

  /** Puts another text in the place of the whole line; moves the cursor alone where the text is the same. */
  replace(text: string, cursor: number): void {
    if (text !== this.#readline.line) {
      this.clear();
      this.insert(text);
    }
    while (this.#readline.cursor > cursor) this.#readline.write(null, { name: 'left' });
    while (this.#readline.cursor < cursor) this.#readline.write(null, { name: 'right' });
  }

  /** Of the cursor on the screen, where the cursor is at the end of the line; undefined elsewhere. */
  get columnAtEnd(): number | undefined {
    const { line, cursor } = this.#readline;
    return cursor === line.length ? this.#readline.getCursorPos().cols : undefined;
  }

  paste(text: string): void {
    this.insert(text === '' ? '' : this.#shelf.put(text, { atStart: this.#readline.cursor === 0 }));
  }

  deleteForward(): void {
    this.#readline.write(null, { name: 'delete' });
  }

  clear(): void {
    this.#readline.write(null, { ctrl: true, name: 'e' });
    this.#readline.write(null, { ctrl: true, name: 'u' });
  }

  enter(): void {
    this.#readline.write(null, { name: 'return' });
  }

  /** The cursor goes below the line, so that something can be said there; the line is empty then. */
  leaveBehind(): void {
    this.#isOwnEnter = true;
    this.enter();
    this.#isOwnEnter = false;
  }

  /** Lets `say` print below the line, and draws the line again under that, as it was. */
  interject(say: () => void, prompt: () => string): void {
    const { line, cursor } = this.#readline;
    this.leaveBehind();
    say();
    this.show(prompt());
    this.replace(line, cursor);
  }

  /** Empties the line for another text. Answers with how to bring back what was in it. */
  setAside(): () => void {
    const { line, cursor } = this.#readline;
    const shelf = this.#shelf;
    this.#shelf = createPasteShelf();
    this.clear();
    return () => {
      this.clear();
      this.#shelf = shelf;
      this.replace(line, cursor);
    };
  }

  /** Makes an entry the newest that Arrow-up brings. */
  remember(entry: string): void {
    if (entry.startsWith(' ') || entry.trim() === '' || !isShownAsIs(entry)) return;
    const line = toLine(entry);
    if (this.#remembered[0] !== line) this.#remembered.unshift(line);
    this.#remembered.length = Math.min(this.#remembered.length, MOST_ENTRIES);
    this.#recall();
  }

  close(): void {
    this.#readline.close();
  }

  /** The output of readline. It has the width of the terminal, and none of its events. */
  #createSink(): Writable {
    const sink = new Writable({
      decodeStrings: false,
      write: (chunk: string, _encoding, done) => {
        if (this.#isShown) {
          if (this.#movable) this.#output.write(chunk);
          else this.#writeLine(chunk);
        }
        done();
      },
    });
    // Where nothing is drawn, no row is counted.
    Object.defineProperty(sink, 'columns', { get: () => (this.#isShown ? this.#output.columns : undefined) });
    return sink;
  }

  /**
   * Where the cursor cannot move, only the end of the line changes in its place. After another change the whole line is
   * written again, in a new row. `drawn`: what readline would have written, after it changed its line.
   */
  #writeLine(drawn: string): void {
    if (drawn === '\r\n') {
      this.#output.write(drawn);
      this.#written = undefined;
      return;
    }
    const line = sanitizeLine(this.#readline.line);
    const before = this.#written;
    if (line === before) return;
    const prompt = this.#readline.getPrompt();
    const lastRow = prompt.slice(prompt.lastIndexOf('\n') + 1);
    const isOneRow = textWidth(`${lastRow}${before}`) < this.#output.columns;
    this.#written = line;
    if (before === undefined) this.#output.write(`${prompt.replaceAll('\n', '\r\n')}${line}`);
    else if (line.startsWith(before)) this.#output.write(line.slice(before.length));
    else if (before.startsWith(line) && isOneRow)
      this.#output.write('\b \b'.repeat(textWidth(before.slice(line.length))));
    else this.#output.write(`\r\n${lastRow}${line}`);
  }

  #recall(): void {
    this.#recalled.splice(0, this.#recalled.length, ...this.#remembered);
  }
}

/** The input of readline: gives it keys when they are for it. */
class KeySource extends Readable {
  readonly isTTY = true;
  readonly #terminal: NodeJS.ReadStream;

  constructor(terminal: NodeJS.ReadStream) {
    super();
    this.#terminal = terminal;
  }

  override _read(): void {}

  setRawMode(mode: boolean): this {
    if (this.#terminal.isTTY) this.#terminal.setRawMode(mode);
    return this;
  }

  feed(text: string): void {
    this.emit('data', text);
  }
}
