// The memory of a session of Kimi Code CLI between two of its records. Plain JSON, bounded.
import type { Source } from '../agent.ts';
import type { Given } from '../given.ts';
import { shortText } from '../members.ts';
import { NO_TURN, type TurnState } from '../turns.ts';

export interface KimiState extends TurnState {
  cwd: string;
  title: string;
  provider: string;
  model: string;
  /** Whether the user stopped the open turn. */
  isCancelled: boolean;
  compactionBy: 'auto' | 'user';
}

export type KimiGiven = Given<KimiState>;

export function initialState({ facts }: Source): KimiState {
  return {
    cwd: shortText(facts?.cwd, 1000) ?? '',
    title: shortText(facts?.title) ?? '',
    provider: '',
    model: '',
    ...NO_TURN,
    isCancelled: false,
    compactionBy: 'auto',
  };
}
