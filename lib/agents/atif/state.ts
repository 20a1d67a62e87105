// The memory of a trajectory between two of its steps. Plain JSON, bounded.
import type { Given } from '../given.ts';
import { NO_TURN, type TurnState } from '../turns.ts';

export interface AtifState extends TurnState {
  model: string;
  title: string;
  cwd: string;
}

export type AtifGiven = Given<AtifState>;

export function initialState(): AtifState {
  return { model: '', title: '', cwd: '', ...NO_TURN };
}
