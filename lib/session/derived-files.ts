// The state file and the snapshot of an open session: written once it was idle for a while, when it is closed, and when
// its user saves it. Both are made again from the journal where they cannot be written: nothing ends because of them.
import type { JournalStore, JournalWriter } from '../journal/types.ts';
import { Lanes } from '../platform/lanes.ts';
import type { Log } from '../platform/log.ts';
import { rowOfSummary } from '../projections/summary.ts';
import { makeSnapshot } from './saved/snapshot.ts';
import { encodeState } from './saved/state-file.ts';
import { FOLD_VERSIONS, type StateKeeper } from './states.ts';

const IDLE_MS = 2_000;
/**
 * The snapshot of a longer journal is written only when the user saves it: making it reads all of the journal, and
 * holds the whole conversation in memory.
 */
const LONG_JOURNAL_BYTES = 16 * 1024 * 1024;

export interface DerivedFilesParts {
  readonly store: JournalStore;
  readonly writer: JournalWriter;
  readonly keeper: StateKeeper;
  readonly log: Log;
}

export class DerivedFiles {
  readonly #parts: DerivedFilesParts;
  readonly #saving = new Lanes(1);
  #idle: NodeJS.Timeout | undefined;
  #isClosing = false;

  constructor(parts: DerivedFilesParts) {
    this.#parts = parts;
  }

  /** Writes both now. @throws what reading the journal and writing the files throw */
  save(): Promise<void> {
    return this.#next({ withSnapshot: true });
  }

  /** Writes both once nothing was appended for two seconds. */
  saveWhenIdle(): void {
    clearTimeout(this.#idle);
    if (this.#isClosing) return;
    this.#idle = setTimeout(() => {
      this.#idle = undefined;
      void this.#saveOrLog();
    }, IDLE_MS);
    // A program that has nothing else to do ends the session, which writes both too.
    this.#idle.unref();
  }

  /** Something was appended: a save that was asked for waits for the next two seconds without one. */
  awaitIdle(): void {
    this.#idle?.refresh();
  }

  /** The session is about to be closed: nothing is written any more but `saveLast`. */
  stopRefreshing(): void {
    this.#isClosing = true;
    clearTimeout(this.#idle);
  }

  /** When the session is closed. Never rejects. */
  saveLast(): Promise<void> {
    return this.#saveOrLog();
  }

  #next(how: { readonly withSnapshot: boolean }): Promise<void> {
    return this.#saving.run(() => this.#save(how));
  }

  async #save({ withSnapshot }: { readonly withSnapshot: boolean }): Promise<void> {
    const { store, writer } = this.#parts;
    const snapshot = withSnapshot ? await makeSnapshot(store, writer.id) : undefined;
    const states = this.#encodedStates();
    // A file that outlives its events would pass for evidence that they were lost.
    await writer.sync();
    // Each waits for the device twice: for its content, or a power cut leaves a name without any, and then for its
    // name, so that a caller that knows it saved finds it. Neither needs to wait for the other.
    const results = await Promise.allSettled([
      snapshot?.write(),
      states && store.writeDocument(writer.id, 'state', [states]),
    ]);
    for (const one of results) if (one.status === 'rejected') throw one.reason;
  }

  #encodedStates(): Uint8Array | undefined {
    const { writer, keeper } = this.#parts;
    keeper.trim();
    const { anchor, replay } = keeper;
    if (anchor === undefined) return undefined;
    const { states, format, counts } = replay;
    return encodeState({
      anchor,
      // The caller syncs the journal before it writes them.
      synced: anchor,
      stamp: writer.stamp,
      epoch: writer.report.epoch,
      versions: FOLD_VERSIONS,
      journal: { format, counts },
      summary: rowOfSummary(states.summary),
      states,
    });
  }

  async #saveOrLog(): Promise<void> {
    const { writer, log } = this.#parts;
    try {
      await this.#next({ withSnapshot: writer.head.offset <= LONG_JOURNAL_BYTES });
    } catch (error) {
      const fields = { service: 'session', operation: 'save', sessionId: writer.id, error };
      log.error({ ...fields, action: 'Nothing is lost: it is made again from the journal.' }, 'Saving failed');
    }
  }
}
