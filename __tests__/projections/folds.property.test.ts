// Laws that hold for each fold over any session, and for what counts after undos and compactions. The reference follows
// the events one by one to the beginning, as a person would with a finger.
import fc from 'fast-check';
import type { StoredEvent } from '../../lib/journal/types.ts';
import { budgetFold } from '../../lib/projections/budget.ts';
import { usedTokens } from '../../lib/projections/budget-report.ts';
import { contextFold } from '../../lib/projections/context.ts';
import { loopFold } from '../../lib/projections/loop.ts';
import { replay } from '../../lib/projections/replay.ts';
import { createReplayer, type Folds, trimStates } from '../../lib/projections/replayer.ts';
import { sessionFold, sessionJson } from '../../lib/projections/session.ts';
import { summaryFold } from '../../lib/projections/summary.ts';
import { countedEntries } from '../../lib/projections/timeline.ts';
import { viewFold } from '../../lib/projections/view.ts';
import { arbitrarySession } from '../support/arbitrary-session.ts';
import { event, readerOf, stored } from '../support/event-list.ts';
import { expectSame } from '../support/expect-same.ts';

const FOLDS = {
  session: sessionFold,
  view: viewFold,
  budget: budgetFold,
  loop: loopFold,
  context: contextFold,
  summary: summaryFold,
};
const RUNS = { numRuns: 100 };

const journal = (options?: { maxLength: number }) => arbitrarySession(options).map((events) => stored(events));
const statesAfter = async (events: readonly StoredEvent[]) => (await replay(readerOf(events), FOLDS)).states;
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('every fold', () => {
  it('gives the same state after a prefix by a replay and event by event', async () => {
    await fc.assert(
      fc.asyncProperty(journal(), fc.nat(), async (events, pick) => {
        const length = 1 + (pick % events.length);
        const following = createReplayer(FOLDS);
        for (const one of events.slice(0, length)) following.see(one);
        expectSame(await statesAfter(events.slice(0, length)), following.states);
        expectSame((await replay(readerOf(events), FOLDS, { at: { seq: length - 1 } })).states, following.states);
      }),
      RUNS,
    );
  });

  it('continues from a saved state as if it had never stopped', async () => {
    await fc.assert(
      fc.asyncProperty(journal(), fc.nat(), async (events, pick) => {
        const { states, lastSeq, position, format, counts } = await replay(readerOf(events), FOLDS, {
          at: { seq: pick % events.length },
        });
        const from = { states: plain(states) as typeof states, lastSeq, position, format, counts: { ...counts } };
        const resumed = await replay(readerOf(events), FOLDS, { from });
        const whole = await replay(readerOf(events), FOLDS);
        expectSame(plain(resumed.states), plain(whole.states));
        expectSame(resumed.counts, whole.counts);
        expectSame(resumed.position, whole.position);
      }),
      RUNS,
    );
  });

  it('does not change with events of unknown types', async () => {
    await fc.assert(
      fc.asyncProperty(journal({ maxLength: 30 }), async (events) => {
        const known = events.map((one) =>
          one.type === 'plugin.noted' ? { ...one, type: 'other.noted', data: {} } : one,
        );
        expectSame(await statesAfter(known), await statesAfter(events));
      }),
      RUNS,
    );
  });

  it('names only types that it handles, each once', () => {
    for (const fold of Object.values<Folds[string]>(FOLDS)) expect(new Set(fold.reads).size).toBe(fold.reads.length);
  });
});

/** The way from the last event to the first. After a move, the one before is its head. */
function pathOf(events: readonly StoredEvent[]): Set<number> {
  const path = new Set<number>();
  for (let seq = events.length - 1; seq >= 0; ) {
    const one = events[seq];
    path.add(seq);
    seq = one?.type === 'branch.moved' && (one.data.head as number) < seq ? (one.data.head as number) : seq - 1;
  }
  return path;
}

/** The seq of each message, call and retrieved text that the model is to see; of messages in one event, repeated. */
function expectedView(events: readonly StoredEvent[]): number[] {
  const path = pathOf(events);
  const isUndone = (seq: number) =>
    events.some(
      (one) => one.type === 'compaction.undone' && one.data.seq === seq && one.seq > seq && path.has(one.seq),
    );
  const compactions = events.filter(
    (one) => one.type === 'compaction.completed' && path.has(one.seq) && !isUndone(one.seq),
  );
  const cut = Math.max(0, ...compactions.map(firstKept));
  const newest = Math.max(0, ...compactions.map(({ seq }) => seq));
  const isFirstWords = (seq: number) =>
    events
      .slice(0, seq + 1)
      .every((one) => itemsIn(one) === 0 || (one.type === 'message.added' && one.data.role === 'system'));
  return events
    .filter(({ seq }) => isFirstWords(seq) || (path.has(seq) && seq >= cut))
    .filter(({ type, seq }) => type !== 'retrieval.added' || seq > newest)
    .filter((one) => one.type !== 'compaction.completed' || compactions.includes(one))
    .flatMap((one) => Array.from({ length: itemsIn(one) }, () => one.seq));
}

/** A compaction that puts messages in place covers all before itself. */
function firstKept({ seq, data }: StoredEvent): number {
  return data.messages === undefined ? (data.keptFrom as number) : seq;
}

function itemsIn({ type, data }: StoredEvent): number {
  if (type === 'compaction.completed') return ((data.messages ?? []) as unknown[]).length;
  return type === 'message.added' || type === 'tool.requested' || type === 'retrieval.added' ? 1 : 0;
}

describe('the view', () => {
  it('has exactly the items on its path that no compaction covers', async () => {
    await fc.assert(
      fc.asyncProperty(journal(), async (events) => {
        const seen = countedEntries((await statesAfter(events)).view.timeline).map(({ seq }) => seq);
        expectSame(seen, expectedView(events));
      }),
      { numRuns: 200 },
    );
  });

  it('is equal after a turn and its undo, and after the undo of that undo', async () => {
    await fc.assert(
      fc.asyncProperty(journal(), async (before) => {
        const turn = stored(
          [
            event.said('user', 'again'),
            event.asked('new'),
            event.finished('new'),
            event.compacted(0, before.length, 's'),
          ],
          { from: before.length },
        );
        const done = [...before, ...turn];
        const undone = [...done, ...stored([event.moved(before.length - 1)], { from: done.length })];
        const redone = [...undone, ...stored([event.moved(done.length - 1)], { from: undone.length })];
        const items = async (events: StoredEvent[]) => countedEntries((await statesAfter(events)).view.timeline);
        expectSame(await items(undone), await items(before));
        expectSame(await items(redone), await items(done));
      }),
      RUNS,
    );
  });

  it('is equal after a compaction and its undo', async () => {
    await fc.assert(
      fc.asyncProperty(journal(), fc.nat(), async (before, pick) => {
        const compaction = stored(
          [event.compacted(0, pick % before.length, 'summary'), event.uncompacted(before.length)],
          {
            from: before.length,
          },
        );
        const items = async (events: StoredEvent[]) => countedEntries((await statesAfter(events)).view.timeline);
        expectSame(await items([...before, ...compaction]), await items(before));
      }),
      RUNS,
    );
  });
});

describe('the budget', () => {
  it('equals the sum of the view, after any undo or compaction', async () => {
    await fc.assert(
      fc.asyncProperty(journal(), async (events) => {
        const { view, budget } = await statesAfter(events);
        const items = countedEntries(view.timeline);
        const path = pathOf(events);
        const sum = (pick: (item: (typeof items)[number]) => boolean) =>
          items.filter(pick).reduce((total, { tokens }) => total + tokens, 0);
        const active = view.timeline.checkpoints.filter(
          ({ seq, undoneAt }) => path.has(seq) && !undoneAt.some((at) => path.has(at)),
        );
        // Messages that were put in place of others are items of the view; they replace a summary too.
        const summary = active.findLast((one) => one.hasMessages || one.summary !== undefined)?.tokens ?? 0;
        expect(budget.parts.system.count).toBe(sum((item) => item.pinned === true));
        expect(budget.parts.history.count).toBe(sum((item) => item.kind === 'message' && !item.pinned) + summary);
        expect(budget.parts.tools.count).toBe(sum((item) => item.kind === 'call'));
        expect(budget.parts.retrieval.count).toBe(sum((item) => item.kind === 'retrieval'));
        expect(budget.parts.context.count).toBe(
          view.context.entries.reduce((total, { tokens }) => total + tokens.count, 0),
        );
      }),
      RUNS,
    );
  });

  it('adds up all spent tokens, also of undone turns', async () => {
    await fc.assert(
      fc.asyncProperty(journal(), async (events) => {
        const { spent } = (await statesAfter(events)).budget;
        const reports = events.filter(({ type }) => type === 'usage.reported').map(({ data }) => data);
        expect(spent.calls).toBe(reports.length);
        expect(spent.inputTokens).toBe(reports.reduce((sum, data) => sum + (data.inputTokens as number), 0));
        expect(spent.cachedTokens).toBeLessThanOrEqual(spent.inputTokens);
      }),
      RUNS,
    );
  });
});

describe('the summary', () => {
  it('has the counts of the session list', async () => {
    await fc.assert(
      fc.asyncProperty(journal(), async (events) => {
        const { session, summary } = await statesAfter(events);
        const json = sessionJson(session);
        expect(summary.messageCount).toBe(json.messages.length);
        expect(summary.turnCount).toBe(json.messages.filter(({ role }) => role === 'user').length);
        expect(summary.lastMessage?.role).toBe(json.messages.at(-1)?.role);
        expect([summary.id, summary.title, summary.startTime, summary.lastActivity, summary.model]).toEqual([
          json.sessionId,
          json.title,
          json.startTime,
          json.lastActivity,
          json.model,
        ]);
      }),
      RUNS,
    );
  });
});

describe('trimmed states', () => {
  const CAP = 40;

  it('keep every number of budget and summary, and the newest items of the view, unless they are marked incomplete', async () => {
    await fc.assert(
      fc.asyncProperty(journal({ maxLength: 60 }), fc.nat(), async (events, pick) => {
        const whole = await statesAfter(events);
        const trimmed = createReplayer(FOLDS);
        for (const one of events) {
          trimmed.see(one);
          if (one.seq % (1 + (pick % 7)) === 0) trimStates(FOLDS, trimmed.states, CAP);
        }
        const { view, budget, summary } = trimmed.states;
        if (!budget.timeline.incomplete) {
          expectSame(budget.parts, whole.budget.parts);
          expectSame(usedTokens(budget), usedTokens(whole.budget));
        }
        if (!summary.timeline.incomplete) {
          const { timeline: _, ...row } = summary;
          expectSame(row, { ...whole.summary, timeline: undefined });
        }
        if (!view.timeline.incomplete) {
          const all = countedEntries(whole.view.timeline);
          const kept = countedEntries(view.timeline);
          const isKept = ({ seq }: { seq: number }) => kept.some((item) => item.seq === seq);
          expectSame(kept, all.filter(isKept));
          const newest = all.slice(1 + all.findLastIndex((item) => !isKept(item)));
          const room = newest.reduce((sum, item) => sum + item.tokens + 4, 0);
          if (newest.length < all.length) expect(room).toBeGreaterThanOrEqual(CAP);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('are bounded, for a session of any length', async () => {
    const turn = (index: number) => [
      event.said('user', `question ${index}`),
      event.asked('c'),
      event.finished('c', 'x'.repeat(50)),
    ];
    const events = stored([event.created(), ...Array.from({ length: 3000 }, (_, index) => turn(index)).flat()]);
    const { view, budget, summary } = (await replay(readerOf(events), FOLDS, { capTokens: 1000 })).states;
    trimStates(FOLDS, { view, budget, summary, session: undefined, loop: undefined, context: undefined }, 1000);
    for (const { timeline } of [view, budget, summary]) {
      expect(timeline.entries.length).toBeLessThan(200);
      expect(timeline.forgotten.length).toBeLessThan(20);
      expect(timeline.incomplete).toBe(false);
    }
    expect(summary.messageCount).toBe(3000);
  });

  it('are marked incomplete when an undo goes back before the kept items', async () => {
    const turns = Array.from({ length: 100 }, (_, index) => event.said('user', `question number ${index}`));
    const events = stored([event.created(), ...turns, event.moved(10)]);
    const kept = await replay(readerOf(events.slice(0, -1)), FOLDS, { capTokens: 100 });
    trimStates(FOLDS, kept.states, 100);
    const { view, budget, summary } = (await replay(readerOf(events), FOLDS, { from: kept })).states;
    expectSame(
      [view, budget, summary].map(({ timeline }) => timeline.incomplete),
      [true, true, true],
    );
  });

  it('are marked incomplete when a move leads to a branch whose end was trimmed, even with older turns kept', async () => {
    const says = (count: number) =>
      Array.from({ length: count }, (_, index) => event.said('user', `twenty characters ${index}`));
    const left = stored([event.created(), ...says(7), ...says(10), event.moved(7), ...says(1)]);
    const kept = await replay(readerOf(left), { view: viewFold });
    trimStates({ view: viewFold }, kept.states, CAP);
    const lastForgotten = kept.states.view.timeline.forgotten.at(-1)!.to;
    const back = [...left, ...stored([event.moved(lastForgotten)], { from: left.length })];
    expect((await replay(readerOf(back), { view: viewFold }, { from: kept })).states.view.timeline.incomplete).toBe(
      true,
    );
  });
});
