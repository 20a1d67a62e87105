// The states of an open session and the folds that they come from. Sees each event once, in order, and remembers the
// last one: a saved state names that line.
import { everyEvent } from '../journal/reading/outcomes.ts';
import type { Anchor, JournalReader, JournalStore, StoredEvent } from '../journal/types.ts';
import { budgetFold } from '../projections/budget.ts';
import { compactionFold } from '../projections/compaction.ts';
import { contextFold } from '../projections/context.ts';
import { createLoopFold, type LoopConfig } from '../projections/loop.ts';
import { queueFold } from '../projections/queue.ts';
import { createReplayer, type Replayed, trimStates } from '../projections/replayer.ts';
import { summaryFold } from '../projections/summary.ts';
import { reach } from '../projections/timeline.ts';
import { toolsFold } from '../projections/tools.ts';
import { viewFold } from '../projections/view.ts';
import { openEndsFold } from './open-ends.ts';
import { reread } from './reread.ts';
import type { SavedState } from './saved/state-file.ts';
import type { SessionStates } from './session.ts';

/** States are kept for a window of this many tokens where the model's is smaller, or not known. */
const MIN_KEPT_TOKENS = 16_384;
const KEPT_TOKENS_OF_UNKNOWN_WINDOW = 262_144;
/** Bytes of the journal that may follow before the states are trimmed again: their content must not depend on saves. */
const TRIM_GROWTH_BYTES = 1024 * 1024;

type SessionFolds = ReturnType<typeof foldsFor>;
/** The states with the line that they were made from. */
type SessionReplay = Replayed<SessionFolds, Anchor>;

export interface StateKeeper {
  readonly states: SessionStates;
  readonly replay: SessionReplay;
  /** The last event that was applied; undefined before the first. */
  readonly anchor: Anchor | undefined;
  /** Now and then drops content that no model window reaches. */
  apply(event: StoredEvent): void;
  /** Does so now. */
  trim(): void;
  /** Keeps enough for requests of `tokens` tokens from now on. */
  reach(tokens: number): void;
  /** Whether an undo or a larger window needs more than was kept: then the states have to be made again. */
  isIncomplete(): boolean;
  /** Completes the states from the journal. Events may be applied meanwhile. */
  remake(reader: JournalReader): Promise<void>;
  /** The view with items of `tokens` tokens; the states stay unchanged. */
  viewBackTo(tokens: number, reader: JournalReader): Promise<SessionStates['view']>;
}

interface KeeperOptions {
  readonly loop?: LoopConfig | undefined;
  /** States to continue from. */
  readonly from?: SessionReplay | undefined;
}

export function createKeeper({ loop, from }: KeeperOptions = {}): StateKeeper {
  const folds = foldsFor(loop);
  const replayer = createReplayer<SessionFolds, StoredEvent>(folds, { from });
  let reachedTokens = MIN_KEPT_TOKENS;
  /** The length of the journal at which they are due to be trimmed. */
  let trimDueAt = (from?.position?.offset ?? 0) + TRIM_GROWTH_BYTES;
  const timelines = () => {
    const { view, budget, summary } = replayer.states;
    return [view.timeline, budget.timeline, summary.timeline];
  };
  const keeper: StateKeeper = {
    get states() {
      return replayer.states;
    },
    get replay() {
      return replayer;
    },
    get anchor() {
      return replayer.position;
    },
    apply(event) {
      replayer.see(event);
      if (event.end >= trimDueAt) keeper.trim();
    },
    trim() {
      const window = replayer.states.view.contextWindow ?? KEPT_TOKENS_OF_UNKNOWN_WINDOW;
      trimStates(folds, replayer.states, Math.max(window, reachedTokens));
      trimDueAt = (keeper.anchor?.offset ?? 0) + TRIM_GROWTH_BYTES;
    },
    reach(tokens) {
      if (tokens <= reachedTokens) return;
      reachedTokens = tokens;
      for (const timeline of timelines()) reach(timeline, tokens);
    },
    isIncomplete: () => timelines().some(({ incomplete }) => incomplete),
    async remake(reader) {
      const isDone = await reread(reader, replayer, (seq) => seq >= replayer.lastSeq);
      if (isDone) keeper.trim();
    },
    async viewBackTo(tokens, reader) {
      const { format, counts, states } = replayer;
      const { view, budget, summary } = states;
      const timeline = { ...view.timeline, reachTokens: Math.max(tokens, view.timeline.reachTokens) };
      const longer = { view: { ...view, timeline }, budget, summary };
      await reread(reader, { states: longer, format, counts });
      return longer.view;
    },
  };
  return keeper;
}

/** Makes the states again from the journal where they lack what an undo or a larger window needs. */
export async function completeStates(keeper: StateKeeper, store: JournalStore, id: string): Promise<void> {
  if (!keeper.isIncomplete()) return;
  using reader = store.openReader(id);
  await keeper.remake(reader);
}

/** Advances the states by the events of the journal after the last one that they know. */
export async function followJournal(keeper: StateKeeper, store: JournalStore, id: string): Promise<void> {
  using reader = store.openReader(id);
  await everyEvent(reader.outcomes({ after: keeper.anchor }), keeper.apply);
}

/** Says which folds made a saved state: with other ones it is not used. */
export const FOLD_VERSIONS: Readonly<Record<string, number>> = Object.fromEntries(
  Object.values(foldsFor()).map(({ name, version }) => [name, version]),
);

/**
 * The saved replay to continue from; undefined if other versions of the folds made it, or if its line was not on the
 * device: a power cut may have taken earlier lines and left that one.
 */
export function savedReplay({ anchor, synced, versions, journal, states }: SavedState): SessionReplay | undefined {
  const isOurs = JSON.stringify(versions) === JSON.stringify(FOLD_VERSIONS);
  return isOurs && synced.offset >= anchor.offset
    ? { lastSeq: anchor.seq, position: anchor, ...journal, states: states as unknown as SessionStates }
    : undefined;
}

/** The folds of the states, by name. */
export function foldsFor(loop?: LoopConfig) {
  return {
    view: viewFold,
    budget: budgetFold,
    loop: createLoopFold(loop),
    context: contextFold,
    summary: summaryFold,
    compaction: compactionFold,
    tools: toolsFold,
    queue: queueFold,
    openEnds: openEndsFold,
  };
}
