// Reads again what states let go of and need after all: an undo went further back than they reach, or a larger window
// is to be filled. Starts at the newest turn from which all that counts is there, not at the beginning of the journal,
// and moves the timelines only: everything else of the states is as it should be.
import type { JournalReader, StoredEvent } from '../journal/types.ts';
import { budgetFold, sumBudget } from '../projections/budget.ts';
import type { Fold } from '../projections/projection.ts';
import { createReplayer, type Folds, type Replayed, type Replayer, type StatesOf } from '../projections/replayer.ts';
import { summaryFold, sumSummary } from '../projections/summary.ts';
import { lacksEntries, rereadFrom, timelineAt } from '../projections/timeline.ts';
import { lacksMore, viewFold } from '../projections/view.ts';

const FOLDS = { view: viewFold, budget: budgetFold, summary: summaryFold };
type Kept = StatesOf<typeof FOLDS>;

/** What is said, and what of it counts. */
const TIMELINE_EVENTS: readonly string[] = [
  'message.added',
  'message.replaced',
  'tool.requested',
  'tool.finished',
  'retrieval.added',
  'compaction.completed',
  'compaction.undone',
  'branch.moved',
];

/** The folds as far as they change their timelines. */
const TIMELINE_FOLDS = {
  view: ofTimeline(viewFold),
  budget: ofTimeline(budgetFold),
  summary: ofTimeline(summaryFold),
};

function ofTimeline<State>(fold: Fold<State>): Fold<State> {
  const { see: _, ...rest } = fold;
  return { ...rest, reads: fold.reads.filter((type) => TIMELINE_EVENTS.includes(type)) };
}

/** States with what they were made from. Everything but their timelines has to be as it should. */
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
  const timelines = [states.view.timeline, states.budget.timeline, states.summary.timeline];
  // A line out of order is not where its seq says.
  const isPart =
    counts.outOfOrder === 0 && !lacksMore(states.view) && !timelines.some(({ lacksResult }) => lacksResult);
  for (let from = isPart ? rereadFrom(timelines) : 0; from > 0; from = rereadFrom(timelines, from)) {
    const position = await reader.placeBefore(from);
    const made = createReplayer<typeof TIMELINE_FOLDS, StoredEvent>(TIMELINE_FOLDS, {
      from: { states: statesAt(states, from), format, counts, lastSeq: from - 1, position },
    });
    if (!(await seeAll(reader, made, isEnd))) return false;
    const { view, budget, summary } = made.states;
    if ([view, budget, summary].some(({ timeline }) => lacksEntries(timeline))) continue;
    states.view = { ...states.view, timeline: view.timeline };
    states.budget = { ...states.budget, timeline: budget.timeline };
    states.summary = { ...states.summary, timeline: summary.timeline };
    sumBudget(states.budget);
    sumSummary(states.summary);
    return true;
  }
  return rereadAll(reader, states, isEnd);
}

/** Of states: only what is needed to move their timelines on from before an event. */
function statesAt({ view, budget, summary }: Kept, seq: number): StatesOf<typeof TIMELINE_FOLDS> {
  return {
    view: { ...viewFold.initial(), timeline: timelineAt(view.timeline, seq) },
    budget: { ...budgetFold.initial(), timeline: timelineAt(budget.timeline, seq) },
    summary: { ...summaryFold.initial(), timeline: timelineAt(summary.timeline, seq) },
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
  // What is appended while the journal is read is applied to the former states: it is read again.
  while (isGrowing) {
    const before = made.lastSeq;
    for await (const batch of reader.outcomes({ after: made.position })) {
      for (const outcome of batch) if (outcome.kind === 'event') made.see(outcome.event);
    }
    isGrowing = made.lastSeq !== before;
    if (isEnd(made.lastSeq)) return true;
  }
  return false;
}
