// The memory of a conversation of Antigravity between two of its steps. Plain JSON, bounded.
import type { Given } from '../given.ts';
import { NO_TURN, type TurnState } from '../turns.ts';

export interface AntigravityState extends TurnState {
  provider: string;
  model: string;
  /** Calls without a result. */
  waiting: string[];
}

export type AntigravityGiven = Given<AntigravityState>;

export function initialState(): AntigravityState {
  return { provider: '', model: '', ...NO_TURN, waiting: [] };
}
