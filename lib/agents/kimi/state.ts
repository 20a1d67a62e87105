// The memory of a session of Kimi Code CLI between two of its records. Plain JSON, bounded.
import type { Source } from '../agent.ts';
import type { Given } from '../given.ts';
import { newSession, type SessionMemory } from '../session-state.ts';

export interface KimiState extends SessionMemory {
  /** Whether the user stopped the open turn. */
  isCancelled: boolean;
  compactionBy: 'auto' | 'user';
}

export type KimiGiven = Given<KimiState>;

export function initialState(source: Source): KimiState {
  return { ...newSession(source), isCancelled: false, compactionBy: 'auto' };
}
