// Projection: which tools the user switched on and off. The last word on each counts; a tool that was never switched
// is not named. Branches leave it alone: it is a setting of the session, not a part of the conversation.
import type { Fold } from './projection.ts';

export interface ToolsState {
  /** By name, in the order in which they were first switched. */
  switched: { name: string; enabled: boolean }[];
}

/** Keeps what `/tool` changed. */
export const toolsFold: Fold<ToolsState, 'tools.changed'> = {
  name: 'tools',
  version: 1,
  reads: ['tools.changed'],
  initial: () => ({ switched: [] }),
  apply(state, { data: { name, enabled } }) {
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
