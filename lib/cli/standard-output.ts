// Standard output: waits for a slow reader, ends the command quietly when the reader has gone (`ollm export … | head
// -1`), and fails when the results find no room (`ollm export … > backup.md` on a full disk).
import { once } from 'node:events';
import { fstatSync, writeSync } from 'node:fs';
import { OllmError, systemErrorCode } from '../errors/index.ts';
import type { FileHandle } from '../platform/files/file-system.ts';
import { writeAll } from '../platform/files/io.ts';

/** The reader of standard output has closed its end: no report can reach it. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
}

type Stream = NodeJS.WriteStream & { readonly fd: number };

export class StandardOutput {
  readonly #stream: Stream;
  readonly #file: Target | undefined;
  /** Why nothing more can be printed. */
  #end: ReaderGone | OllmError | undefined;

  constructor(stream: Stream) {
    this.#stream = stream;
    this.#file = regularFile(stream);
    stream.on('error', (error) => {
      this.#end ??= endOf(error, stream);
    });
  }

  /** @throws ReaderGone, OllmError IO_FAILED */
  async write(chunk: string | Uint8Array): Promise<void> {
    this.#requireReader();
    if (this.#file) return this.#writeToFile(this.#file, chunk);
    if (typeof chunk !== 'string') return this.#handOver(chunk);
    if (this.#stream.write(chunk)) return;
    const waiting = new AbortController();
    const { signal } = waiting;
    await Promise.race([once(this.#stream, 'drain', { signal }), once(this.#stream, 'close', { signal })]).catch(
      () => {},
    );
    waiting.abort();
    this.#requireReader();
  }

  /** Waits until the printed output has been taken. @throws as `write` */
  flush(): Promise<void> {
    return this.#handOver(new Uint8Array());
  }

  #writeToFile(target: Target, chunk: string | Uint8Array): void {
    try {
      writeAll(target, typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    } catch (error) {
      this.#end ??= endOf(error, this.#stream);
      throw this.#end;
    }
  }

  async #handOver(bytes: Uint8Array): Promise<void> {
    await new Promise<void>((resolve) => this.#stream.write(bytes, () => resolve()));
    this.#requireReader();
  }

  #requireReader(): void {
    if (this.#end) throw this.#end;
  }
}

type Target = Pick<FileHandle, 'write'>;

/**
 * Standard output where it leads into a file. Node's stream for one takes a write that found room for a part of its
 * bytes as one that succeeded: on a disk that has just filled up, results would end in the middle without a report.
 */
function regularFile({ fd }: { readonly fd: number }): Target | undefined {
  try {
    return fstatSync(fd).isFile() ? { write: (bytes) => writeSync(fd, bytes) } : undefined;
  } catch {
    // It was closed before the program began.
    return undefined;
  }
}

/**
 * A pipe without a reader, a closed terminal: the results have no reader. Any other failure is reported.
 */
function endOf(error: unknown, stdout: NodeJS.WriteStream): ReaderGone | OllmError {
  const code = systemErrorCode(error);
  if (stdout.isTTY || code === 'EPIPE' || code === 'ECONNRESET') return new ReaderGone();
  return new OllmError('IO_FAILED', `The results could not be written to standard output (${code ?? String(error)}).`, {
    hint: 'The output is incomplete. Make room for it, and run the command again.',
    cause: error,
  });
}
