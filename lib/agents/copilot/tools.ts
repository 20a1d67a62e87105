// Calls of tools in a Copilot CLI session: asked for in an answer, permitted, started and over, each in its own record.
import type { EventData } from '../../events/index.ts';
import type { JsonObject } from '../agent.ts';
import { argumentsIn, nonEmpty, objectIn, textIn } from '../members.ts';
import { readImages } from './content.ts';
import { type CopilotGiven, remember, shortText } from './state.ts';

export function readCall(request: JsonObject, ofMessage: { readonly message?: string }, given: CopilotGiven): void {
  const callId = nonEmpty(request.toolCallId);
  const name = nonEmpty(request.name);
  if (callId === undefined || name === undefined) {
    given.left.push('data.toolRequests[]');
    return;
  }
  remember(given.state.calls, shortText(callId) ?? '');
  given.add({ type: 'tool.requested', data: { callId, name, args: argumentsIn(request.arguments), ...ofMessage } });
}

/** A call that no answer asked for is the user's own, such as a shell command. */
export function readStart(data: JsonObject, given: CopilotGiven): void {
  const callId = nonEmpty(data.toolCallId);
  if (callId === undefined) return;
  if (!given.state.calls.includes(shortText(callId) ?? '')) readCall({ ...data, name: data.toolName }, {}, given);
}

export function readPermissionRequest(data: JsonObject, { state }: CopilotGiven): void {
  const request = shortText(data.requestId);
  const callId = shortText(objectIn(data.permissionRequest)?.toolCallId);
  if (request !== undefined && callId !== undefined) remember(state.permissions, [request, callId]);
}

export function readPermission(data: JsonObject, given: CopilotGiven): void {
  const { permissions } = given.state;
  const asked = permissions.find(([request]) => request === shortText(data.requestId));
  const callId = nonEmpty(data.toolCallId) ?? asked?.[1];
  const kind = textIn(objectIn(data.result)?.kind) ?? '';
  const decision = kind.startsWith('approved') ? 'allow' : kind.startsWith('denied') ? 'deny' : undefined;
  if (callId === undefined || decision === undefined) {
    given.left.push('data.result');
    return;
  }
  const isByUser = data.decisionSource === 'human_response' || kind === 'denied-interactively-by-user';
  given.add({
    type: 'tool.decided',
    data: { callId, decision, by: isByUser ? 'user' : 'agent', reason: shortText(kind) ?? '' },
  });
}

export function readResult(data: JsonObject, given: CopilotGiven): void {
  const { state } = given;
  const callId = nonEmpty(data.toolCallId);
  if (callId === undefined) {
    given.left.push('data.toolCallId');
    return;
  }
  const key = shortText(callId);
  state.calls = state.calls.filter((call) => call !== key);
  state.isAnswered = false;
  const result = objectIn(data.result);
  const { images, attachments } = readImages(result?.binaryResultsForLlm, given);
  const llmContent = textIn(result?.content) ?? textIn(objectIn(data.error)?.message) ?? '';
  given.add({
    type: 'tool.finished',
    data: {
      callId,
      status: statusOf(data),
      result: { llmContent, ...(images.length === 0 ? {} : { images: [...images] }) },
      trusted: false,
    },
    attachments,
  });
}

function statusOf({ success, error }: JsonObject): EventData<'tool.finished'>['status'] {
  if (success === true) return 'ok';
  const code = objectIn(error)?.code;
  return code === 'rejected' || code === 'denied' ? 'denied' : 'error';
}
