// The one implementation of Session: a writer, the states that follow it, and the files derived from both. States move
// by what the writer says it stored, never by what was asked of it.
import type { JournalStore, JournalWriter, NewEvent } from '../journal/types.ts';
import type { Log } from '../platform/log.ts';
import { rowOfSummary } from '../projections/summary.ts';
import { checkAppended } from './check-events.ts';
import { Pointers } from './pointers.ts';
import { type MadeSnapshot, makeSnapshot } from './saved/snapshot.ts';
import { encodeState } from './saved/state-file.ts';
import type { ResumeReport, Session } from './session.ts';
import { completeStates, FOLD_VERSIONS, type StateKeeper } from './states.ts';

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
 * The state file is due when the journal has grown by this share of the file's own length. What a resume reads behind
 * it is then less than the file itself, and writing it costs a turn the same at any length of the session.
 */
const STATE_GROWTH = 0.5;

export interface LiveSessionParts {
  readonly store: JournalStore;
  readonly writer: JournalWriter;
  /** Has seen every event up to the writer's head. */
  readonly keeper: StateKeeper;
  readonly report: ResumeReport;
  /** Bytes of the journal that the snapshot covers. */
  readonly snapshotOffset: number;
  readonly log: Log;
}

export function liveSession({ store, writer, keeper, report, snapshotOffset, log }: LiveSessionParts): Session {
  const { id } = writer;
  const takesIn = pointerCheck({ store, writer, keeper });
  let covered = snapshotOffset;
  /** The length of the journal at which the state file is due. */
  let statesDueAt = 0;
  let working: Promise<unknown> = Promise.resolve();
  let saving: Promise<void> = Promise.resolve();
  let closing: Promise<void> | undefined;
  /** Refreshes the snapshot when nothing happens. */
  let idle: NodeJS.Timeout | undefined;
  const unsubscribe = writer.subscribe((events) => {
    for (const event of events) keeper.apply(event);
    clearTimeout(idle);
  });

  const session: Session = {
    id,
    report,
    writer,
    get states() {
      return keeper.states;
    },
    async append(events, options) {
      const list = Array.isArray(events) ? events : [events];
      checkAppended(list);
      const receipts = await takesIn(list, () => writer.append(list, options));
      // An undo may have gone back further than what the states had kept.
      await completeStates(keeper, store, id);
      return receipts;
    },
    async reach(tokens) {
      keeper.reach(tokens);
      await completeStates(keeper, store, id);
    },
    exclusively(work) {
      const result = working.then(work);
      working = result.catch(() => {});
      return result;
    },
    save({ snapshot = 'when-due' } = {}) {
      const result = saving.then(async () => {
        const isDue = snapshot === 'now' || isSnapshotDue(writer.head.offset, covered);
        if (!isDue) refreshWhenIdle();
        const made = isDue ? await makeSnapshot(store, id) : undefined;
        // A snapshot that outlives its events would pass for evidence that they were lost.
        await writer.sync();
        const areStatesDue = snapshot === 'now' || writer.head.offset >= statesDueAt;
        // Each waits for the device twice: for its content, or a power cut leaves a name without any, and then for its
        // name, so that a caller that knows it saved finds it. Neither needs to wait for the other.
        const results = await Promise.allSettled([made && saveSnapshot(made), areStatesDue && saveStates(made)]);
        // States that name a snapshot are saved again where that snapshot could not be written.
        if (results[0].status === 'rejected') statesDueAt = 0;
        for (const one of results) if (one.status === 'rejected') throw one.reason;
      });
      saving = result.catch(() => {});
      return result;
    },
    close(reason, signal) {
      closing ??= close(reason, signal);
      return closing;
    },
  };
  return session;

  function refreshWhenIdle(): void {
    clearTimeout(idle);
    if (closing !== undefined || writer.head.offset <= covered || writer.head.offset > IDLE_JOURNAL_BYTES) return;
    idle = setTimeout(() => void (closing === undefined && saveOrLog('now')), IDLE_MS);
    // A program that has nothing else to do ends the session, which writes the snapshot too.
    idle.unref();
  }

  async function saveSnapshot({ anchor, write }: MadeSnapshot): Promise<void> {
    await write();
    covered = anchor?.offset ?? 0;
  }

  /** Beside `snapshot`, if one is being written. */
  async function saveStates(snapshot: MadeSnapshot | undefined): Promise<void> {
    keeper.trim();
    const { anchor, replay } = keeper;
    if (anchor === undefined) return;
    const { states, format, counts } = replay;
    const bytes = encodeState({
      anchor,
      // It is written only once this line is on the device.
      synced: anchor,
      epoch: writer.report.epoch,
      snapshotOffset: snapshot ? (snapshot.anchor?.offset ?? 0) : covered,
      versions: FOLD_VERSIONS,
      journal: { format, counts },
      summary: rowOfSummary(states.summary),
      states,
    });
    // What was appended since: a state that outlives its events would pass for evidence that they were lost.
    await writer.sync();
    await store.writeDocument(id, 'state', [bytes]);
    statesDueAt = anchor.offset + bytes.length * STATE_GROWTH;
  }

  /** What is derived can be made again: that it could not be written ends nothing. */
  async function saveOrLog(snapshot: 'now' | 'when-due'): Promise<void> {
    try {
      await session.save({ snapshot });
    } catch (error) {
      const fields = { service: 'session', operation: 'save', sessionId: id, error };
      log.error({ ...fields, action: 'Nothing is lost: it is made again from the journal.' }, 'Saving failed');
    }
  }

  async function close(reason: 'exit' | 'eof' | 'signal', signal: string | undefined): Promise<void> {
    clearTimeout(idle);
    await working;
    try {
      if (writer.failure) throw writer.failure;
      const data = { reason, ...(signal === undefined ? {} : { signal }) };
      await session.append({ type: 'session.closed', data }, { durability: 'disk' });
      statesDueAt = 0;
      await saveOrLog(writer.head.offset <= SMALL_JOURNAL_BYTES ? 'now' : 'when-due');
    } finally {
      unsubscribe();
      await writer.close();
    }
  }
}

/**
 * Appends events that point at what the session has, or at each other; those of appends under way count as stored.
 * Appends stay in the order of the calls, and do not wait for each other's device.
 */
function pointerCheck({ store, writer, keeper }: Pick<LiveSessionParts, 'store' | 'writer' | 'keeper'>) {
  const stored = {
    knows: (id: string) => writer.knows(id),
    hasBlob: async (sha256: string) => (await store.readBlob(sha256)) !== undefined,
  };
  /** Undefined while no append is under way: then the states know it. */
  let expected: Pointers | undefined;
  let underWay = 0;
  let checking: Promise<unknown> = Promise.resolve();

  async function check(events: readonly NewEvent[]): Promise<void> {
    const { turns, calls } = keeper.states.openEnds;
    const openCalls = calls.map(({ callId }) => callId);
    const next = expected?.copy() ?? new Pointers(stored, { lastSeq: -1, highestTurn: turns, openCalls });
    next.reach(writer.head.seq);
    for (const event of events) {
      const fault = await next.expect(event);
      if (fault) throw fault;
    }
    expected = next;
  }

  return async <Result>(events: readonly NewEvent[], append: () => Promise<Result>): Promise<Result> => {
    underWay += 1;
    try {
      const checked = checking.then(() => check(events));
      checking = checked.catch(() => {});
      await checked;
      return await append();
    } finally {
      underWay -= 1;
      if (underWay === 0) expected = undefined;
    }
  };
}

function isSnapshotDue(bytes: number, covered: number): boolean {
  if (bytes <= covered || bytes >= LARGE_JOURNAL_BYTES) return false;
  return bytes <= QUICK_JOURNAL_BYTES || bytes - covered >= covered * SNAPSHOT_GROWTH;
}
