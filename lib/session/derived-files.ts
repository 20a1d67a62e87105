// When an open session refreshes its state file and its snapshot, and how. Both are made again from the journal where
// they cannot be written: nothing ends because of them.
import type { JournalStore, JournalWriter } from '../journal/types.ts';
import type { Log } from '../platform/log.ts';
import { rowOfSummary } from '../projections/summary.ts';
import { type MadeSnapshot, makeSnapshot } from './saved/snapshot.ts';
import { encodeState } from './saved/state-file.ts';
import { FOLD_VERSIONS, type StateKeeper } from './states.ts';

/**
 * Up to this length of the journal the snapshot is refreshed at each save: that takes the same time at most in each
 * turn.
 */
const QUICK_JOURNAL_BYTES = 512 * 1024;
/** Up to this length it is refreshed once nothing was appended for a while, so that no turn waits for it. */
const IDLE_JOURNAL_BYTES = 16 * 1024 * 1024;
const IDLE_MS = 2_000;
/** A longer one is refreshed when the journal has grown by this share. */
const SNAPSHOT_GROWTH = 0.25;
/** Up to this length the journal's snapshot is always fresh when it is closed. */
const SMALL_JOURNAL_BYTES = 4 * 1024 * 1024;
/** From this length on it is made only when it is asked for: making it holds the whole conversation in memory. */
const LARGE_JOURNAL_BYTES = 256 * 1024 * 1024;
/**
 * The state file is due when the journal has grown by this share of the file's own length. A resume then reads less
 * after it than the file itself, and writing it costs a turn the same at any length of the session.
 */
const STATE_GROWTH = 0.5;

interface DerivedFilesParts {
  readonly store: JournalStore;
  readonly writer: JournalWriter;
  readonly keeper: StateKeeper;
  readonly log: Log;
}

export class DerivedFiles {
  readonly #parts: DerivedFilesParts;
  /** Bytes of the journal that the snapshot covers. */
  #covered: number;
  /** The length of the journal at which the state file is due. */
  #statesDueAt = 0;
  #saving: Promise<void> = Promise.resolve();
  /** Refreshes the snapshot when nothing happens. */
  #idle: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(parts: DerivedFilesParts, snapshotOffset: number) {
    this.#parts = parts;
    this.#covered = snapshotOffset;
  }

  save(snapshot: 'now' | 'when-due'): Promise<void> {
    const result = this.#saving.then(() => this.#save(snapshot));
    this.#saving = result.catch(() => {});
    return result;
  }

  /** Something was appended: the session is not idle. */
  awaitIdle(): void {
    clearTimeout(this.#idle);
  }

  stopRefreshing(): void {
    this.#isStopped = true;
    clearTimeout(this.#idle);
  }

  /** When the session is closed. */
  async saveLast(): Promise<void> {
    this.#statesDueAt = 0;
    await this.#saveOrLog(this.#parts.writer.head.offset <= SMALL_JOURNAL_BYTES ? 'now' : 'when-due');
  }

  async #save(snapshot: 'now' | 'when-due'): Promise<void> {
    const { store, writer } = this.#parts;
    const isDue = snapshot === 'now' || isSnapshotDue(writer.head.offset, this.#covered);
    if (!isDue) this.#refreshWhenIdle();
    const made = isDue ? await makeSnapshot(store, writer.id) : undefined;
    // A snapshot that outlives its events would pass for evidence that they were lost.
    await writer.sync();
    const areStatesDue = snapshot === 'now' || writer.head.offset >= this.#statesDueAt;
    // Each waits for the device twice: for its content, or a power cut leaves a name without any, and then for its
    // name, so that a caller that knows it saved finds it. Neither needs to wait for the other.
    const results = await Promise.allSettled([
      made && this.#saveSnapshot(made),
      areStatesDue && this.#saveStates(made),
    ]);
    // States that name a snapshot are saved again where that snapshot could not be written.
    if (results[0].status === 'rejected') this.#statesDueAt = 0;
    for (const one of results) if (one.status === 'rejected') throw one.reason;
  }

  #refreshWhenIdle(): void {
    const { offset } = this.#parts.writer.head;
    clearTimeout(this.#idle);
    if (this.#isStopped || offset <= this.#covered || offset > IDLE_JOURNAL_BYTES) return;
    this.#idle = setTimeout(() => void (!this.#isStopped && this.#saveOrLog('now')), IDLE_MS);
    // A program that has nothing else to do ends the session, which writes the snapshot too.
    this.#idle.unref();
  }

  async #saveSnapshot({ anchor, write }: MadeSnapshot): Promise<void> {
    await write();
    this.#covered = anchor?.offset ?? 0;
  }

  /** Together with `snapshot`, if one is being written. */
  async #saveStates(snapshot: MadeSnapshot | undefined): Promise<void> {
    const { store, writer, keeper } = this.#parts;
    keeper.trim();
    const { anchor, replay } = keeper;
    if (anchor === undefined) return;
    const { states, format, counts } = replay;
    const bytes = encodeState({
      anchor,
      // It is written only once this line is on the device.
      synced: anchor,
      epoch: writer.report.epoch,
      snapshotOffset: snapshot ? (snapshot.anchor?.offset ?? 0) : this.#covered,
      versions: FOLD_VERSIONS,
      journal: { format, counts },
      summary: rowOfSummary(states.summary),
      states,
    });
    // Syncs appended events first: a state that outlives its events would pass for evidence that they were lost.
    await writer.sync();
    await store.writeDocument(writer.id, 'state', [bytes]);
    this.#statesDueAt = anchor.offset + bytes.length * STATE_GROWTH;
  }

  async #saveOrLog(snapshot: 'now' | 'when-due'): Promise<void> {
    try {
      await this.save(snapshot);
    } catch (error) {
      const fields = { service: 'session', operation: 'save', sessionId: this.#parts.writer.id, error };
      this.#parts.log.error(
        { ...fields, action: 'Nothing is lost: it is made again from the journal.' },
        'Saving failed',
      );
    }
  }
}

function isSnapshotDue(bytes: number, covered: number): boolean {
  if (bytes <= covered || bytes >= LARGE_JOURNAL_BYTES) return false;
  return bytes <= QUICK_JOURNAL_BYTES || bytes - covered >= covered * SNAPSHOT_GROWTH;
}
