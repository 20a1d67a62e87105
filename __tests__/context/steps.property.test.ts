// What goes over a view once, against what says the same in sentences: which items belong together, what fits, where to
// cut.
import fc from 'fast-check';
import { type Cut, type CutLimits, type Cuttable, chooseCut } from '../../lib/context/compaction/cut.ts';
import { planCompaction } from '../../lib/context/compaction/plan.ts';
import { STRATEGIES } from '../../lib/context/compaction/strategy.ts';
import { fitSteps } from '../../lib/context/fit.ts';
import { splitAtReach, stepsOf, stepTokens, type ViewStep } from '../../lib/context/steps.ts';
import { createReplayer } from '../../lib/projections/replayer.ts';
import { countedEntries } from '../../lib/projections/timeline.ts';
import { type ViewItem, viewFold } from '../../lib/projections/view.ts';
import { arbitrarySession } from '../support/arbitrary-session.ts';
import { event, stored } from '../support/event-list.ts';

const RUNS = { numRuns: 300 };

/** Calls of few names, so that many run at once and are answered in any order. */
const id = fc.constantFrom('a', 'b', 'c');
const talk = fc
  .array(
    fc.oneof(
      {
        weight: 1,
        arbitrary: fc.constantFrom('user', 'assistant', 'system').map((role) => event.said(role as 'user', 'said')),
      },
      { weight: 1, arbitrary: fc.constant(event.found('text')) },
      { weight: 6, arbitrary: id.map((callId) => event.asked(callId)) },
      { weight: 5, arbitrary: id.map((callId) => event.finished(callId)) },
    ),
    { maxLength: 40, size: 'max' },
  )
  .map((events) => [event.created(), ...events]);

function viewOf(events: Parameters<typeof stored>[0]) {
  const replayer = createReplayer({ view: viewFold });
  for (const one of stored(events)) replayer.see(one);
  return replayer.states.view;
}

it('a step is an answer with its calls that were made before any of them had a result', () => {
  fc.assert(
    fc.property(fc.oneof(talk, arbitrarySession()), (events) => {
      const items = countedEntries(
        viewOf(events as typeof talk extends fc.Arbitrary<infer Events> ? Events : never).timeline,
      );
      expect(stepsOf(items).map((step) => step.items)).toEqual(plainGroups(items));
      expect(stepsOf(items).map(({ startsTurn }) => startsTurn)).toEqual(
        plainGroups(items).map(([first]) => first?.startsTurn === true),
      );
    }),
    RUNS,
  );
});

function plainGroups(items: readonly ViewItem[]): ViewItem[][] {
  const groups: ViewItem[][] = [];
  for (const item of items) {
    const group = groups.at(-1);
    const isAnswer = group?.[0]?.kind === 'call' || (group?.[0]?.kind === 'message' && group[0].role === 'assistant');
    const isOpen = group?.every((other) => other.kind !== 'call' || !other.result || other.result.seq > item.seq);
    if (item.kind === 'call' && isAnswer && isOpen) group?.push(item);
    else groups.push([item]);
  }
  return groups;
}

it('history that cannot fit does not have to be divided into steps', () => {
  fc.assert(
    fc.property(talk, fc.nat(600), fc.option(fc.nat(600), { nil: undefined }), (events, room, wanted) => {
      const items = countedEntries(viewOf(events).timeline);
      const { near, far } = splitAtReach(items, room);
      expect([...far, ...near]).toEqual(items);
      expect(fitSteps(stepsOf(near), room, wanted)).toEqual(fitSteps(stepsOf(items), room, wanted));
      expect(stepTokens(items)).toBe(stepsOf(items).reduce((sum, { tokens }) => sum + tokens, 0));
    }),
    RUNS,
  );
});

const step = fc.record({ tokens: fc.nat(20), startsTurn: fc.boolean() });

it('the fitting part is the question with the newest step, then the steps before it, then whole turns, the newest first', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.nat(300), fc.nat(300), (tokens, room, wanted) => {
      const steps: readonly ViewStep[] = tokens.map((one) => ({ ...one, items: [] }));
      expect(fitSteps(steps, room, wanted)).toEqual(plainFit(steps, room, wanted));
    }),
    { numRuns: 1000 },
  );
});

/** Leaves out from the oldest side until the rest fits. */
function plainFit(steps: readonly ViewStep[], room: number, wanted: number): readonly ViewStep[] | undefined {
  const sum = (some: readonly ViewStep[]) => some.reduce((total, { tokens }) => total + tokens, 0);
  const newestTurn = steps.findLastIndex(({ startsTurn }) => startsTurn);
  const question = newestTurn < 0 ? [] : [steps[newestTurn]!];
  const answers = steps.slice(newestTurn + 1);
  const needed = [...question, ...answers.slice(-1)];
  if (sum(needed) > room) return undefined;
  const most = Math.max(sum(needed), Math.min(room, wanted));
  const starts = steps.flatMap(({ startsTurn }, index) => (index === 0 || startsTurn ? [index] : []));
  for (const start of starts.filter((index) => (newestTurn < 0 ? false : index <= newestTurn))) {
    if (sum(steps.slice(start)) <= most) return steps.slice(start);
  }
  for (let left = 0; left < answers.length; left++) {
    const kept = [...question, ...answers.slice(left)];
    if (sum(kept) <= most) return kept;
  }
  return needed;
}

it('a cut is made at the beginning of a turn if possible, at the first place that is enough, or the last allowed one', () => {
  const limits = fc.record({
    preserveRecentTokens: fc.nat(100),
    roomTokens: fc.nat(200),
    extent: fc.constantFrom('needed' as const, 'allowed' as const),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), limits, (steps, asked) => {
      const cut = chooseCut(steps, asked);
      if (cut?.oversized === undefined) expect(cut).toEqual(plainCut(steps, asked));
    }),
    { numRuns: 1000 },
  );
});

function plainCut(
  steps: readonly Cuttable[],
  { preserveRecentTokens, roomTokens, extent }: CutLimits,
): Cut | undefined {
  const keptFrom = (index: number) => steps.slice(index).reduce((sum, { tokens }) => sum + tokens, 0);
  const allowed = steps.flatMap((_, index) => (index > 0 && keptFrom(index) >= preserveRecentTokens ? [index] : []));
  const latest = allowed.at(-1);
  if (latest === undefined) return undefined;
  const fitting = allowed.filter((index) => keptFrom(index) <= roomTokens);
  const turns = fitting.filter((index) => steps[index]?.startsTurn);
  const candidates = turns.length > 0 ? turns : fitting;
  return { at: (extent === 'needed' ? candidates[0] : candidates.at(-1)) ?? latest };
}

it('a view of any length can be compacted', () => {
  const count = 150_000;
  const timeline = viewOf([event.created()]).timeline;
  const entries = Array.from(
    { length: count },
    (_, index): ViewItem => ({
      kind: 'message',
      seq: index + 1,
      tokens: 10,
      startsTurn: true,
      role: 'user',
      parts: [{ type: 'text', text: 'again' }],
      trusted: true,
    }),
  );
  const view = { ...viewOf([event.created()]), timeline: { ...timeline, entries } };
  const plan = planCompaction(view, STRATEGIES.truncate, {
    preserveRecentTokens: 100,
    targetTokens: 1600,
    summaryTokens: 100,
  });
  expect(plan).toMatchObject({ coveredMessages: count - 100, keptFrom: count - 99, tokensKept: 1600 });
  expect(plan?.covers).toEqual({ from: 1, to: count - 100 });
});
