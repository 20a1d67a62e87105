// A line of a model's answer: a block of it, its calls, and its usage.
import type { EventData } from '../../events/index.ts';
import { changeModel } from '../about.ts';
import type { JsonObject } from '../agent.ts';
import { nonEmpty, objectIn, objectsIn, shortText, textIn } from '../members.ts';
import { addAnswer, addCall } from '../said.ts';
import { failTurn } from '../turns.ts';
import { readBlocks, textOfContent } from './blocks.ts';
import { forkedFromIn } from './fork.ts';
import { seeTask } from './inside.ts';
import { isFiller, isMadeByProgram } from './made-by-program.ts';
import { type ClaudeGiven, type ClaudeState, PROVIDER } from './state.ts';
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
    if (record.isApiErrorMessage === true) failTurn(textOfContent(message.content), given);
    return;
  }
  const isMade = isMadeByProgram(message);
  const id = shortText(message.id) ?? shortText(record.uuid);
  if (id !== undefined && id !== state.answer) beginAnswer(state, id);
  if (!isMade) changeModel(PROVIDER, message.model, given);
  const isStopped = record.isAbortedMidStream === true || isMade;
  const finish = isStopped ? 'cancelled' : FINISHES[textIn(message.stop_reason) ?? ''];
  const content = readBlocks(message.content, given);
  addAnswer({ content, model: isMade ? '' : state.model, finish, message: id }, given);
  for (const { type, id: callId, name, input } of objectsIn(message.content)) {
    if (type !== 'tool_use') continue;
    if (!addCall({ callId, name, args: input, message: id }, given)) given.left.push('message.content[tool_use]');
    else seeTask(callId, input, state);
  }
  // Older versions do not say why the answer ended.
  const isText =
    nonEmpty(message.stop_reason) === undefined &&
    !isStopped &&
    objectsIn(message.content).some(({ type }) => type === 'text');
  state.isAnswered = isText || finish === 'stop' || finish === 'length' || finish === 'content-filter';
  if (forkedFromIn(record) === undefined && !isMade) readUsage(message.usage, given);
}

function beginAnswer(state: ClaudeState, id: string): void {
  state.answer = id;
  state.usage = undefined;
  state.answerCost = 0;
  state.steps += 1;
}
