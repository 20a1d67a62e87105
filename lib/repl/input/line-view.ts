// Draws the line that is being edited: a prompt, the rows of the text after it, and a menu below. Only rows that change
// are written again. A text that is higher than the screen is shown in part, around the cursor; all of it is written
// when it is left.
import { stripVTControlCharacters } from 'node:util';
import { spanOf } from '../../display/paint.ts';
import { textWidth } from '../../display/width.ts';
import { wrapSpans } from '../../display/wrap.ts';
import type { EditedText } from './buffer.ts';
import {
  layOut,
  placeIn,
  type Room,
  SAME_LINE,
  SIGN_COLUMNS,
  topFor,
  type VisibleRow,
  visibleRows,
} from './line-layout.ts';

export interface LineContent extends EditedText {
  /** Rows below the text, ready to be written. */
  readonly menu: readonly string[];
}

export interface LineView {
  /** Starts drawing the line after this prompt, whose last line is the prompt proper. */
  show(prompt: string): void;
  draw(content: LineContent): void;
  /** Writes the whole text; the cursor goes below it, and the rows stay on the screen. */
  leave(content: LineContent): void;
  /** Takes it off the screen. */
  erase(): void;
  /** Puts the cursor at the end, so that another program writes below. */
  goToEnd(): void;
  /** Leaves the rows on the screen as they are, no longer as the line. */
  forget(): void;
  /** The window has another size. */
  resize(prompt: string, content: LineContent): void;
  /** Clears the screen before the line is drawn again. */
  clearScreen(content: LineContent): void;
  /** The columns that the text has. */
  readonly room: Room;
}

interface LineRow {
  readonly text: string;
  /** Columns. */
  readonly width: number;
}

interface CursorPlace {
  readonly row: number;
  readonly column: number;
}

interface Frame {
  readonly rows: readonly LineRow[];
  readonly cursor: CursorPlace;
}

/** With fewer columns than this after the prompt, the text begins in a row of its own. */
const FEWEST_COLUMNS = 10;

type Size = Pick<NodeJS.WriteStream, 'columns' | 'rows' | 'write'>;

export class MovableLineView implements LineView {
  readonly #output: Size;
  readonly #dim: (text: string) => string;
  #head: readonly LineRow[] = [];
  #prompt: LineRow = { text: '', width: 0 };
  #frame: Frame | undefined;
  /** The first row of the text that is shown. */
  #top = 0;

  /** `dim` paints the signs. */
  constructor(output: Size, dim: (text: string) => string) {
    this.#output = output;
    this.#dim = dim;
  }

  get room(): Room {
    return { first: this.#columns - this.#prompt.width, others: this.#columns - SIGN_COLUMNS };
  }

  /** The last column of the screen stays empty. */
  get #columns(): number {
    return Math.max(2, this.#output.columns || 80) - 1;
  }

  show(prompt: string): void {
    const lines = prompt
      .split('\n')
      .map((text): LineRow => ({ text, width: textWidth(stripVTControlCharacters(text)) }));
    this.#prompt = lines.at(-1)!;
    this.#head = lines.slice(0, -1);
    if (this.#columns - this.#prompt.width >= FEWEST_COLUMNS) return;
    const spans = [spanOf(stripVTControlCharacters(this.#prompt.text))];
    const words = wrapSpans(spans, this.#columns).map((line) => line.map(({ text }) => text).join(''));
    this.#head = [...this.#head, ...words.map((text) => ({ text, width: textWidth(text) }))];
    this.#prompt = { text: SAME_LINE, width: SIGN_COLUMNS };
  }

  draw(content: LineContent): void {
    this.#paint(this.#frameOf(content, Math.max(4, this.#output.rows || 24)));
  }

  leave({ text }: LineContent): void {
    this.#paint(this.#frameOf({ text, cursor: text.length, menu: [] }, Number.POSITIVE_INFINITY));
    this.#output.write('\r\n');
    this.forget();
  }

  erase(): void {
    if (this.#frame !== undefined) this.#output.write(`${up(this.#frame.cursor.row)}\r\x1b[J`);
    this.forget();
  }

  goToEnd(): void {
    if (this.#frame === undefined) return;
    const { rows, cursor } = this.#frame;
    const end = { row: rows.length - 1, column: rows.at(-1)!.width };
    this.#output.write(goTo(cursor, end));
    this.#frame = { rows, cursor: end };
  }

  forget(): void {
    this.#frame = undefined;
    this.#top = 0;
  }

  resize(prompt: string, content: LineContent): void {
    if (this.#frame !== undefined) {
      // The terminal has wrapped the rows at its new width.
      const { rows, cursor } = this.#frame;
      const columns = this.#columns + 1;
      const above = rows
        .slice(0, cursor.row)
        .reduce((sum, { width }) => sum + Math.max(1, Math.ceil(width / columns)), 0);
      this.#output.write(`${up(above + Math.floor(cursor.column / columns))}\r\x1b[J`);
      this.#frame = undefined;
    }
    this.show(prompt);
    this.draw(content);
  }

  clearScreen(content: LineContent): void {
    this.#output.write('\x1b[H\x1b[J');
    this.#frame = undefined;
    this.draw(content);
  }

  #frameOf({ text, cursor, menu }: LineContent, screenRows: number): Frame {
    const rows = layOut(text, this.room);
    const place = placeIn(rows, { text, cursor });
    const shown = Math.max(1, Math.min(rows.length, screenRows - this.#head.length));
    const below = menu.slice(0, Math.max(0, screenRows - this.#head.length - shown));
    const top = topFor(place.row, rows.length, shown, this.#top);
    this.#top = top;
    const margin = place.row === 0 ? this.#prompt.width : SIGN_COLUMNS;
    return {
      rows: [
        ...this.#head,
        ...visibleRows(rows, top, shown).map((row) => this.#rowOf(row)),
        ...below.map((each) => ({ text: each, width: 0 })),
      ],
      cursor: { row: this.#head.length + place.row - top, column: margin + place.column },
    };
  }

  #rowOf({ shown, width, sign }: VisibleRow): LineRow {
    if (sign === undefined) return { text: this.#prompt.text + shown, width: this.#prompt.width + width };
    return { text: (sign === SAME_LINE ? sign : this.#dim(sign)) + shown, width: SIGN_COLUMNS + width };
  }

  #paint(next: Frame): void {
    const written = this.#frame === undefined ? firstDrawing(next) : redrawing(this.#frame, next);
    this.#frame = next;
    if (written !== '') this.#output.write(written);
  }
}

function firstDrawing({ rows, cursor }: Frame): string {
  return join(rows) + goTo({ row: rows.length - 1, column: rows.at(-1)!.width }, cursor);
}

/** What makes `next` of `last` on the screen. */
function redrawing(last: Frame, next: Frame): string {
  let equal = 0;
  while (equal < last.rows.length && equal < next.rows.length && last.rows[equal]!.text === next.rows[equal]!.text)
    equal++;
  if (equal === last.rows.length && equal === next.rows.length) return goTo(last.cursor, next.cursor);
  const end = { row: next.rows.length - 1, column: next.rows.at(-1)!.width };
  const typed = typedOnly(last, next, equal);
  if (typed !== undefined) return typed + goTo({ row: equal, column: next.rows[equal]!.width }, next.cursor);
  if (equal === last.rows.length)
    return `${goTo(last.cursor, { row: equal - 1, column: 0 })}\r\n${join(next.rows.slice(equal))}${goTo(end, next.cursor)}`;
  const rest = next.rows.slice(equal);
  if (rest.length === 0) return `${goTo(last.cursor, end)}\x1b[J${goTo(end, next.cursor)}`;
  return `${goTo(last.cursor, { row: equal, column: 0 })}\x1b[J${join(rest)}${goTo(end, next.cursor)}`;
}

/** The text that was typed at the end of the row of the cursor, where nothing else has changed. */
function typedOnly(last: Frame, next: Frame, row: number): string | undefined {
  const [before, now] = [last.rows[row], next.rows[row]];
  if (before === undefined || now === undefined || last.rows.length !== next.rows.length) return undefined;
  if (last.cursor.row !== row || last.cursor.column !== before.width || !now.text.startsWith(before.text))
    return undefined;
  if (last.rows.slice(row + 1).some(({ text }, index) => text !== next.rows[row + 1 + index]!.text)) return undefined;
  const typed = now.text.slice(before.text.length);
  // A mark that joins the character before it is drawn with that.
  return textWidth(typed) === now.width - before.width && /^[^\p{Mark}\p{Format}]/u.test(typed) ? typed : undefined;
}

function join(rows: readonly LineRow[]): string {
  return rows.map(({ text }) => text).join('\r\n');
}

function goTo(from: CursorPlace, to: CursorPlace): string {
  if (from.row === to.row && from.column === to.column) return '';
  const rows = to.row < from.row ? up(from.row - to.row) : to.row > from.row ? `\x1b[${to.row - from.row}B` : '';
  return `${rows}\r${to.column > 0 ? `\x1b[${to.column}C` : ''}`;
}

function up(rows: number): string {
  return rows > 0 ? `\x1b[${rows}A` : '';
}
