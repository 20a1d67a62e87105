// What a client is told while a turn runs, and of a session that it loads: each signal or stored event as updates of
// the session.
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { OllmEvent } from '../events/index.ts';
import type { Part } from '../messages/index.ts';
import { todosOf } from '../messages/todos.ts';
import type { TurnSignal } from '../turn/signals.ts';
import { shownCall } from './tool-calls.ts';

type ShowOptions = Parameters<typeof shownCall>[1];

/** Updates for a signal of the running turn; none for a signal that ends it. */
export function updatesOfSignal(signal: TurnSignal, options: ShowOptions): readonly SessionUpdate[] {
  switch (signal.type) {
    case 'delta':
      return [text('agent_message_chunk', signal.content)];
    case 'reasoning':
      return [text('agent_thought_chunk', signal.content)];
    case 'notice':
      return [text('agent_thought_chunk', `${signal.text}\n`)];
    case 'retry':
      return [text('agent_thought_chunk', `${signal.reason} Attempt ${signal.attempt} of ${signal.attempts}.\n`)];
    case 'tool_call':
      return [{ sessionUpdate: 'tool_call', ...shownCall(signal.call, options) }, ...planOf(signal.call)];
    case 'tool_started': {
      const { callId, summary } = signal;
      return [{ sessionUpdate: 'tool_call_update', toolCallId: callId, status: 'in_progress', title: summary }];
    }
    case 'tool_result':
      return [result(signal.callId, { isOk: signal.status === 'ok', shown: signal.content })];
    default:
      return [];
  }
}

/** Updates for a stored event of a session that is loaded. */
export function updatesOfEvent(event: OllmEvent, options: ShowOptions): readonly SessionUpdate[] {
  switch (event.type) {
    case 'message.added': {
      const { role, parts, synthetic } = event.data;
      if (role === 'system' || synthetic) return [];
      return parts.flatMap((part) => partUpdates(role, part));
    }
    case 'tool.requested':
      return [{ sessionUpdate: 'tool_call', ...shownCall(event.data, options) }, ...planOf(event.data)];
    case 'tool.finished': {
      const { callId, status, result: found } = event.data;
      return [result(callId, { isOk: status === 'ok', shown: found.returnDisplay ?? found.llmContent })];
    }
    default:
      return [];
  }
}

function partUpdates(role: 'user' | 'assistant', part: Part): readonly SessionUpdate[] {
  if (part.type === 'text') return [text(role === 'user' ? 'user_message_chunk' : 'agent_message_chunk', part.text)];
  if (part.type === 'reasoning') return part.text === undefined ? [] : [text('agent_thought_chunk', part.text)];
  const name = part.type === 'file' ? part.name : `an image (${part.mediaType})`;
  return role === 'user' ? [text('user_message_chunk', `[${name}]`)] : [];
}

function text(
  sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk',
  content: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: 'text', text: content } };
}

/** The text of an edit is a diff that the client has already: the result then has only its status. */
function result(callId: string, { isOk, shown }: { readonly isOk: boolean; readonly shown: string }): SessionUpdate {
  const isDiff = isOk && /^--- .+\n\+\+\+ /.test(shown);
  return {
    sessionUpdate: 'tool_call_update',
    toolCallId: callId,
    status: isOk ? 'completed' : 'failed',
    ...(!isDiff && { content: [{ type: 'content', content: { type: 'text', text: shown } }] }),
  };
}

function planOf({ name, args }: { readonly name: string; readonly args: unknown }): readonly SessionUpdate[] {
  const todos = todosOf(name, args);
  if (todos === undefined) return [];
  const entries = todos.map(({ content, status }) => ({ content, status, priority: 'medium' as const }));
  return [{ sessionUpdate: 'plan', entries }];
}
