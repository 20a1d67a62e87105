// Projection: the prompts that wait for their turn, in their order. A prompt leaves it when it is taken out, or with
// the message that it becomes: the two cannot disagree, because both are one event. Branches do not affect it.
import type { EventData } from '../events/index.ts';
import type { Fold } from './projection.ts';

/** A prompt that waits. */
export type WaitingPrompt = NonNullable<EventData<'queue.changed'>['added']>[number];

export interface QueueState {
  /** The next one first. */
  prompts: WaitingPrompt[];
}

/** Keeps the waiting prompts. */
export const queueFold: Fold<QueueState, 'queue.changed' | 'message.added'> = {
  name: 'queue',
  version: 1,
  reads: ['queue.changed', 'message.added'],
  initial: () => ({ prompts: [] }),
  apply(state, event) {
    if (event.type === 'message.added') {
      if (event.data.promptId !== undefined) leave(state, [event.data.promptId]);
      return state;
    }
    const { added = [], removed = [] } = event.data;
    leave(state, removed);
    for (const prompt of added) {
      const index = state.prompts.findIndex(({ promptId }) => promptId === prompt.promptId);
      if (index < 0) state.prompts.push(prompt);
      else state.prompts[index] = prompt;
    }
    return state;
  },
};

function leave(state: QueueState, promptIds: readonly string[]): void {
  if (promptIds.length > 0) state.prompts = state.prompts.filter(({ promptId }) => !promptIds.includes(promptId));
}
