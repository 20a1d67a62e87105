// Standard output and standard error: wait for a slow reader, end the command quietly when the reader has gone
// (`ollm export … | head -1`), and fail when the results find no room (`ollm export … > backup.md` on a full disk).
// Node's own stream is opened where it is needed: a terminal, and a pipe that may be full. It is a dozen modules, a
// tenth of what an empty Node takes to start.
import { constants, fstatSync, openSync, statSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import { OllmError, systemErrorCode } from '../errors/index.ts';

/** A new pipe has room for as many, on Linux and macOS. */
const PIPE_BYTES = 16 * 1024;
const NARROWEST = 20;
const USUAL_WIDTH = 80;

/** The reader of standard output has closed its end: no report can reach it. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
}

type Name = 'stdout' | 'stderr';

const FDS: Readonly<Record<Name, number>> = { stdout: 1, stderr: 2 };
/** Node's own streams, which are opened when they are first asked for. */
const OWN = { stdout: propertyOf('stdout'), stderr: propertyOf('stderr') };

export class StandardOutput {
  readonly #name: Name;
  #opened: NodeJS.WriteStream | undefined;
  /** Where bytes are written directly. */
  #descriptor: number | undefined;
  /** Bytes that may be written to the descriptor itself. */
  #directBytes: number;
  /** Why nothing more can be printed. */
  #end: ReaderGone | OllmError | undefined;

  constructor(name: Name) {
    this.#name = name;
    // A stream that is in the place of Node's gets all that is printed.
    this.#directBytes = propertyOf(name) === OWN[name] ? directBytes(FDS[name]) : 0;
  }

  /** Whether a person reads it on a terminal. */
  get isTerminal(): boolean {
    return this.#directBytes === 0 && this.#stream.isTTY === true;
  }

  /** Columns of the terminal; 80 if there is none. */
  get columns(): number {
    return this.isTerminal ? widthOf(this.#stream) : USUAL_WIDTH;
  }

  /** Whether nothing that was printed is still on its way. */
  get isTaken(): boolean {
    return this.#opened === undefined || this.#opened.writableLength === 0;
  }

  /** @throws ReaderGone, OllmError IO_FAILED */
  async write(chunk: string | Uint8Array): Promise<void> {
    this.#requireReader();
    const rest = this.#directBytes === 0 ? chunk : this.#writeDirectly(chunk);
    if (rest.length === 0) return;
    if (typeof rest !== 'string') return this.#handOver(rest);
    // A listener for each write that waits would be one of many: Node warns of more than ten.
    if (!this.#stream.write(rest)) await this.#handOver(new Uint8Array());
  }

  /** Waits until the printed output has been taken. @throws as `write` */
  async flush(): Promise<void> {
    if (this.#opened) await this.#handOver(new Uint8Array());
    this.#requireReader();
  }

  get #stream(): NodeJS.WriteStream {
    this.#opened ??= process[this.#name].on('error', (error) => {
      this.#end ??= this.#endOf(error);
    });
    return this.#opened;
  }

  /**
   * Returns the bytes that were not written. Node's stream for a file takes a write that found room for a part of its
   * bytes as one that succeeded: on a disk that has just filled up, results would end in the middle without a report.
   */
  #writeDirectly(chunk: string | Uint8Array): Uint8Array {
    let rest = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    this.#descriptor ??= unblocked(FDS[this.#name]);
    if (this.#descriptor === undefined) this.#directBytes = 0;
    try {
      while (this.#descriptor !== undefined && rest.length > 0 && rest.length <= this.#directBytes) {
        const written = writeSync(this.#descriptor, rest);
        this.#directBytes -= written;
        rest = rest.subarray(written);
      }
    } catch (error) {
      // The pipe is full: other programs write into it too.
      if (systemErrorCode(error) !== 'EAGAIN') {
        this.#end ??= this.#endOf(error);
        throw this.#end;
      }
    }
    if (rest.length > 0) this.#directBytes = 0;
    return rest;
  }

  async #handOver(bytes: Uint8Array): Promise<void> {
    await new Promise<void>((resolve) => this.#stream.write(bytes, () => resolve()));
    this.#requireReader();
  }

  #requireReader(): void {
    if (this.#end) throw this.#end;
  }

  /** A pipe without a reader, a closed terminal: the results have no reader. Any other failure is reported. */
  #endOf(error: unknown): ReaderGone | OllmError {
    const code = systemErrorCode(error);
    if (this.isTerminal || code === 'EPIPE' || code === 'ECONNRESET') return new ReaderGone();
    const message = `The results could not be written to standard output (${code ?? String(error)}).`;
    return new OllmError('IO_FAILED', message, {
      hint: 'The output is incomplete. Make room for it, and run the command again.',
      cause: error,
    });
  }
}

export function widthOf({ isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>): number {
  return isTTY ? Math.max(NARROWEST, columns || USUAL_WIDTH) : USUAL_WIDTH;
}

function propertyOf(name: Name): unknown {
  const property = Object.getOwnPropertyDescriptor(process, name);
  return property?.get ?? property?.value;
}

/**
 * No signal reaches a process that waits in a write: a pipe is opened once more, in a way that a write into a full one
 * fails at once. Undefined where that cannot be done, as without a reader.
 */
function unblocked(fd: number): number | undefined {
  try {
    return fstatSync(fd).isFIFO() ? openSync(`/dev/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK) : fd;
  } catch {
    return undefined;
  }
}

/** Any number into a file and the null device, none on a terminal. */
function directBytes(fd: number): number {
  try {
    const stat = fstatSync(fd);
    if (stat.isFIFO() || stat.isSocket()) return PIPE_BYTES;
    const isNull = stat.isCharacterDevice() && stat.rdev === statSync(devNull).rdev;
    return stat.isFile() || isNull ? Number.POSITIVE_INFINITY : 0;
  } catch {
    // It was closed before the program began.
    return 0;
  }
}
