// The mode of a session in this tab: what tools do there without a question. The newest change that the journal tells
// or the user chooses here goes with each prompt, because a session that rests for a while forgets all but plan mode.
import { tellChanged, useChanging } from '../api/changing.ts';

export const TOOL_MODES = ['ask', 'plan', 'edits', 'auto'] as const;

type ChosenMode = (typeof TOOL_MODES)[number];

/** A sentence about each, for the user who chooses one. */
export const MODE_MEANING: Readonly<Record<ChosenMode, string>> = {
  ask: 'asks before anything is changed',
  plan: 'only reads',
  edits: 'changes files of the project',
  auto: 'runs all in the sandbox',
};

const CHANGED = 'ollm:mode';

/** Undefined: as the settings say. */
export function toolModeOf(address: string): ChosenMode | undefined {
  const stored = sessionStorage.getItem(nameOf(address));
  return TOOL_MODES.find((mode) => mode === stored);
}

export function noteToolMode(address: string, mode: ChosenMode): void {
  sessionStorage.setItem(nameOf(address), mode);
  tellChanged(CHANGED);
}

export function useToolMode(address: string): ChosenMode | undefined {
  return useChanging(CHANGED, () => toolModeOf(address), [address]);
}

function nameOf(address: string): string {
  return `mode ${address}`;
}
