// A bubble of Cursor's editor: a prompt, a text, a thought, or a call of a tool with what came of it.
import type { Part } from '../../messages/index.ts';
import type { JsonObject } from '../agent.ts';
import { argumentsIn, countIn, nonEmpty, objectIn, parseObject, saysSomething, textIn } from '../members.ts';
import { divide } from './injected.ts';
import { type CursorGiven, PROVIDER, shortText } from './state.ts';
import { addAnswer, addPrompt, addUserMessage, changeModel } from './turns.ts';

export function readBubble(bubble: JsonObject, isPrompt: boolean, given: CursorGiven): void {
  const message = shortText(bubble.bubbleId) ?? shortText(bubble.id);
  const text = textIn(bubble.text) ?? textIn(bubble.rawText) ?? '';
  if (isPrompt) {
    readPrompt(text, message, given);
    return;
  }
  const { state } = given;
  changeModel(bubble.modelType, given);
  state.steps += 1;
  const thought = textIn(objectIn(bubble.thinking)?.text);
  const parts: Part[] = [];
  if (saysSomething(thought)) parts.push({ type: 'reasoning', text: thought, provider: PROVIDER });
  if (saysSomething(text)) parts.push({ type: 'text', text });
  addAnswer(parts, { message }, given);
  const call = objectIn(bubble.toolFormerData);
  if (call !== undefined) readCall(call, message, given);
  state.isAnswered = saysSomething(text) && call === undefined;
  reportUsage(objectIn(bubble.tokenCount), message, given);
}

export function readPrompt(text: string, message: string | undefined, given: CursorGiven): void {
  const { typed, injected } = divide(text);
  if (injected !== undefined) addUserMessage([{ type: 'text', text: injected }], { isSynthetic: true }, given);
  if (typed !== undefined) addPrompt(typed, [{ type: 'text', text: typed }], { message }, given);
}

function readCall(call: JsonObject, message: string | undefined, given: CursorGiven): void {
  const name = nonEmpty(call.name);
  const callId = nonEmpty(call.toolCallId) ?? message;
  if (name === undefined || callId === undefined) {
    given.left.push('bubble.toolFormerData');
    return;
  }
  const args = argumentsIn(nonEmpty(call.rawArgs) ?? nonEmpty(call.params) ?? call.params);
  const ofMessage = message === undefined ? {} : { message };
  given.add({ type: 'tool.requested', data: { callId, name, args, ...ofMessage } });
  const error = errorIn(call.error);
  const result = textIn(call.result);
  const isOver = call.status === 'completed' || call.status === 'error' || call.status === 'cancelled';
  if (!isOver && error === undefined && result === undefined) return;
  const status =
    call.status === 'cancelled' ? 'cancelled' : error !== undefined || call.status === 'error' ? 'error' : 'ok';
  given.add({
    type: 'tool.finished',
    data: { callId, status, result: { llmContent: error ?? result ?? '' }, trusted: false },
  });
}

/** An object, its JSON, or a text. */
function errorIn(error: unknown): string | undefined {
  const text = nonEmpty(error);
  const object = objectIn(error) ?? (text === undefined ? undefined : parseObject(text));
  return nonEmpty(object?.message) ?? text;
}

/** Most bubbles say nothing of it. */
function reportUsage(tokens: JsonObject | undefined, message: string | undefined, given: CursorGiven): void {
  const inputTokens = countIn(tokens?.inputTokens) ?? 0;
  const outputTokens = countIn(tokens?.outputTokens) ?? 0;
  if (inputTokens + outputTokens === 0) return;
  given.add({
    type: 'usage.reported',
    data: {
      inputTokens,
      outputTokens,
      source: 'provider',
      model: given.state.model,
      provider: PROVIDER,
      ...(message === undefined ? {} : { message }),
    },
  });
}
