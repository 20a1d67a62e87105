// One line of an answer of the model: a block of it, the calls that it asks for, and what it used.
import type { EventData } from '../../events/index.ts';
import type { JsonObject } from '../agent.ts';
import { argumentsIn, nonEmpty, objectIn, objectsIn, textIn } from '../members.ts';
import { readBlocks, textOfContent } from './blocks.ts';
import { isFiller, isMadeByProgram } from './made-by-program.ts';
import { type ClaudeGiven, type ClaudeState, PROVIDER, shortText } from './state.ts';
import { endTurn } from './turns.ts';
import { readUsage } from './usage.ts';

const FINISHES: Readonly<Record<string, EventData<'message.added'>['finish']>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  refusal: 'content-filter',
  pause_turn: 'other',
};

export function readAssistant(record: JsonObject, given: ClaudeGiven): void {
  const { state } = given;
  const message = objectIn(record.message) ?? {};
  if (isMadeByProgram(message) && (record.isApiErrorMessage === true || isFiller(message))) {
    if (record.isApiErrorMessage === true) failTurn(message, given);
    return;
  }
  const model = isMadeByProgram(message) ? undefined : shortText(message.model);
  const id = shortText(message.id) ?? shortText(record.uuid);
  if (id !== undefined && id !== state.answer) beginAnswer(state, id);
  if (model !== undefined && model !== state.model) {
    state.model = model;
    given.add({ type: 'model.changed', data: { provider: PROVIDER, model } });
  }
  const isStopped = record.isAbortedMidStream === true || isMadeByProgram(message);
  const finish = isStopped ? 'cancelled' : FINISHES[textIn(message.stop_reason) ?? ''];
  const ofMessage = id === undefined ? {} : { message: id };
  const { parts, attachments } = readBlocks(message.content, given);
  if (parts.length > 0) {
    given.add({
      type: 'message.added',
      data: {
        role: 'assistant',
        parts,
        trusted: false,
        provider: PROVIDER,
        ...(model === undefined ? {} : { model }),
        ...(finish === undefined ? {} : { finish }),
        ...ofMessage,
      },
      attachments,
    });
  }
  for (const block of objectsIn(message.content)) {
    if (block.type === 'tool_use') readCall(block, ofMessage, given);
  }
  // Older versions do not say why the answer ended.
  const isText =
    nonEmpty(message.stop_reason) === undefined &&
    !isStopped &&
    objectsIn(message.content).some(({ type }) => type === 'text');
  state.isAnswered = isText || finish === 'stop' || finish === 'length' || finish === 'content-filter';
  if (!isCopied(record) && model !== undefined) readUsage(objectIn(message.usage), given);
}

function beginAnswer(state: ClaudeState, id: string): void {
  state.answer = id;
  state.usage = undefined;
  state.answerCost = 0;
  state.steps += 1;
}

/** A fork begins with copies of what another session holds: what that used is counted there. */
function isCopied({ forkedFrom, requestSessionId, sessionId }: JsonObject): boolean {
  if (objectIn(forkedFrom) !== undefined) return true;
  return typeof requestSessionId === 'string' && requestSessionId !== sessionId;
}

function failTurn({ content }: JsonObject, given: ClaudeGiven): void {
  const error = { code: 'PROVIDER_FAILED', message: textOfContent(content) };
  endTurn(given, 'failed', { error });
}

function readCall(block: JsonObject, ofMessage: { readonly message?: string }, given: ClaudeGiven): void {
  const callId = nonEmpty(block.id);
  const name = nonEmpty(block.name);
  if (callId === undefined || name === undefined) {
    given.left.push('message.content[tool_use]');
    return;
  }
  given.add({ type: 'tool.requested', data: { callId, name, args: argumentsIn(block.input), ...ofMessage } });
}
