// The turns of a Copilot CLI session, and the answers in them. The program calls each request to the model a turn; here
// one is all that it does about a prompt.
import type { EventData } from '../../events/index.ts';
import type { CopilotGiven } from './state.ts';

export function beginTurn(input: string, given: CopilotGiven): void {
  const { state } = given;
  leaveTurn(given);
  state.turn += 1;
  state.isTurnOpen = true;
  state.isAnswered = false;
  state.steps = 0;
  given.add({ type: 'turn.started', data: { input } });
}

export function endTurn(
  given: CopilotGiven,
  status: EventData<'turn.ended'>['status'],
  more: Pick<EventData<'turn.ended'>, 'error'> = {},
): void {
  const { state } = given;
  if (!state.isTurnOpen) return;
  state.isTurnOpen = false;
  state.calls = [];
  given.add({ type: 'turn.ended', data: { status, steps: state.steps, ...more } });
}

/** Ends a turn that something else follows. */
export function leaveTurn(given: CopilotGiven): void {
  endTurn(given, given.state.isAnswered ? 'completed' : 'interrupted');
}

export function failTurn(message: string, given: CopilotGiven): void {
  endTurn(given, 'failed', { error: { code: 'PROVIDER_FAILED', message } });
}
