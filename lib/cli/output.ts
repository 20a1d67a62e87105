// The output of a command: results on standard output, in the form that was asked for, everything else on standard
// error.
import { jsonPieces } from '../display/json-pieces.ts';
import { type Colors, createColors, createPaint } from '../display/paint.ts';
import { printable, printableColored, printableJson, tabbedLine } from '../display/printable.ts';
import { withShortIds } from '../display/short-id.ts';
import { type Column, tableLines } from '../display/table.ts';
import { wrapWords } from '../display/wrap-words.ts';
import { commandLineAdvice } from './command-line-advice.ts';
import type { StandardOutput } from './standard-output.ts';

/** Written together: a write costs more than a line. */
const TABLE_BLOCK_CHARACTERS = 64 * 1024;

export interface Output {
  /** A single JSON document, or NDJSON for a stream of results. */
  readonly json: boolean;
  /** Whether a person reads standard output on a terminal. */
  readonly isTerminal: boolean;
  /** Whether a person reads standard error on a terminal: progress may be drawn there. */
  readonly isErrorTerminal: boolean;
  /** Columns of the terminal; 80 if there is none. */
  readonly columns: number;
  /** For standard output. Plain where colours are not wanted. */
  readonly colors: Colors;
  /**
   * Bytes have been taken when it resolves, and their memory may be used again; text may still be on its way.
   * @throws ReaderGone, OllmError IO_FAILED; so do all that print
   */
  write(chunk: string | Uint8Array): Promise<void>;
  /**
   * Prints one or more lines. Only the colours of `colors` reach the terminal; other control characters become visible
   * signs.
   */
  line(text?: string): Promise<void>;
  /** JSON of any kind, in pieces: byte for byte, except on a terminal that it could control. */
  data(chunk: string | Uint8Array): Promise<void>;
  /** A single JSON document. */
  document(value: unknown): Promise<void>;
  /** The outcome of a change: as JSON, or as a line for a person. */
  done(document: unknown, line: string): Promise<void>;
  /** A list: a table on a terminal if it has rows, else their cells with tabs between them. */
  list<Row>(
    rows: readonly Row[],
    cells: (row: Row) => readonly unknown[],
    table: () => readonly Column[],
  ): Promise<void>;
  /** NDJSON: a line for each value, as they come, no faster than they are read. */
  records(values: AsyncIterable<object>): Promise<void>;
  /** A table, as wide as the terminal; elsewhere as wide as its texts. */
  table(columns: readonly Column[]): Promise<void>;
  /** Whether nothing that was printed is still on its way. */
  readonly isTaken: boolean;
  /** Waits until the printed output has been taken. @throws as `line` */
  flush(): Promise<void>;
  /** Useful information, on standard error. Not printed with --quiet. */
  note(text: string): void;
  /** Warnings, on standard error. */
  warn(text: string): void;
  /** A line on the terminal's standard error that the next one replaces; an empty text removes it. */
  progress(text: string): void;
}

interface OutputOptions {
  readonly results: StandardOutput;
  readonly errors: StandardOutput;
  readonly color: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
}

export function createOutput({ results, errors, color, json, quiet }: OutputOptions): Output {
  const isErrorTerminal = errors.isTerminal;
  const errorColors = createColors(color && isErrorTerminal);
  // A script is given ids whole, and lines as they are.
  const sentence = (text: string, begins = '') =>
    isErrorTerminal
      ? wrapWords(begins + printable(withShortIds(text)), errors.columns).slice(begins.length)
      : printable(text);
  let progressShown = false;

  // Without a reader of notes, the results still have one.
  const tell = (text: string): void => void errors.write(text).catch(() => {});
  const write = (chunk: string | Uint8Array) => results.write(chunk);
  const removeProgress = (): void => {
    if (progressShown) tell('\r\u001b[K');
    progressShown = false;
  };

  let decoder: InstanceType<typeof TextDecoder> | undefined;
  const data = (chunk: string | Uint8Array): Promise<void> => {
    if (!results.isTerminal) return write(chunk);
    decoder ??= new TextDecoder();
    return write(printableJson(typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })));
  };

  const document = async (value: unknown): Promise<void> => {
    for (const piece of jsonPieces(value)) await data(piece);
    await data('\n');
  };
  const line = (text = '') => write(`${printableColored(text)}\n`);
  const table = async (tableColumns: readonly Column[]): Promise<void> => {
    const paint = createPaint(color && results.isTerminal);
    const width = results.isTerminal ? results.columns : Number.POSITIVE_INFINITY;
    let block = '';
    for (const spans of tableLines(tableColumns, { width, header: 'dim' })) {
      block += `${paint.line(spans)}\n`;
      if (block.length < TABLE_BLOCK_CHARACTERS) continue;
      await write(block);
      block = '';
    }
    await write(block);
  };

  return {
    json,
    isTerminal: results.isTerminal,
    isErrorTerminal,
    get columns() {
      return results.columns;
    },
    get isTaken() {
      return results.isTaken && errors.isTaken;
    },
    colors: createColors(color && results.isTerminal),
    write,
    line,
    data,
    document,
    done: (value, text) => (json ? document(value) : line(text)),
    table,
    async list(rows, cells, columns) {
      if (!results.isTerminal) await data(rows.map((row) => tabbedLine(cells(row))).join(''));
      else if (rows.length > 0) await table(columns());
    },
    async records(values) {
      for await (const value of values) await data(`${JSON.stringify(value)}\n`);
    },
    flush: () => results.flush(),
    note(text) {
      removeProgress();
      if (!quiet) tell(`${sentence(commandLineAdvice(text))}\n`);
    },
    warn(text) {
      removeProgress();
      tell(`${errorColors.yellow('warning:')} ${sentence(commandLineAdvice(text), 'warning: ')}\n`);
    },
    progress(text) {
      if (!isErrorTerminal || quiet) return;
      removeProgress();
      if (text === '') return;
      tell(errorColors.dim(printable(text).slice(0, Math.max(0, errors.columns - 1))));
      progressShown = true;
    },
  };
}
