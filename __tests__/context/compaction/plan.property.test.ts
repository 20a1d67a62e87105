// What a compaction plans is its effect: stored as an event, it covers exactly the items that it said would go.
import fc from 'fast-check';
import { planCompaction } from '../../../lib/context/compaction/plan.ts';
import { STRATEGIES } from '../../../lib/context/compaction/strategy.ts';
import type { NewOllmEvent } from '../../../lib/events/index.ts';
import { createReplayer } from '../../../lib/projections/replayer.ts';
import { countedEntries } from '../../../lib/projections/timeline.ts';
import { type ViewItem, viewFold } from '../../../lib/projections/view.ts';
import { arbitrarySession } from '../../support/arbitrary-session.ts';
import { stored } from '../../support/event-list.ts';

function viewOf(events: Parameters<typeof stored>[0]) {
  const replayer = createReplayer({ view: viewFold });
  for (const one of stored(events)) replayer.see(one);
  return replayer.states.view;
}

/** Without what goes with any compaction, and what none touches. */
const sentItems = (events: Parameters<typeof stored>[0]) =>
  countedEntries(viewOf(events).timeline).filter(({ pinned, goesFirst }) => !pinned && !goesFirst);
const about = ({ kind, seq, tokens }: ViewItem) => ({ kind, seq, tokens });

it('a compaction covers exactly the planned items', () => {
  fc.assert(
    fc.property(
      arbitrarySession(),
      fc.constantFrom(...Object.values(STRATEGIES)),
      fc.nat({ max: 300 }),
      fc.nat({ max: 300 }),
      (events, strategy, preserveRecentTokens, targetTokens) => {
        const plan = planCompaction(viewOf(events), strategy, {
          preserveRecentTokens,
          targetTokens,
          summaryTokens: 20,
        });
        if (plan === undefined) return;
        const done: NewOllmEvent = {
          type: 'compaction.completed',
          data: {
            ...{ strategy: 'truncate', tokensBefore: 1, tokensAfter: 1, by: 'auto' },
            ...{ covers: plan.covers, keptFrom: plan.keptFrom },
          },
        };
        const before = sentItems(events);
        expect(sentItems([...events, done]).map(about)).toEqual(before.slice(plan.covered.length).map(about));
        expect(before.slice(0, plan.covered.length).map(about)).toEqual(plan.covered.map(about));
      },
    ),
    { numRuns: 300 },
  );
});
