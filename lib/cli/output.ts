// Where a command's words go: results to standard output, everything else to standard error. Waits for a slow reader,
// ends the command quietly when the reader has gone (`ollm export … | head -1`), and fails when the results find no room
// (`ollm export … > backup.md` on a full disk).
import { once } from 'node:events';
import { fstatSync, writeSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import picocolors from 'picocolors';
import { jsonPieces } from '../display/json-pieces.ts';
import { createPaint } from '../display/paint.ts';
import { printable, printableColored, printableJson } from '../display/printable.ts';
import { type Column, tableLines } from '../display/table.ts';
import { OllmError, systemErrorCode } from '../errors/index.ts';
import type { FileHandle } from '../platform/files/file-system.ts';
import { writeAll } from '../platform/files/io.ts';

/** Written together: a write costs more than a line. */
const TABLE_BLOCK_CHARACTERS = 64 * 1024;

export type Colors = ReturnType<typeof picocolors.createColors>;

/** The reader of standard output has closed its end. Nobody is left to tell. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
}

export interface Output {
  /** One JSON document, or NDJSON where the result is a stream. */
  readonly json: boolean;
  /** Whether a person reads standard output on a terminal. */
  readonly isTerminal: boolean;
  /** Whether a person reads standard error on a terminal: progress may be drawn there. */
  readonly isErrorTerminal: boolean;
  /** Of the terminal; 80 where there is none. */
  readonly columns: number;
  /** For standard output. Plain where colours are not wanted. */
  readonly colors: Colors;
  /**
   * Bytes have been taken when it resolves, and their memory may be used again; text may still be on its way.
   * @throws ReaderGone, OllmError IO_FAILED; so do all that print
   */
  write(chunk: string | Uint8Array): Promise<void>;
  /**
   * One line, or several. Only the colours of `colors` reach the terminal; other control characters become visible
   * signs.
   */
  line(text?: string): Promise<void>;
  /** JSON of any kind, in pieces: byte for byte, but for a terminal that it could control. */
  data(chunk: string | Uint8Array): Promise<void>;
  /** One JSON document. */
  document(value: unknown): Promise<void>;
  /** NDJSON: a line for each value, as they come, no faster than they are read. */
  records(values: AsyncIterable<object>): Promise<void>;
  /** A table, as wide as the terminal; elsewhere as wide as its texts. */
  table(columns: readonly Column[]): Promise<void>;
  /** Waits until what was printed has been taken. @throws the same */
  flush(): Promise<void>;
  /** What is good to know, on standard error. Not said with --quiet. */
  note(text: string): void;
  /** What must be known, on standard error. */
  warn(text: string): void;
  /** A line on the terminal's standard error that the next one replaces; an empty text removes it. */
  progress(text: string): void;
}

export interface OutputOptions {
  readonly stdout: NodeJS.WriteStream & { readonly fd: number };
  readonly stderr: NodeJS.WriteStream;
  readonly color: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
}

export function createOutput({ stdout, stderr, color, json, quiet }: OutputOptions): Output {
  /** Why nothing more can be printed. */
  let end: ReaderGone | OllmError | undefined;
  stdout.on('error', (error) => {
    end ??= endOf(error, stdout);
  });
  stderr.on('error', () => {});

  const isErrorTerminal = stderr.isTTY === true;
  const errorColors = picocolors.createColors(color && isErrorTerminal);
  let progressShown = false;

  const file = regularFile(stdout);
  const write = async (chunk: string | Uint8Array): Promise<void> => {
    if (end) throw end;
    if (file) return writeToFile(file, chunk);
    if (typeof chunk !== 'string') return handOver(chunk);
    if (stdout.write(chunk)) return;
    const waiting = new AbortController();
    const { signal } = waiting;
    await Promise.race([once(stdout, 'drain', { signal }), once(stdout, 'close', { signal })]).catch(() => {});
    waiting.abort();
    if (end) throw end;
  };
  const writeToFile = (target: Target, chunk: string | Uint8Array): void => {
    try {
      writeAll(target, typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    } catch (error) {
      end ??= endOf(error, stdout);
      throw end;
    }
  };
  const handOver = async (bytes: Uint8Array): Promise<void> => {
    await new Promise<void>((resolve) => stdout.write(bytes, () => resolve()));
    if (end) throw end;
  };
  const removeProgress = (): void => {
    if (progressShown) stderr.write('\r\u001b[K');
    progressShown = false;
  };

  const columns = () => (stdout.isTTY ? Math.max(20, stdout.columns || 80) : 80);
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  const data = (chunk: string | Uint8Array): Promise<void> => {
    if (!stdout.isTTY) return write(chunk);
    decoder ??= new TextDecoder();
    return write(printableJson(typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })));
  };

  return {
    json,
    isTerminal: stdout.isTTY === true,
    isErrorTerminal,
    get columns() {
      return columns();
    },
    colors: picocolors.createColors(color && stdout.isTTY === true),
    write,
    line: (text = '') => write(`${printableColored(text)}\n`),
    data,
    async document(value) {
      for (const piece of jsonPieces(value)) await data(piece);
      await data('\n');
    },
    async table(tableColumns) {
      const paint = createPaint(color && stdout.isTTY === true);
      let block = '';
      for (const line of tableLines(tableColumns, {
        width: stdout.isTTY ? columns() : Number.POSITIVE_INFINITY,
        header: 'dim',
      })) {
        block += `${paint.line(line)}\n`;
        if (block.length < TABLE_BLOCK_CHARACTERS) continue;
        await write(block);
        block = '';
      }
      await write(block);
    },
    async records(values) {
      const { default: ndjson } = await import('ndjson');
      const sink = new Writable({
        decodeStrings: false,
        write(line: string, _encoding, done) {
          data(line).then(() => done(), done);
        },
      });
      await pipeline(Readable.from(values), ndjson.stringify(), sink);
    },
    flush: () => handOver(new Uint8Array()),
    note(text) {
      removeProgress();
      if (!quiet) stderr.write(`${printable(text)}\n`);
    },
    warn(text) {
      removeProgress();
      stderr.write(`${errorColors.yellow('warning:')} ${printable(text)}\n`);
    },
    progress(text) {
      if (!isErrorTerminal || quiet) return;
      removeProgress();
      if (text === '') return;
      stderr.write(errorColors.dim(printable(text).slice(0, Math.max(0, (stderr.columns || 80) - 1))));
      progressShown = true;
    },
  };
}

type Target = Pick<FileHandle, 'write'>;

/**
 * Standard output where it leads into a file. Node's stream for one takes a write that found room for a part of its
 * bytes as one that succeeded: on a disk that has just filled up, results would end in the middle and nobody would be
 * told.
 */
function regularFile({ fd }: { readonly fd: number }): Target | undefined {
  try {
    return fstatSync(fd).isFile() ? { write: (bytes) => writeSync(fd, bytes) } : undefined;
  } catch {
    // There is none: it was closed before the program began.
    return undefined;
  }
}

/**
 * A pipe without a reader, a terminal that was closed: nobody waits for the results. Of anything else somebody is to
 * know.
 */
function endOf(error: unknown, stdout: NodeJS.WriteStream): ReaderGone | OllmError {
  const code = systemErrorCode(error);
  if (stdout.isTTY || code === 'EPIPE' || code === 'ECONNRESET') return new ReaderGone();
  return new OllmError('IO_FAILED', `The results could not be written to standard output (${code ?? String(error)}).`, {
    hint: 'The output is incomplete. Make room for it, and run the command again.',
    cause: error,
  });
}
