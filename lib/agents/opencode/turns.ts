// The turns of an opencode session, and the model that answers in them.
import type { EventData } from '../../events/index.ts';
import { type OpencodeGiven, shortText } from './state.ts';

export function beginTurn(input: string, given: OpencodeGiven): void {
  const { state } = given;
  endTurn(given, 'interrupted');
  state.turn += 1;
  state.isTurnOpen = true;
  state.steps = 0;
  given.add({ type: 'turn.started', data: { input } });
}

export function endTurn(
  given: OpencodeGiven,
  status: EventData<'turn.ended'>['status'],
  more: Pick<EventData<'turn.ended'>, 'error' | 'incomplete'> = {},
): void {
  const { state } = given;
  if (!state.isTurnOpen) return;
  state.isTurnOpen = false;
  given.add({ type: 'turn.ended', data: { status, steps: state.steps, ...more } });
}

export function changeModel(provider: unknown, model: unknown, given: OpencodeGiven): void {
  const { state } = given;
  const name = shortText(model);
  const by = shortText(provider) ?? state.provider;
  if (name === undefined || (name === state.model && by === state.provider)) return;
  state.model = name;
  state.provider = by;
  // Before the first event it is the model that the session begins with.
  if (given.seq > 1) given.add({ type: 'model.changed', data: { provider: by, model: name } });
}
