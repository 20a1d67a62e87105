// A bubble of Cursor's editor: a prompt, a text, a thought, or a call of a tool with its result.
import type { JsonObject } from '../agent.ts';
import { Content } from '../content.ts';
import { countIn, nonEmpty, objectIn, parseObject, saysSomething, shortText, textIn } from '../members.ts';
import { addAnswer, addCall, addInjected, addPrompt, addResult } from '../said.ts';
import { addUsage } from '../usage.ts';
import { divide } from './injected.ts';
import { type CursorGiven, PROVIDER } from './state.ts';
import { readModel } from './turns.ts';

export function readBubble(bubble: JsonObject, isPrompt: boolean, given: CursorGiven): void {
  const message = shortText(bubble.bubbleId) ?? shortText(bubble.id);
  const text = textIn(bubble.text) ?? textIn(bubble.rawText) ?? '';
  if (isPrompt) {
    readPrompt(text, message, given);
    return;
  }
  const { state } = given;
  readModel(bubble.modelType, given);
  state.steps += 1;
  const thought = textIn(objectIn(bubble.thinking)?.text);
  const content = new Content();
  if (saysSomething(thought)) content.addReasoning(PROVIDER, thought);
  content.addText(text);
  addAnswer({ content, message }, given);
  const call = objectIn(bubble.toolFormerData);
  if (call !== undefined) readCall(call, message, given);
  state.isAnswered = saysSomething(text) && call === undefined;
  reportUsage(objectIn(bubble.tokenCount), message, given);
}

function readPrompt(text: string, message: string | undefined, given: CursorGiven): void {
  const { typed, injected } = divide(text);
  if (injected !== undefined) addInjected(injected, given);
  addPrompt(new Content(typed), given, message);
}

function readCall(call: JsonObject, message: string | undefined, given: CursorGiven): void {
  const callId = nonEmpty(call.toolCallId) ?? message;
  const args = nonEmpty(call.rawArgs) ?? nonEmpty(call.params) ?? call.params;
  if (callId === undefined || !addCall({ callId, name: call.name, args, message }, given)) {
    given.left.push('bubble.toolFormerData');
    return;
  }
  const error = errorIn(call.error);
  const result = textIn(call.result);
  const isOver = call.status === 'completed' || call.status === 'error' || call.status === 'cancelled';
  if (!isOver && error === undefined && result === undefined) return;
  const status =
    call.status === 'cancelled' ? 'cancelled' : error !== undefined || call.status === 'error' ? 'error' : 'ok';
  addResult({ callId, status, text: error ?? result ?? '' }, given);
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
  addUsage({ inputTokens, outputTokens }, { message }, given);
}
