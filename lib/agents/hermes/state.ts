// The memory of a Hermes session between two of its records. Plain JSON, bounded.
import type { Source } from '../agent.ts';
import type { Given } from '../given.ts';
import { NO_TURN, type TurnState } from '../turns.ts';

export interface HermesState extends TurnState {
  /** A session that a call of another one began: its prompt is not the user's. */
  readonly isSubagent: boolean;
  cwd: string;
  branch: string;
  title: string;
  provider: string;
  model: string;
}

export type HermesGiven = Given<HermesState>;

export function initialState({ parent }: Source): HermesState {
  return { isSubagent: parent !== undefined, cwd: '', branch: '', title: '', provider: '', model: '', ...NO_TURN };
}
