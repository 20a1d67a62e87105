// The memory of a Factory Droid session between two of its records. Plain JSON, bounded.
import type { Given } from '../given.ts';
import { NO_TURN, type TurnState } from '../turns.ts';

export interface DroidState extends TurnState {
  cwd: string;
  title: string;
}

export type DroidGiven = Given<DroidState>;

export function initialState(): DroidState {
  return { cwd: '', title: '', ...NO_TURN };
}
