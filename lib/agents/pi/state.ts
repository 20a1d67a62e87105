// The memory of a pi session between two of its records. Plain JSON, bounded.
import type { Given } from '../given.ts';
import type { RecordPlace } from '../record-tree.ts';
import { NO_TURN, type TurnState } from '../turns.ts';

export interface PiState extends TurnState {
  cwd: string;
  title: string;
  /** Id of the session that it was forked from. */
  forkedFrom: string;
  provider: string;
  model: string;
  /** The first event that no compaction covers. */
  keptFrom: number;
  /** The newest entries, in their order. */
  entries: RecordPlace[];
}

export type PiGiven = Given<PiState>;

export function initialState(): PiState {
  return {
    cwd: '',
    title: '',
    forkedFrom: '',
    provider: '',
    model: '',
    ...NO_TURN,
    keptFrom: 1,
    entries: [],
  };
}
