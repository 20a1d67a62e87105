// The events of a record of Kiro CLI's third engine, whose files are lines of `payload`s, each with a time.
import type { JsonObject, RecordFacts } from '../agent.ts';
import { Content } from '../content.ts';
import { joinedTexts, nonEmpty, objectIn, objectsIn, shortText, textIn } from '../members.ts';
import { addAnswer, addCall, addPrompt, addResult, addUserMessage } from '../said.ts';
import type { SessionGiven } from '../session-state.ts';
import { endTurn } from '../turns.ts';

const TYPE = 'payload.';

export function typeOfPayload({ payload }: JsonObject): string | undefined {
  const type = nonEmpty(objectIn(payload)?.type);
  return type && `${TYPE}${type}`;
}

export function readPayload({ id, timestamp, payload }: JsonObject, given: SessionGiven): RecordFacts {
  const { type, ...said } = objectIn(payload) ?? {};
  const message = shortText(id);
  if (type === 'user') readPrompt(said, given);
  else if (type === 'assistant') readSaid(said, message, given);
  else if (type === 'tool_call') readCall(said, given);
  else if (type === 'tool_result') readResult(said, given);
  else if (type === 'turn_end') endTurn(given, said.stopReason === 'cancelled' ? 'cancelled' : 'completed');
  return { record: message, at: nonEmpty(timestamp) };
}

/** The text of a payload, which may be a list of blocks. */
export function textOf(content: unknown): string {
  if (!Array.isArray(content)) return textIn(content) ?? '';
  return joinedTexts(objectsIn(content).map(({ text }) => textIn(text))) ?? '';
}

function readPrompt({ content: said, source }: JsonObject, given: SessionGiven): void {
  const content = new Content(textOf(said));
  // A message that steers the open turn is a part of it.
  if (source === 'steer' && given.state.isTurnOpen) addUserMessage({ content, isSynthetic: false }, given);
  else addPrompt(content, given);
}

function readSaid(
  { operationType, content: said }: JsonObject,
  message: string | undefined,
  given: SessionGiven,
): void {
  if (operationType !== 'Say') {
    given.left.push(`payload.operationType[${textIn(operationType) ?? ''}]`);
    return;
  }
  const content = new Content(textOf(said));
  given.state.steps += 1;
  given.state.isAnswered = true;
  addAnswer({ content, message }, given);
}

function readCall({ toolCallId, toolName, args }: JsonObject, given: SessionGiven): void {
  given.state.isAnswered = false;
  if (!addCall({ callId: toolCallId, name: toolName, args }, given)) given.left.push('payload.toolCallId');
}

function readResult({ toolCallId, content, success }: JsonObject, given: SessionGiven): void {
  const status = success === false ? 'error' : 'ok';
  addResult({ callId: toolCallId, left: 'payload.toolCallId', status, text: textOf(content) }, given);
}
