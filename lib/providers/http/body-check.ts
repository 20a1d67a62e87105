// A look through a streamed answer as it comes: its pieces are checked, and handed on or left out. Pieces before a
// failure are part of the answer: they are passed on first, and the failure follows.
import { isOllmError, type OllmError } from '../../errors/index.ts';
import type { Failures } from './failures.ts';

export abstract class BodyCheck {
  /** Ends the answer after the bytes that the last `push` returned. */
  failure: OllmError | undefined;
  protected readonly failures: Failures;
  /** The pieces to hand on. */
  protected readonly out: (string | Uint8Array)[] = [];

  constructor(failures: Failures) {
    this.failures = failures;
  }

  /**
   * Takes bytes as they come; returns what may be handed on, possibly nothing. Throws where they make no sense; where
   * some good bytes come before those, it returns these and has a `failure`.
   */
  push(bytes: Uint8Array): Uint8Array {
    return this.#taken(() => this.take(bytes));
  }

  /** The remaining bytes when the connection ends. */
  end(): Uint8Array {
    return this.#taken(() => this.takeEnd());
  }

  protected abstract take(bytes: Uint8Array): void;
  protected abstract takeEnd(): void;

  #taken(take: () => void): Uint8Array {
    try {
      take();
    } catch (error) {
      if (this.out.length === 0 || !isOllmError(error)) throw error;
      this.failure = error;
    }
    return Buffer.concat(this.out.splice(0).map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
  }
}
