// What a model is sent next, for programs that have the state of the view.
import { checkArguments } from '../errors/arguments.ts';
import { countedEntries, currentSummary } from './timeline.ts';
import type { ViewItem, ViewState } from './view.ts';

/**
 * The items that a model is sent next, oldest first: the system prompt, messages, calls with their results and
 * retrieved texts, without those that were undone or compacted. A request also has the context entries
 * (`state.context.entries`) and the summary (`currentViewSummary`), and no more items than the window of the model
 * holds.
 *
 * @example
 * const { states } = await replay(reader, { view: viewFold });
 * for (const item of currentView(states.view)) if (item.kind === 'message') console.log(item.role, item.parts);
 */
export function currentView(state: ViewState): readonly ViewItem[] {
  checkArguments('currentView', { state: 'ViewState' }, [state]);
  return countedEntries(state.timeline);
}

/** The summary that a model is sent in place of compacted items; undefined if there is none. */
export function currentViewSummary(state: ViewState): string | undefined {
  checkArguments('currentViewSummary', { state: 'ViewState' }, [state]);
  return currentSummary(state.timeline)?.summary;
}
