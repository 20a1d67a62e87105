// The memory of a Kiro CLI session between two of its records. Plain JSON, bounded.
import { isAbsolute } from 'node:path';
import type { Source } from '../agent.ts';
import type { Given } from '../given.ts';
import { shortText } from '../members.ts';
import { NO_TURN, type TurnState } from '../turns.ts';

export interface KiroState extends TurnState {
  cwd: string;
  readonly provider: string;
  model: string;
}

export type KiroGiven = Given<KiroState>;

const MAX_PATH = 1000;

export function initialState({ facts }: Source): KiroState {
  const cwd = shortText(facts?.cwd, MAX_PATH);
  return { cwd: cwd !== undefined && isAbsolute(cwd) ? cwd : '', provider: '', model: '', ...NO_TURN };
}
