// The line that is being edited: its buffer, the entries before it and its pastes. It may have several rows. It is
// edited also while another part of the program draws it.
import {
  bufferOf,
  change,
  type EditBuffer,
  type EditedText,
  insert,
  joined,
  move,
  remove,
  replaceBefore,
  undo,
} from './buffer.ts';
import { DumbLineView } from './dumb-line-view.ts';
import { EarlierInput } from './earlier-input.ts';
import { emacsKey } from './emacs-keys.ts';
import type { TypedKey } from './keys.ts';
import { indexAt, layOut, placeIn } from './line-layout.ts';
import { type LineView, MovableLineView } from './line-view.ts';
import { createPasteShelf } from './paste-shelf.ts';
import { after } from './text-places.ts';

interface InputLineOptions {
  readonly output: NodeJS.WriteStream;
  /** Newest first. */
  readonly history: readonly string[];
  /** False on a terminal that cannot move its cursor. Default: true. */
  readonly movable?: boolean | undefined;
  /** Paints the signs at the start of rows. Default: not at all. */
  readonly dim?: ((text: string) => string) | undefined;
}

/** `line` as it was edited, `text` with pasted text in its place. */
interface EnteredLine {
  readonly line: string;
  readonly text: string;
}

export class InputLine {
  readonly #view: LineView;
  readonly #isDrawnEachKey: boolean;
  readonly #earlier: EarlierInput;
  #buffer = bufferOf('');
  #shelf = createPasteShelf();
  #menu: readonly string[] = [];
  /** While it is false, the line is edited and another part draws it. */
  #isShown = false;
  /** The column that the arrows keep from row to row. */
  #column: number | undefined;

  constructor({ output, history, movable = true, dim = (text) => text }: InputLineOptions) {
    this.#view = movable ? new MovableLineView(output, dim) : new DumbLineView(output);
    this.#isDrawnEachKey = !movable;
    this.#earlier = new EarlierInput(history);
  }

  get text(): string {
    return this.#buffer.text;
  }

  get cursor(): number {
    return this.#buffer.cursor;
  }

  get textBeforeCursor(): string {
    return this.text.slice(0, this.cursor);
  }

  /** Earlier input, newest first, each once. */
  get entries(): readonly string[] {
    return this.#earlier.entries;
  }

  /** How many rows of the screen the text takes. */
  get rowCount(): number {
    return layOut(this.text, this.#view.room).length;
  }

  /** Draws the line with its content after a prompt, whose last line is the prompt proper. */
  show(prompt: string): void {
    this.#isShown = true;
    this.#view.show(prompt);
    this.draw();
  }

  /** Brings changes onto the screen. */
  draw(): void {
    if (this.#isShown) this.#view.draw(this.#content);
  }

  /** Rows below the line, until others are given. */
  setMenu(rows: readonly string[]): void {
    this.#menu = rows;
  }

  /** Takes the prompt and the line off the screen. They are there still: `show` draws them again. */
  erase(): void {
    this.#view.erase();
  }

  /** Stops drawing the line. Its rows on the screen stay. */
  hide(): void {
    this.#isShown = false;
    this.#view.forget();
  }

  /** Called before another program writes below the line. */
  pause(): void {
    this.#view.goToEnd();
  }

  /** Called after another program has written: the line is drawn below that output. */
  resume(): void {
    this.#view.forget();
    this.draw();
  }

  resize(prompt: string): void {
    this.#view.resize(prompt, this.#content);
  }

  clearScreen(): void {
    if (this.#isShown) this.#view.clearScreen(this.#content);
  }

  /** A key of line editing; any other does nothing. `joins`: as part of the step of undo that is open. */
  press(key: TypedKey, { joins = false } = {}): void {
    const isUp = key.name === 'up' || key.name === 'ctrl+p';
    if (isUp || key.name === 'down' || key.name === 'ctrl+n') this.goTo(isUp ? 'older' : 'newer');
    else {
      const edited = emacsKey(this.#buffer, key);
      if (edited !== undefined) this.#set(joins ? joined(this.#buffer, edited) : edited);
    }
  }

  /** Goes to the row above or below, and from the first and the last row to another entry of earlier input. */
  goTo(where: 'older' | 'newer', beginning = this.textBeforeCursor): void {
    if (!this.#earlier.isWalking && this.#moveByRow(where === 'older' ? -1 : 1)) return;
    const line = { text: this.text, cursor: beginning.length };
    const found = where === 'older' ? this.#earlier.older(line) : this.#earlier.newer(line);
    if (found !== undefined) this.#show(change(this.#buffer, { text: found, cursor: found.length }));
  }

  /** Text at the cursor, as it is. */
  insert(text: string): void {
    if (text !== '') this.#set(insert(this.#buffer, text));
  }

  /** Replaces the `length` characters before the cursor by `text`. */
  replaceBefore(length: number, text: string): void {
    this.#set(replaceBefore(this.#buffer, length, text));
  }

  /** Puts another text in the place of the whole line. */
  replace(next: EditedText, options?: { readonly joins: boolean }): void {
    this.#set(change(this.#buffer, next, options));
  }

  undo(): void {
    this.#set(undo(this.#buffer));
  }

  paste(text: string): void {
    this.insert(text === '' ? '' : this.#shelf.put(text, { atStart: this.cursor === 0 }));
  }

  deleteForward(): void {
    this.#set(remove(this.#buffer, this.cursor, after(this.text, this.cursor)));
  }

  clear(): void {
    this.replace({ text: '', cursor: 0 });
  }

  /** Gives the line away. It is empty afterwards, and the cursor of the screen below it. */
  enter(): EnteredLine {
    const line = this.text;
    const text = this.#shelf.expand(line);
    this.#shelf.clear();
    this.leaveBehind();
    return { line, text };
  }

  /** The cursor goes below the line, so that something can be said there; the line is empty then. */
  leaveBehind(): void {
    this.#menu = [];
    if (this.#isShown) this.#view.leave(this.#content);
    this.#earlier.reset();
    const { kills } = this.#buffer;
    this.#buffer = { ...bufferOf(''), kills };
  }

  /** Lets `say` print below the line, and draws the line again under that, as it was. */
  interject(say: () => void, prompt: () => string): void {
    this.#menu = [];
    this.#view.leave(this.#content);
    say();
    this.show(prompt());
  }

  /** Empties the line for another text. Returns a function that restores the earlier content. */
  setAside(): () => void {
    const [buffer, shelf] = [this.#buffer, this.#shelf];
    this.#shelf = createPasteShelf();
    this.#buffer = bufferOf('');
    return () => {
      this.#shelf = shelf;
      this.#buffer = buffer;
    };
  }

  /** Makes an entry the newest that Arrow-up brings. */
  remember(entry: string): void {
    this.#earlier.remember(entry);
  }

  get #content() {
    return { text: this.text, cursor: this.cursor, menu: this.#menu };
  }

  /** False if there is no such row. */
  #moveByRow(by: -1 | 1): boolean {
    const rows = layOut(this.text, this.#view.room);
    const { row, column } = placeIn(rows, this.#buffer);
    if (rows[row + by] === undefined) return false;
    const wanted = this.#column ?? column;
    this.#show(move(this.#buffer, indexAt(this.text, rows, row + by, wanted)));
    this.#column = wanted;
    return true;
  }

  #set(buffer: EditBuffer): void {
    this.#earlier.rest();
    this.#show(buffer);
  }

  #show(buffer: EditBuffer): void {
    this.#buffer = buffer;
    this.#column = undefined;
    if (this.#isDrawnEachKey) this.draw();
  }
}
