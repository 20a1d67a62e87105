// The memory of a session of the Agent Session Format between two of its entries. Plain JSON, bounded.
import type { Given } from '../given.ts';
import type { RecordPlace } from '../record-tree.ts';
import { NO_TURN, type TurnState } from '../turns.ts';

export interface AsfState extends TurnState {
  cwd: string;
  title: string;
  commit: string;
  /** Id of the session that it was forked from. */
  forkedFrom: string;
  provider: string;
  model: string;
  /** The first event that no compaction covers. */
  keptFrom: number;
  /** The newest entries, in their order. */
  entries: RecordPlace[];
  /** The call that the last decision refused: its output says why. '' if there is none. */
  refused: string;
}

export type AsfGiven = Given<AsfState>;

export function initialState(): AsfState {
  return {
    cwd: '',
    title: '',
    commit: '',
    forkedFrom: '',
    provider: '',
    model: '',
    ...NO_TURN,
    keptFrom: 1,
    entries: [],
    refused: '',
  };
}
