// The memory of a chat of aider between two of its records. Plain JSON, bounded.
import type { Source } from '../agent.ts';
import type { Given } from '../given.ts';
import { shortText } from '../members.ts';
import { NO_TURN, type TurnState } from '../turns.ts';

export interface AiderState extends TurnState {
  readonly cwd: string;
  provider: string;
  model: string;
  /** How many answers there were. */
  answers: number;
}

export type AiderGiven = Given<AiderState>;

export function initialState({ facts }: Source): AiderState {
  return { cwd: shortText(facts?.cwd, 1000) ?? '', provider: '', model: '', ...NO_TURN, answers: 0 };
}
