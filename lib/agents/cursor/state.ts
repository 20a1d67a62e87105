// The memory of a Cursor session between two of its records. Plain JSON, bounded.
import type { Source } from '../agent.ts';
import type { Given } from '../given.ts';
import { shortText } from '../members.ts';
import { NO_TURN, type TurnState } from '../turns.ts';

export const PROVIDER = 'cursor';

export interface CursorState extends TurnState {
  /** The transcript of a subagent: its prompt is not the user's. */
  readonly isSubagent: boolean;
  cwd: string;
  title: string;
  provider: string;
  model: string;
  /** The number of calls, if they have no ids. */
  calls: number;
}

export type CursorGiven = Given<CursorState>;

const MAX_PATH = 1000;

export function initialState({ parent, facts }: Source): CursorState {
  return {
    isSubagent: parent !== undefined,
    cwd: shortText(facts?.cwd, MAX_PATH) ?? '',
    title: '',
    provider: PROVIDER,
    model: '',
    ...NO_TURN,
    calls: 0,
  };
}
