// The one implementation of Session: a writer, the states that follow it, and the files derived from both. States move
// only by events that the writer has stored, never by requested ones.
import { checkArguments } from '../errors/arguments.ts';
import type { NewEvent } from '../journal/types.ts';
import { Lanes } from '../platform/lanes.ts';
import { countedSpans } from '../projections/timeline.ts';
import { checkAppended } from './check-events.ts';
import { DerivedFiles, type DerivedFilesParts } from './derived-files.ts';
import { Pointers } from './pointers.ts';
import type { ResumeReport, Session } from './session.ts';
import { completeStates } from './states.ts';

/** `keeper`: it has seen every event up to the writer's head. */
interface LiveSessionParts extends DerivedFilesParts {
  readonly report: ResumeReport;
  /**
   * Ends the journal in place of an event here, where another part leads it: then nothing is derived from it. It closes
   * the writer.
   */
  readonly end?: (() => Promise<void>) | undefined;
}

export function liveSession(parts: LiveSessionParts): Session {
  const { store, writer, keeper, report, end } = parts;
  const { id } = writer;
  const takesIn = pointerCheck(parts);
  const derived = end === undefined ? new DerivedFiles(parts) : undefined;
  const working = new Lanes(1);
  let closing: Promise<void> | undefined;
  const unsubscribe = writer.subscribe((events) => {
    for (const event of events) keeper.apply(event);
    derived?.awaitIdle();
  });

  const session: Session = {
    id,
    report,
    writer,
    answers: { granted: new Set(), denied: new Set() },
    get states() {
      return keeper.states;
    },
    async append(events, options) {
      const list = Array.isArray(events) ? events : [events];
      checkAppended(list);
      const receipts = await takesIn(list, () => writer.append(list, options));
      // An undo may have gone back further than the states reached.
      await completeStates(keeper, store, id);
      return receipts;
    },
    async reach(tokens) {
      checkArguments('reach', { tokens: 'number' }, [tokens]);
      keeper.reach(tokens);
      await completeStates(keeper, store, id);
    },
    async viewBackTo(tokens) {
      checkArguments('viewBackTo', { tokens: 'number' }, [tokens]);
      const { view } = keeper.states;
      if (countedSpans(view.timeline).length === 0) return view;
      using reader = store.openReader(id);
      return await keeper.viewBackTo(tokens, reader);
    },
    exclusively: (work) => working.run(work),
    save: async (options) => (options?.snapshot === 'now' ? derived?.save() : derived?.saveWhenIdle()),
    close(reason, signal) {
      closing ??= close(reason, signal);
      return closing;
    },
    [Symbol.asyncDispose]: () => session.close('exit'),
  };
  return session;

  async function close(reason: 'exit' | 'eof' | 'signal', signal: string | undefined): Promise<void> {
    derived?.stopRefreshing();
    await working.idle();
    try {
      if (end !== undefined) return await end();
      if (writer.failure) throw writer.failure;
      const data = { reason, ...(signal === undefined ? {} : { signal }) };
      await session.append({ type: 'session.closed', data }, { durability: 'disk' });
      await derived?.saveLast();
    } finally {
      unsubscribe();
      await writer.close();
    }
  }
}

/**
 * Appends events whose pointers exist in the session, or among them; those of appends under way count as stored.
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
  const checking = new Lanes(1);

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
      await checking.run(() => check(events));
      return await append();
    } finally {
      underWay -= 1;
      if (underWay === 0) expected = undefined;
    }
  };
}
