// The sessions that a host led lately, for its lists: a bounded number, and none for longer than some minutes after its
// last turn. Only names are kept: the state of each is made from its journal, so that forgetting one loses nothing.
import type { Clock } from '../../platform/clock.ts';

interface RecentlySeenOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly listedMs: number;
  /** A session in which something runs or waits is listed however long it takes. */
  readonly isAtWork: (key: string) => boolean;
}

const REMEMBERED = 200;

export class RecentlySeen<Value> {
  readonly #options: RecentlySeenOptions;
  /** The newest last. */
  readonly #seen = new Map<string, { readonly value: Value; readonly atMs: number }>();

  constructor(options: RecentlySeenOptions) {
    this.#options = options;
  }

  see(key: string, value: Value): void {
    this.#seen.delete(key);
    this.#seen.set(key, { value, atMs: this.#options.clock.monotonic() });
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > REMEMBERED && oldest !== undefined) this.#seen.delete(oldest);
  }

  forget(key: string): void {
    this.#seen.delete(key);
  }

  /** The value, also of a session that is no longer listed. */
  get(key: string): Value | undefined {
    return this.#seen.get(key)?.value;
  }

  /** The listed sessions, the newest first. */
  list(): readonly (readonly [key: string, value: Value])[] {
    const { clock, listedMs, isAtWork } = this.#options;
    const since = clock.monotonic() - listedMs;
    return [...this.#seen].reverse().flatMap(([key, { value, atMs }]) => {
      return atMs > since || isAtWork(key) ? [[key, value] as const] : [];
    });
  }
}
