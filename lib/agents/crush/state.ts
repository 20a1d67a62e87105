// The memory of a Crush session between two of its records. Plain JSON, bounded.
import type { Source } from '../agent.ts';
import type { Given } from '../given.ts';
import { shortText } from '../members.ts';
import { NO_TURN, type TurnState } from '../turns.ts';

export interface CrushState extends TurnState {
  /** A session that a call of another one began: its prompt is not the user's. */
  readonly isSubagent: boolean;
  readonly cwd: string;
  title: string;
  provider: string;
  model: string;
}

export type CrushGiven = Given<CrushState>;

export function initialState({ parent, facts }: Source): CrushState {
  const cwd = shortText(facts?.cwd, 1000) ?? '';
  return { isSubagent: parent !== undefined, cwd, title: '', provider: '', model: '', ...NO_TURN };
}
