// The memory of a goose session between two of its records. Plain JSON, bounded.
import type { Source } from '../agent.ts';
import type { Given } from '../given.ts';
import { newSession, type SessionMemory } from '../session-state.ts';

export interface GooseState extends SessionMemory {
  /** Whether the last messages are no longer sent to the model. */
  isHidden: boolean;
}

export type GooseGiven = Given<GooseState>;

export function initialState(source: Source): GooseState {
  return { ...newSession(source), isHidden: false };
}
