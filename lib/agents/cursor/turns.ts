// The turns of a Cursor session. Only transcripts say when one ended: elsewhere it ends with the next prompt.
import type { EventData } from '../../events/index.ts';
import type { Part } from '../../messages/index.ts';
import type { Attachment, JsonObject } from '../agent.ts';
import { nonEmpty, objectIn, textIn } from '../members.ts';
import { type CursorGiven, PROVIDER, shortText } from './state.ts';

export function addPrompt(
  input: string,
  parts: Part[],
  { message, attachments }: { readonly message?: string | undefined; readonly attachments?: readonly Attachment[] },
  given: CursorGiven,
): void {
  const { state } = given;
  endTurn(given, state.isAnswered ? 'completed' : 'interrupted');
  state.turn += 1;
  state.isTurnOpen = true;
  state.isAnswered = false;
  state.steps = 0;
  given.add({ type: 'turn.started', data: { input } });
  addUserMessage(parts, { isSynthetic: state.isSubagent, message, attachments }, given);
}

export function addUserMessage(
  parts: Part[],
  {
    isSynthetic,
    message,
    attachments,
  }: {
    readonly isSynthetic: boolean;
    readonly message?: string | undefined;
    readonly attachments?: readonly Attachment[] | undefined;
  },
  given: CursorGiven,
): void {
  given.add({
    type: 'message.added',
    data: {
      role: 'user',
      parts,
      trusted: false,
      ...(isSynthetic ? { synthetic: true as const } : {}),
      ...(message === undefined ? {} : { message }),
    },
    attachments: attachments?.length === 0 ? undefined : attachments,
  });
}

export function addAnswer(
  parts: Part[],
  { message, attachments }: { readonly message?: string | undefined; readonly attachments?: readonly Attachment[] },
  given: CursorGiven,
): void {
  const { model } = given.state;
  if (parts.length === 0) return;
  given.add({
    type: 'message.added',
    data: {
      role: 'assistant',
      parts,
      trusted: false,
      provider: PROVIDER,
      ...(model === '' ? {} : { model }),
      ...(message === undefined ? {} : { message }),
    },
    attachments: attachments?.length === 0 ? undefined : attachments,
  });
}

export function endTurn(
  given: CursorGiven,
  status: EventData<'turn.ended'>['status'],
  more: Pick<EventData<'turn.ended'>, 'error'> = {},
): void {
  const { state } = given;
  if (!state.isTurnOpen) return;
  state.isTurnOpen = false;
  given.add({ type: 'turn.ended', data: { status, steps: state.steps, ...more } });
}

/** The line of a transcript that says so. */
export function readEnd({ status, error }: JsonObject, given: CursorGiven): void {
  const message = textIn(error) ?? textIn(objectIn(error)?.message);
  if (nonEmpty(message) !== undefined || status === 'error' || status === 'failed') {
    endTurn(given, 'failed', { error: { code: 'PROVIDER_FAILED', message: message ?? '' } });
  } else {
    endTurn(given, status === 'aborted' || status === 'cancelled' ? 'cancelled' : 'completed');
  }
}

export function changeModel(name: unknown, given: CursorGiven): void {
  const { state } = given;
  const model = shortText(name);
  if (model === undefined || model === state.model || model === 'default') return;
  state.model = model;
  // Before the first event it is the model that the session begins with.
  if (given.seq > 1) given.add({ type: 'model.changed', data: { provider: PROVIDER, model } });
}
