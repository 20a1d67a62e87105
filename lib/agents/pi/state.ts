// The memory of a pi session between two of its records. Plain JSON, bounded.
import type { Source } from '../agent.ts';
import type { Given } from '../given.ts';
import type { RecordPlace } from '../record-tree.ts';
import { newSession, type SessionMemory } from '../session-state.ts';

export interface PiState extends SessionMemory {
  /** The first event that no compaction covers. */
  keptFrom: number;
  /** The newest entries, in their order. */
  entries: RecordPlace[];
}

export type PiGiven = Given<PiState>;

export function initialState(source: Source): PiState {
  return { ...newSession(source), keptFrom: 1, entries: [] };
}
