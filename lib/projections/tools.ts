// Projection: which tools the user switched on and off, and the mode of the session. The last word on each counts; a
// tool that was never switched is not named. Branches do not affect it: it is a setting of the session, not a part of
// the conversation.
import type { EventData } from '../events/index.ts';
import type { Fold } from './projection.ts';

export interface ToolsState {
  /** By name, in the order in which they were first switched. */
  switched: { name: string; enabled: boolean }[];
  /** Absent where it was never changed. */
  mode?: EventData<'mode.changed'>['mode'];
}

/** Keeps what `/tool` and `/mode` changed. */
export const toolsFold: Fold<ToolsState, 'tools.changed' | 'mode.changed'> = {
  name: 'tools',
  version: 2,
  reads: ['tools.changed', 'mode.changed'],
  initial: () => ({ switched: [] }),
  apply(state, event) {
    if (event.type === 'mode.changed') {
      state.mode = event.data.mode;
      return state;
    }
    const { name, enabled } = event.data;
    const known = state.switched.find((each) => each.name === name);
    if (known === undefined) state.switched.push({ name, enabled });
    else known.enabled = enabled;
    return state;
  },
};

/** Undefined if the user never switched it. */
export function switchedTo({ switched }: ToolsState, name: string): boolean | undefined {
  return switched.find((each) => each.name === name)?.enabled;
}
