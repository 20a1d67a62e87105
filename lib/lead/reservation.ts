// A session that was given to another process is kept for it: until that process has opened it, or the time is over.
import { readJournal } from '../app/journals/read-journal.ts';
import { isOllmError, unless } from '../errors/index.ts';
import { firstEvent } from '../journal/reading/outcomes.ts';
import type { JournalStore } from '../journal/types.ts';
import { givenAway } from './refusals.ts';

interface Kept {
  /** By the clock that never steps back. */
  readonly untilMs: number;
  readonly timer: NodeJS.Timeout;
  /** The newest event when it was given away. */
  newest?: number | undefined;
}

export class Reservation {
  readonly #store: JournalStore;
  readonly #onEnd: () => void;
  #kept: Kept | undefined;

  constructor(store: JournalStore, onEnd: () => void) {
    this.#store = store;
    this.#onEnd = onEnd;
  }

  get isOn(): boolean {
    return this.#kept !== undefined;
  }

  begin(forMs: number): void {
    clearTimeout(this.#kept?.timer);
    const timer = setTimeout(() => this.#end(), forMs).unref();
    this.#kept = { untilMs: performance.now() + forMs, timer };
  }

  /** The writer is closed: events from now on are of the other process. */
  async beginClosed(id: string, forMs: number): Promise<void> {
    this.begin(forMs);
    const kept = this.#kept!;
    kept.newest = await this.#newest(id);
  }

  /** @throws OllmError SESSION_LOCKED: the other process has not opened it yet */
  async requireOver(id: string): Promise<void> {
    const kept = this.#kept;
    if (kept === undefined) return;
    const hasOpened = (await this.#store.holder(id)) !== undefined || (await this.#newest(id)) !== kept.newest;
    if (!hasOpened) throw givenAway(id, kept.untilMs - performance.now());
    // From here on its lock says whether it has the session.
    this.#end();
  }

  #end(): void {
    clearTimeout(this.#kept?.timer);
    this.#kept = undefined;
    this.#onEnd();
  }

  /** The seq of the newest event that is stored; undefined if it cannot be read. */
  async #newest(id: string): Promise<number | undefined> {
    const read = () => readJournal(this.#store, id, (reader) => firstEvent(reader.backwards()));
    return (await unless(isOllmError, read))?.seq;
  }
}
