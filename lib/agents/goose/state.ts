// The memory of a goose session between two of its records. Plain JSON, bounded.
import type { Source } from '../agent.ts';
import type { Given } from '../given.ts';
import { NO_TURN, type TurnState } from '../turns.ts';

export interface GooseState extends TurnState {
  readonly isSubagent: boolean;
  cwd: string;
  title: string;
  provider: string;
  model: string;
  /** Whether the last messages are no longer sent to the model. */
  isHidden: boolean;
}

export type GooseGiven = Given<GooseState>;

export function initialState({ parent }: Source): GooseState {
  return { isSubagent: parent !== undefined, cwd: '', title: '', provider: '', model: '', ...NO_TURN, isHidden: false };
}
