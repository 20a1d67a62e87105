// The turn or command that runs: at most one at a time. Ctrl+C cancels it; after a long one the bell rings.
import type { App } from '../app/app.ts';

export class RunningWork {
  readonly #app: Pick<App, 'clock' | 'config'>;
  #controller: AbortController | undefined;
  #startedMs = 0;

  constructor(app: Pick<App, 'clock' | 'config'>) {
    this.#app = app;
  }

  async run<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    this.#controller = new AbortController();
    this.#startedMs = this.#app.clock.monotonic();
    try {
      return await work(this.#controller.signal);
    } finally {
      this.#controller = undefined;
    }
  }

  /** False if nothing runs. */
  cancel(): boolean {
    this.#controller?.abort();
    return this.#controller !== undefined;
  }

  /** Whether the last work took at least `repl.bellAfterSeconds`, so that the user may look elsewhere. */
  get isLong(): boolean {
    const { bellAfterSeconds } = this.#app.config.repl;
    const tookMs = this.#app.clock.monotonic() - this.#startedMs;
    return bellAfterSeconds > 0 && tookMs >= bellAfterSeconds * 1000;
  }
}
