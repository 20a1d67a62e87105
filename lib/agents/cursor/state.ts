// The memory of a Cursor session between two of its records. Plain JSON, bounded.
import type { Source } from '../agent.ts';
import type { Given } from '../given.ts';
import { newSession, type SessionMemory } from '../session-state.ts';

export const PROVIDER = 'cursor';

export interface CursorState extends SessionMemory {
  /** The number of calls, if they have no ids. */
  calls: number;
}

export type CursorGiven = Given<CursorState>;

export function initialState(source: Source): CursorState {
  return { ...newSession(source, PROVIDER), calls: 0 };
}
