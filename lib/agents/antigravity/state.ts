// The memory of a conversation of Antigravity between two of its steps. Plain JSON, bounded.
import type { Source } from '../agent.ts';
import type { Given } from '../given.ts';
import { newSession, type SessionMemory } from '../session-state.ts';

export interface AntigravityState extends SessionMemory {
  /** Calls without a result. */
  waiting: string[];
}

export type AntigravityGiven = Given<AntigravityState>;

export function initialState(source: Source): AntigravityState {
  return { ...newSession(source), waiting: [] };
}
