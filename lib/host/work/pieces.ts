// What a worker sends of a stream, at the reader's end: each piece is asked for when the reader wants it. A reader that
// asks for nothing for a while is given up, because its worker waits for it.
import type { MessagePort } from 'node:worker_threads';
import { Waiters } from '../../platform/waiters.ts';
import type { FromWorker, ToWorker } from './task.ts';

export class Pieces {
  readonly #port: MessagePort;
  readonly #arrived: Uint8Array[] = [];
  readonly #stalled = new AbortController();
  readonly #stalledMs: number;
  readonly #waiters = new Waiters();
  #hasEnded = false;

  constructor(port: MessagePort, stalledMs: number) {
    this.#port = port;
    this.#stalledMs = stalledMs;
    port.on('message', (piece: FromWorker) => {
      if (piece === 'end') return this.end();
      this.#arrived.push(piece);
      this.#waiters.tell();
    });
    port.unref();
  }

  /** Aborts when the reader has asked for nothing for too long. */
  get stalled(): AbortSignal {
    return this.#stalled.signal;
  }

  end(): void {
    this.#hasEnded = true;
    this.#waiters.tell();
  }

  async *read(): AsyncGenerator<Uint8Array, void, void> {
    for (;;) {
      const piece = await this.#next();
      if (piece === undefined) return;
      const stall = setTimeout(() => this.#stalled.abort(), this.#stalledMs);
      try {
        yield piece;
      } finally {
        clearTimeout(stall);
      }
      if (this.#stalled.signal.aborted) return;
    }
  }

  async #next(): Promise<Uint8Array | undefined> {
    this.#port.postMessage('more' satisfies ToWorker);
    await this.#waiters.until(() => this.#arrived.length > 0 || this.#hasEnded);
    return this.#arrived.shift();
  }
}
