// Calls of tools in a Copilot CLI session: asked for in an answer, permitted, started and over, each in its own record.
import type { EventData } from '../../events/index.ts';
import type { JsonObject } from '../agent.ts';
import { insideAddress } from '../inside.ts';
import { nonEmpty, objectIn, textIn } from '../members.ts';
import { addCall, addResult } from '../said.ts';
import { readImages } from './content.ts';
import { type CopilotGiven, remember, shortId } from './state.ts';

export function readCall(request: JsonObject, message: string | undefined, given: CopilotGiven): void {
  const { toolCallId: callId, name, arguments: args } = request;
  if (addCall({ callId, name, args, message }, given)) remember(given.state.calls, shortId(callId) ?? '');
  else given.left.push('data.toolRequests[]');
}

/** A call that no answer asked for is the user's own, such as a shell command. */
export function readStart(data: JsonObject, given: CopilotGiven): void {
  const callId = nonEmpty(data.toolCallId);
  if (callId === undefined) return;
  if (!given.state.calls.includes(shortId(callId) ?? '')) readCall({ ...data, name: data.toolName }, undefined, given);
}

export function readPermissionRequest(data: JsonObject, { state }: CopilotGiven): void {
  const request = shortId(data.requestId);
  const callId = shortId(objectIn(data.permissionRequest)?.toolCallId);
  if (request !== undefined && callId !== undefined) remember(state.permissions, [request, callId]);
}

export function readPermission(data: JsonObject, given: CopilotGiven): void {
  const { permissions } = given.state;
  const asked = permissions.find(([request]) => request === shortId(data.requestId));
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
    data: { callId, decision, by: isByUser ? 'user' : 'agent', reason: shortId(kind) ?? '' },
  });
}

export function readResult(data: JsonObject, given: CopilotGiven): void {
  const { state } = given;
  const callId = nonEmpty(data.toolCallId);
  if (callId === undefined) {
    given.left.push('data.toolCallId');
    return;
  }
  const key = shortId(callId);
  state.calls = state.calls.filter((call) => call !== key);
  state.isAnswered = false;
  const result = objectIn(data.result);
  const content = readImages(result?.binaryResultsForLlm, given);
  const text = textIn(result?.content) ?? textIn(objectIn(data.error)?.message) ?? '';
  const subagent = state.insides.includes(callId) ? insideAddress('copilot', state.session, callId) : undefined;
  addResult({ callId, status: statusOf(data), text, content, subagent }, given);
}

function statusOf({ success, error }: JsonObject): EventData<'tool.finished'>['status'] {
  if (success === true) return 'ok';
  const code = objectIn(error)?.code;
  return code === 'rejected' || code === 'denied' ? 'denied' : 'error';
}
