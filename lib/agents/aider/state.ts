// The memory of a chat of aider between two of its records. Plain JSON, bounded.
import type { Source } from '../agent.ts';
import type { Given } from '../given.ts';
import { newSession, type SessionMemory } from '../session-state.ts';

export interface AiderState extends SessionMemory {
  /** How many answers there were. */
  answers: number;
}

export type AiderGiven = Given<AiderState>;

export function initialState(source: Source): AiderState {
  return { ...newSession(source), answers: 0 };
}
