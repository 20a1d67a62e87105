// The memory of a Mistral Vibe session between two of its records. Plain JSON, bounded.
import { isAbsolute } from 'node:path';
import type { Source } from '../agent.ts';
import type { Given } from '../given.ts';
import { shortText } from '../members.ts';
import { NO_TURN, type TurnState } from '../turns.ts';

export const PROVIDER = 'mistral';

export interface VibeState extends TurnState {
  cwd: string;
  branch: string;
  commit: string;
}

export type VibeGiven = Given<VibeState>;

const MAX_PATH = 1000;

export function initialState({ facts }: Source): VibeState {
  const cwd = shortText(facts?.cwd, MAX_PATH) ?? '';
  return {
    cwd: isAbsolute(cwd) ? cwd : '',
    branch: shortText(facts?.branch) ?? '',
    commit: shortText(facts?.commit) ?? '',
    ...NO_TURN,
  };
}
