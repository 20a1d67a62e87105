// The memory of an Amp thread between two of its messages. Plain JSON, bounded.
import type { Given } from '../given.ts';
import { NO_TURN, type TurnState } from '../turns.ts';

export interface AmpState extends TurnState {
  title: string;
  cwd: string;
  branch: string;
  commit: string;
  remote: string;
}

export type AmpGiven = Given<AmpState>;

export function initialState(): AmpState {
  return { title: '', cwd: '', branch: '', commit: '', remote: '', ...NO_TURN };
}
