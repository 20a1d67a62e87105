// The memory of a session of the Agent Session Format between two of its entries. Plain JSON, bounded.
import type { Source } from '../agent.ts';
import type { Given } from '../given.ts';
import type { RecordPlace } from '../record-tree.ts';
import { newSession, type SessionMemory } from '../session-state.ts';

export interface AsfState extends SessionMemory {
  /** The first event that no compaction covers. */
  keptFrom: number;
  /** The newest entries, in their order. */
  entries: RecordPlace[];
  /** The call that the last decision refused: its output says why. '' if there is none. */
  refused: string;
}

export type AsfGiven = Given<AsfState>;

export function initialState(source: Source): AsfState {
  return { ...newSession(source), keptFrom: 1, entries: [], refused: '' };
}
