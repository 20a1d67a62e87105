// States that were trimmed too far are completed from the newest turn that is old enough: they then equal a replay of
// the whole journal, and reading goes no further back than it must.
import fc from 'fast-check';
import type { JournalReader, StoredEvent } from '../../lib/journal/types.ts';
import { budgetFold } from '../../lib/projections/budget.ts';
import { usedTokens } from '../../lib/projections/budget-report.ts';
import { createReplayer, trimStates } from '../../lib/projections/replayer.ts';
import { summaryFold } from '../../lib/projections/summary.ts';
import { countedEntries } from '../../lib/projections/timeline.ts';
import { viewFold } from '../../lib/projections/view.ts';
import { reread } from '../../lib/session/reread.ts';
import { arbitrarySession } from '../support/arbitrary-session.ts';
import { event, readerOf, stored } from '../support/event-list.ts';
import { expectSame } from '../support/expect-same.ts';

const FOLDS = { view: viewFold, budget: budgetFold, summary: summaryFold };
const CAP = 40;

/** The states after all of them, trimmed after each `every` events. */
function seen(events: readonly StoredEvent[], every = Number.POSITIVE_INFINITY) {
  const replayer = createReplayer<typeof FOLDS, StoredEvent>(FOLDS);
  for (const one of events) {
    replayer.see(one);
    if (one.seq % every === 0) trimStates(FOLDS, replayer.states, CAP);
  }
  return replayer;
}

/** Notes from which event on was read. */
function reading(events: readonly StoredEvent[]): { readonly reader: JournalReader; readonly from: number[] } {
  const inner = readerOf(events);
  const from: number[] = [];
  const reader: JournalReader = {
    ...inner,
    placeBefore: async (seq) => events.find((one) => one.seq === seq - 1)?.position,
    outcomes(options) {
      if (options?.after?.seq !== events.at(-1)?.seq) from.push((options?.after?.seq ?? -1) + 1);
      return inner.outcomes(options);
    },
  };
  return { reader, from };
}

function expectWhole(kept: ReturnType<typeof seen>['states'], whole: ReturnType<typeof seen>['states']): void {
  for (const name of ['view', 'budget', 'summary'] as const) expect(kept[name].timeline.incomplete).toBe(false);
  expectSame(kept.budget.parts, whole.budget.parts);
  expectSame(usedTokens(kept.budget), usedTokens(whole.budget));
  expectSame({ ...kept.summary, timeline: undefined }, { ...whole.summary, timeline: undefined });
  expectSame({ ...kept.view, timeline: undefined }, { ...whole.view, timeline: undefined });
  const all = countedEntries(whole.view.timeline);
  const held = new Set(countedEntries(kept.view.timeline).map(({ seq }) => seq));
  expectSame(
    countedEntries(kept.view.timeline),
    all.filter(({ seq }) => held.has(seq)),
  );
  const newest = all.slice(1 + all.findLastIndex(({ seq }) => !held.has(seq)));
  const room = newest.reduce((sum, item) => sum + item.tokens + 4, 0);
  if (newest.length < all.length) expect(room).toBeGreaterThanOrEqual(CAP);
}

describe('states that are completed from the journal', () => {
  it('equal a replay of the whole journal, in any session', async () => {
    let completed = 0;
    let inPart = 0;
    await fc.assert(
      fc.asyncProperty(
        arbitrarySession({ maxLength: 160 }).map((list) => stored(list)),
        fc.nat(6),
        async (events, every) => {
          const kept = seen(events, 1 + every);
          const { view, budget, summary } = kept.states;
          if (![view, budget, summary].some(({ timeline }) => timeline.incomplete)) return;
          const { reader, from } = reading(events);
          expect(await reread(reader, kept)).toBe(true);
          const whole = seen(events).states;
          // The timeline does not depend on which lists and versions were trimmed.
          const { shown, todos } = kept.states.view;
          expectWhole(kept.states, { ...whole, view: { ...whole.view, shown, ...(todos && { todos }) } });
          completed += 1;
          if ((from.at(-1) ?? 0) > 0) inPart += 1;
        },
      ),
      { numRuns: 150 },
    );
    expect(completed).toBeGreaterThan(20);
    expect(inPart).toBeGreaterThan(0);
  });

  it('are read from about as far back as the undo goes, in a session of any length', async () => {
    const undoing = (turns: number, back: number) => {
      const said = Array.from({ length: turns }, (_, index) => [
        event.said('user', `question ${index}`),
        // The parts of a turn differ in length, so that each state trims different ones.
        event.asked('c', 'read', { path: 'p'.repeat((7 * index) % 90) }),
        event.finished('c', 'x'.repeat((13 * index) % 60)),
      ]);
      const head = 3 * (turns - back);
      return stored([event.created(), ...said.flat(), event.moved(head)]);
    };
    for (const turns of [100, 1_000, 5_000]) {
      const events = undoing(turns, 20);
      const kept = seen(events, 100);
      expect(kept.states.view.timeline.incomplete).toBe(true);
      expect(kept.states.view.timeline.forgotten.length).toBeLessThan(40);
      const { reader, from } = reading(events);
      await reread(reader, kept);
      expectWhole(kept.states, seen(events).states);
      const read = from.map((seq) => events.length - seq);
      expect(read.reduce((sum, count) => sum + count, 0)).toBeLessThan(800);
    }
  });
});
