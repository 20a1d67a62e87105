// Callers that wait until something holds: each looks again whenever something has changed.
import { OllmError } from '../errors/index.ts';
import { onAbort } from './waiting.ts';

export class Waiters {
  readonly #looks = new Set<() => void>();

  /** @throws OllmError INTERRUPTED: the signal was aborted first */
  until(condition: () => boolean, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      let stopListening: (() => void) | undefined;
      const end = (): void => {
        this.#looks.delete(look);
        stopListening?.();
      };
      const look = (): void => {
        if (!condition()) return;
        end();
        resolve();
      };
      this.#looks.add(look);
      const abort = (): void => {
        end();
        reject(new OllmError('INTERRUPTED', 'Nothing is waited for any more.'));
      };
      stopListening = signal && onAbort(signal, abort);
      look();
    });
  }

  /** Something has changed. */
  tell(): void {
    for (const look of [...this.#looks]) look();
  }
}
