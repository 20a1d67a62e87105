// The events of a record: a message that the model is sent, or a request that it took. A turn ends with the next
// prompt, unless the answer was broken off.
import type { HeadDraft, JsonObject, RecordFacts } from '../agent.ts';
import { addCompaction } from '../compaction.ts';
import { blocksIn, countIn, nonEmpty, objectIn, shortText } from '../members.ts';
import { timeOf } from '../times.ts';
import { endTurn, failTurn } from '../turns.ts';
import { addUsage } from '../usage.ts';
import { readAnswer } from './answer.ts';
import { textIn } from './blocks.ts';
import { type ClineGiven, changeModelOf } from './state.ts';
import { usedIn, usedInSession } from './usage.ts';
import { promptIn, readUser, surroundingsIn } from './user.ts';

export function translate(record: JsonObject, given: ClineGiven): RecordFacts {
  const message = messageIn(record);
  const request = objectIn(record.request);
  if (request !== undefined) readRequest(record, request, given);
  else if (message?.isSummary === true) readSummary(message, given);
  else if (message?.role === 'user') {
    changeModelOf(objectIn(record.model), given);
    readUser(message.content, given);
  } else if (message?.role === 'assistant') {
    changeModelOf(objectIn(message.modelInfo) ?? objectIn(record.model), given);
    readAnswer(message.content, { message: keyOf(record), given });
    if (record.message === undefined)
      addUsage(usedInSession(objectIn(message.metrics)), { message: keyOf(record) }, given);
  } else if (message !== undefined) given.left.push('role');
  return { record: keyOf(record), at: timeIn(record) };
}

/** As the record of a task has it, or the record itself. */
function messageIn(record: JsonObject): JsonObject | undefined {
  return objectIn(record.message) ?? (record.role === undefined ? undefined : record);
}

/** The id of the message, or else its place among the messages. */
function keyOf({ index, id, message }: JsonObject): string | undefined {
  const place = countIn(index);
  return shortText(objectIn(message)?.id) ?? (place === undefined ? shortText(id) : String(place));
}

function timeIn(record: JsonObject): number | undefined {
  return countIn(record.at) ?? countIn(messageIn(record)?.ts);
}

function readRequest({ answer, model, at }: JsonObject, request: JsonObject, given: ClineGiven): void {
  const { state } = given;
  changeModelOf(objectIn(model), given);
  const used = usedIn(request, { agent: state.agent, provider: state.provider, at: countIn(at) });
  if (used !== undefined) addUsage(used, { message: shortText(answer) }, given);
  const failure = nonEmpty(request.streamingFailedMessage);
  if (request.cancelReason === 'user_cancelled') endTurn(given, 'cancelled');
  else if (failure !== undefined) failTurn(failure, given);
}

/** A summary replaces all messages before it. */
function readSummary({ content }: JsonObject, given: ClineGiven): void {
  const summary = blocksIn(content).map(textIn).join('\n');
  if (!addCompaction({ summary }, given)) given.left.push('message.content');
}

export function headFromStart(record: JsonObject, head: HeadDraft): boolean {
  const message = messageIn(record);
  if (message === undefined) {
    const version = nonEmpty(objectIn(record.origin)?.version);
    if (version !== undefined) head.version = version;
    return false;
  }
  head.startedAt ??= timeOf(timeIn(record));
  if (message.role !== 'user') return false;
  head.cwd ??= surroundingsIn(message.content).cwd;
  head.firstPrompt ??= promptIn(message.content);
  return head.firstPrompt !== undefined;
}

export function headFromEnd(record: JsonObject, head: HeadDraft): boolean {
  const message = messageIn(record);
  head.lastActivity ??= timeOf(timeIn(record));
  const { modelId, id } = objectIn(message?.modelInfo) ?? objectIn(record.model) ?? {};
  head.model ??= nonEmpty(modelId) ?? nonEmpty(id) ?? surroundingsIn(message?.content).model;
  return head.lastActivity !== undefined && head.model !== undefined;
}
