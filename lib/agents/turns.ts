// The turns of a session, as every module counts them: from a prompt to what ends it.
import type { EventData } from '../events/index.ts';
import type { Given } from './given.ts';

/** The memory of turns. */
export interface TurnState {
  /** The number of the last turn, 0 before the first. */
  turn: number;
  /** Whether that one has not ended. */
  isTurnOpen: boolean;
  /** Whether the last answer of it needs nothing more. */
  isAnswered: boolean;
  /** Answers of the model in the open turn. */
  steps: number;
}

type Ended = EventData<'turn.ended'>;

export const NO_TURN: Readonly<TurnState> = { turn: 0, isTurnOpen: false, isAnswered: false, steps: 0 };

/** Ends the turn before, if it was left open. */
export function beginTurn(input: string, given: Given<TurnState>): void {
  const { state } = given;
  leaveTurn(given);
  state.turn += 1;
  state.isTurnOpen = true;
  state.isAnswered = false;
  state.steps = 0;
  given.add({ type: 'turn.started', data: { input } });
}

export function endTurn(
  given: Given<TurnState>,
  status: Ended['status'],
  more: Pick<Ended, 'durationMs' | 'error' | 'incomplete'> = {},
): void {
  const { state } = given;
  if (!state.isTurnOpen) return;
  state.isTurnOpen = false;
  given.add({ type: 'turn.ended', data: { status, steps: state.steps, ...more } });
}

/** Ends a turn that something else follows. */
export function leaveTurn(given: Given<TurnState>): void {
  endTurn(given, given.state.isAnswered ? 'completed' : 'interrupted');
}

export function failTurn(message: string, given: Given<TurnState>, more: Pick<Ended, 'durationMs'> = {}): void {
  endTurn(given, 'failed', { ...more, error: { code: 'PROVIDER_FAILED', message } });
}

/** The next event continues after this one: everything in between is on a branch that was left. */
export function moveTo(head: number, reason: EventData<'branch.moved'>['reason'], given: Given<TurnState>): void {
  endTurn(given, given.state.isAnswered ? 'completed' : 'cancelled');
  given.add({ type: 'branch.moved', data: { head, reason } });
}
