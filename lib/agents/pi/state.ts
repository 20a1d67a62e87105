// What is remembered of a pi session between two of its records. Plain JSON, bounded.

import type { RecordPlace } from '../record-tree.ts';

export interface PiState {
  cwd: string;
  title: string;
  provider: string;
  model: string;
  /** The number of the last turn, 0 before the first. */
  turn: number;
  isTurnOpen: boolean;
  /** Answers of the model in the open turn. */
  steps: number;
  /** The first event that no compaction covers. */
  keptFrom: number;
  /** The newest entries, in their order. */
  entries: RecordPlace[];
}

export function initialState(): PiState {
  return {
    cwd: '',
    title: '',
    provider: '',
    model: '',
    turn: 0,
    isTurnOpen: false,
    steps: 0,
    keptFrom: 1,
    entries: [],
  };
}
