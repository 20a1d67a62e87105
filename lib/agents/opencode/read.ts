// Translates records of opencode into events. An undone turn stays in the database until the next prompt: it gives
// events, followed by the undo. docs/agents.md lists what stays in the source.
import type { JsonObject, RecordFacts } from '../agent.ts';
import { nonEmpty, objectIn, objectsIn, pathIn, shortText } from '../members.ts';
import { beginAnswer, endAnswer, readPart, readSummary } from './answer.ts';
import { readPrompt } from './prompt.ts';
import { sessionIn } from './shape.ts';
import { firstOf, type OpencodeGiven, type OpencodeState, remember } from './state.ts';

export function translate(record: JsonObject, given: OpencodeGiven): RecordFacts {
  const session = sessionIn(record);
  const { part, ended, undone } = record;
  const info = objectIn(record.info);
  if (session !== undefined) readSession(session, given.state);
  else if (info !== undefined) readMessage(info, record.parts, given);
  else if (part !== undefined) readOnePart(objectIn(part) ?? {}, given);
  else if (ended !== undefined) endAnswer(objectIn(ended) ?? {}, given);
  else if (undone !== undefined) undo(objectIn(undone) ?? {}, given);
  return { record: idOf(record), at: timeOf(record) };
}

function readSession({ directory, title, revert }: JsonObject, state: OpencodeState): void {
  state.cwd = pathIn(directory) ?? state.cwd;
  state.title = shortText(title) ?? '';
  const undone = objectIn(revert);
  state.undone = shortText(undone?.partID) ?? shortText(undone?.messageID) ?? '';
}

/** Only a whole answer has its parts here. */
function readMessage(info: JsonObject, list: unknown, given: OpencodeGiven): void {
  const { state } = given;
  const id = nonEmpty(info.id);
  const parts = objectsIn(list);
  remember(state.messages, id, given.seq);
  if (id !== undefined && id === state.undone) state.before ??= given.seq - 1;
  const first = given.events.length;
  if (info.role === 'user') {
    readPrompt(info, parts, given);
  } else if (info.role === 'assistant' && info.summary === true) {
    readSummary(info, parts, given);
  } else if (info.role === 'assistant') {
    beginAnswer(info, given);
    for (const part of parts) readOnePart(part, given);
    if (Array.isArray(list)) endAnswer(info, given);
  }
  if (state.before !== undefined && given.events.length > first) moveTo(state.before, given);
}

function readOnePart(part: JsonObject, given: OpencodeGiven): void {
  const { state } = given;
  const id = nonEmpty(part.id);
  remember(state.parts, id, given.seq);
  if (id !== undefined && id === state.undone) state.before ??= given.seq - 1;
  readPart(part, given);
}

function undo({ messageID, partID }: JsonObject, given: OpencodeGiven): void {
  const first = firstOf(given.state, nonEmpty(partID) ?? nonEmpty(messageID) ?? '');
  if (first === undefined || given.seq < 2) given.left.push('undone');
  else moveTo(first - 1, given);
}

function moveTo(head: number, given: OpencodeGiven): void {
  given.add({ type: 'branch.moved', data: { head, reason: 'undo' } });
}

/** The id of the message: all that belongs to it has the same address. */
function idOf({ info, message, ended }: JsonObject): string | undefined {
  return nonEmpty(objectIn(info)?.id) ?? nonEmpty(message) ?? nonEmpty(objectIn(ended)?.id);
}

/** Milliseconds. */
function timeOf({ info, part, ended }: JsonObject): number | undefined {
  const { created, completed } = objectIn((objectIn(ended) ?? objectIn(info))?.time) ?? {};
  const { start, end } = timeOfPart(objectIn(part) ?? {}) ?? {};
  const times = ended === undefined ? [created, end, start] : [completed, created];
  return times.find((time) => typeof time === 'number');
}

function timeOfPart({ time, state }: JsonObject): JsonObject | undefined {
  return objectIn(time) ?? objectIn(objectIn(state)?.time);
}
