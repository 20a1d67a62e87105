// Rereads content that states dropped and need after all: an undo went further back than they reach, or a larger window
// is to be filled. Starts at the newest turn from which the timeline is complete, not at the beginning of the journal,
// and changes only the timelines: the rest of the states is right.
import { everyEvent } from '../journal/reading/outcomes.ts';
import type { JournalReader, StoredEvent } from '../journal/types.ts';
import { budgetFold, sumBudget } from '../projections/budget.ts';
import type { Fold } from '../projections/projection.ts';
import { createReplayer, type Folds, type Replayed, type Replayer, type StatesOf } from '../projections/replayer.ts';
import { summaryFold, sumSummary } from '../projections/summary.ts';
import { lacksEntries, rereadFrom, TIMELINE_EVENTS, timelineAt } from '../projections/timeline.ts';
import { lacksMore, viewFold } from '../projections/view.ts';

const FOLDS = { view: viewFold, budget: budgetFold, summary: summaryFold };
type Kept = StatesOf<typeof FOLDS>;
const NAMES = ['view', 'budget', 'summary'] as const;

/** Events for messages, and for the choice of those that count. */
const COUNTING_EVENTS: readonly string[] = [
  ...TIMELINE_EVENTS,
  'retrieval.added',
  'compaction.completed',
  'compaction.undone',
];

/** The fold as far as it changes its timeline, from one event on. */
function ofTimeline<State>(fold: Fold<State>, from: number): Fold<State> {
  const { see: _, ...rest } = fold;
  return {
    ...rest,
    reads: fold.reads.filter((type) => COUNTING_EVENTS.includes(type)),
    apply: (state, event) => (event.seq < from ? state : fold.apply(state, event)),
  };
}

/** States with their source. Everything but their timelines has to be right. */
interface Lacking extends Pick<Replayed<Folds>, 'format' | 'counts'> {
  readonly states: Kept;
}

/**
 * Puts states that lack nothing in place of those that lack something. `isEnd`: whether the journal ends with this seq;
 * events may be appended and applied meanwhile. Returns false, with nothing changed, where its end cannot be read.
 */
export async function reread(
  reader: JournalReader,
  { states, format, counts }: Lacking,
  isEnd: (seq: number) => boolean = () => true,
): Promise<boolean> {
  const { view, budget, summary } = states;
  const timelines = { view: view.timeline, budget: budget.timeline, summary: summary.timeline };
  // A line out of order is not where its seq says.
  const isPart =
    counts.outOfOrder === 0 && !lacksMore(view) && !NAMES.some((name) => timelines[name].lacksResult === true);
  const from = {
    view: isPart ? rereadFrom(timelines.view) : 0,
    budget: isPart ? rereadFrom(timelines.budget) : 0,
    summary: isPart ? rereadFrom(timelines.summary) : 0,
  };
  for (;;) {
    const first = Math.min(...NAMES.map((name) => from[name]));
    if (first === 0) return rereadAll(reader, states, isEnd);
    const folds = {
      view: ofTimeline(viewFold, from.view),
      budget: ofTimeline(budgetFold, from.budget),
      summary: ofTimeline(summaryFold, from.summary),
    };
    const position = await reader.placeBefore(first);
    const made = createReplayer<typeof folds, StoredEvent>(folds, {
      from: { states: statesAt(states, from), format, counts, lastSeq: first - 1, position },
    });
    if (!(await seeAll(reader, made, isEnd))) return false;
    const short = NAMES.filter((name) => lacksEntries(made.states[name].timeline));
    for (const name of short) from[name] = rereadFrom(timelines[name], from[name]);
    if (short.length > 0) continue;
    states.view = { ...states.view, timeline: made.states.view.timeline };
    states.budget = { ...states.budget, timeline: made.states.budget.timeline };
    states.summary = { ...states.summary, timeline: made.states.summary.timeline };
    sumBudget(states.budget);
    sumSummary(states.summary);
    return true;
  }
}

/** A copy of the states with only the parts needed to move their timelines on from before an event. */
function statesAt({ view, budget, summary }: Kept, from: Readonly<Record<keyof Kept, number>>): Kept {
  return {
    view: { ...viewFold.initial(), timeline: timelineAt(view.timeline, from.view) },
    budget: { ...budgetFold.initial(), timeline: timelineAt(budget.timeline, from.budget) },
    summary: { ...summaryFold.initial(), timeline: timelineAt(summary.timeline, from.summary) },
  };
}

async function rereadAll(reader: JournalReader, states: Kept, isEnd: (seq: number) => boolean): Promise<boolean> {
  const made = createReplayer<typeof FOLDS, StoredEvent>(FOLDS);
  if (!(await seeAll(reader, made, isEnd))) return false;
  Object.assign(states, made.states);
  return true;
}

/** Answers whether the end was reached. */
async function seeAll<Some extends Folds>(
  reader: JournalReader,
  made: Replayer<Some, StoredEvent>,
  isEnd: (seq: number) => boolean,
): Promise<boolean> {
  let isGrowing = true;
  // Events appended during the reading are applied to the former states, so they are read again.
  while (isGrowing) {
    const before = made.lastSeq;
    await everyEvent(reader.outcomes({ after: made.position }), (event) => made.see(event));
    isGrowing = made.lastSeq !== before;
    if (isEnd(made.lastSeq)) return true;
  }
  return false;
}
