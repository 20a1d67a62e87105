// What a record of pi says in events. A session is a tree in one file: an entry names the one that it follows, and the
// program continues from the last line. Files of 2025 have no ids: each of their entries follows the one before.
import type { EventData } from '../../events/index.ts';
import { changeModel, changeTitle } from '../about.ts';
import type { JsonObject, RecordFacts } from '../agent.ts';
import { imageOf } from '../attachments.ts';
import { addCompactionBefore } from '../compaction.ts';
import { Content } from '../content.ts';
import { amountIn, blocksIn, countIn, nonEmpty, objectIn, objectsIn, pathIn, shortText, textIn } from '../members.ts';
import { firstSeqOf, readInTree } from '../record-tree.ts';
import { addAnswer, addCall, addInjected, addResult, addUserMessage } from '../said.ts';
import { beginTurn, endTurn, failTurn } from '../turns.ts';
import { addUsage } from '../usage.ts';
import { idInPath } from './places.ts';
import type { PiGiven, PiState } from './state.ts';

export function translate(record: JsonObject, given: PiGiven): RecordFacts {
  const id = nonEmpty(record.id);
  const own = record.type === 'session' ? undefined : id;
  const place = { id: own, parent: nonEmpty(record.parentId), isMove: saysSomethingNew(record) };
  readInTree(given.state.entries, place, given, () => read(record, given));
  return { record: id, at: textIn(record.timestamp) };
}

function saysSomethingNew({ type }: JsonObject): boolean {
  return type === 'message' || type === 'compaction' || type === 'branch_summary' || type === 'custom_message';
}

function read(record: JsonObject, given: PiGiven): void {
  switch (record.type) {
    case 'session':
      readHeader(record, given.state);
      changeModel(record.provider, record.modelId, given);
      break;
    case 'model_change':
      changeModel(record.provider, record.modelId, given);
      break;
    case 'message':
      readMessage(objectIn(record.message) ?? {}, nonEmpty(record.id), given);
      break;
    case 'compaction':
      readCompaction(record, given);
      break;
    case 'branch_summary':
      addInjected(textIn(record.summary) ?? '', given);
      break;
    case 'custom_message':
      addUserMessage({ content: readContent(record.content, given), isSynthetic: true }, given);
      break;
    case 'session_info':
      changeTitle(record.name, 'user', given);
      break;
  }
}

function readHeader({ cwd, parentSession, branchedFrom }: JsonObject, state: PiState): void {
  state.forkedFrom = shortText(idInPath(parentSession) ?? idInPath(branchedFrom)) ?? '';
  state.cwd = pathIn(cwd) ?? '';
}

function readMessage(message: JsonObject, id: string | undefined, given: PiGiven): void {
  switch (message.role) {
    case 'user':
      readPrompt(message, given);
      break;
    case 'assistant':
      readAnswer(message, id, given);
      break;
    case 'toolResult':
      readResult(message, given);
      break;
    case 'bashExecution':
      addInjected(`$ ${textIn(message.command) ?? ''}\n${textIn(message.output) ?? ''}`, given);
      break;
    case 'custom':
      addUserMessage({ content: readContent(message.content, given), isSynthetic: true }, given);
      break;
    default:
      given.left.push('message.role');
  }
}

function readPrompt({ content: list }: JsonObject, given: PiGiven): void {
  const { state } = given;
  const content = readContent(list, given);
  if (content.parts.length === 0) return;
  // Nothing answered the prompt before: the program was ended, and continues with this one.
  if (state.steps === 0) endTurn(given, 'interrupted');
  // A message of the user while the program works is a part of the running turn.
  if (!state.isTurnOpen) beginTurn(content.text, given);
  addUserMessage({ content, isSynthetic: false }, given);
}

const FINISHES: Readonly<Record<string, EventData<'message.added'>['finish']>> = {
  stop: 'stop',
  length: 'length',
  toolUse: 'tool-calls',
  error: 'failed',
  aborted: 'cancelled',
};

function readAnswer(message: JsonObject, id: string | undefined, given: PiGiven): void {
  changeModel(message.provider, message.model, given);
  const own = shortText(id);
  const finish = FINISHES[textIn(message.stopReason) ?? ''];
  given.state.steps += 1;
  const content = readContent(message.content, given);
  addAnswer({ content, finish, message: own }, given);
  for (const { type, id: callId, name, arguments: args } of objectsIn(message.content)) {
    if (type !== 'toolCall') continue;
    if (!addCall({ callId, name, args, message: own }, given)) given.left.push('message.content[toolCall]');
  }
  reportUsage(objectIn(message.usage), own, given);
  if (finish === 'failed') failTurn(textIn(message.errorMessage) ?? '', given);
  else if (finish === 'cancelled') endTurn(given, 'cancelled');
  else if (finish === 'stop' || finish === 'length') endTurn(given, 'completed');
}

/** Input is what neither came from the cache nor went into it. */
function reportUsage(usage: JsonObject | undefined, message: string | undefined, given: PiGiven): void {
  const { input: inputTokens, output: outputTokens, cacheRead, cacheWrite, reasoning, cost } = usage ?? {};
  const cache = { cachedTokens: cacheRead, cacheWriteTokens: cacheWrite, isCacheApart: true };
  const more = { reasoningTokens: reasoning, totalCost: objectIn(cost)?.total };
  addUsage({ inputTokens, outputTokens, ...cache, ...more }, { message }, given);
}

function readResult(message: JsonObject, given: PiGiven): void {
  const { toolCallId: callId, isError, durationMs } = message;
  const content = readContent(message.content, given);
  const status = isError === true ? 'error' : 'ok';
  addResult({ callId, left: 'message.content', status, content, durationMs: amountIn(durationMs) }, given);
}

/** Everything before the first kept entry is covered. */
function readCompaction(record: JsonObject, given: PiGiven): void {
  const kept = firstSeqOf(given.state.entries, nonEmpty(record.firstKeptEntryId) ?? '');
  const compaction = { summary: textIn(record.summary), tokensBefore: countIn(record.tokensBefore) };
  addCompactionBefore(kept, compaction, given);
}

/** Calls are not parts. */
function readContent(list: unknown, given: PiGiven): Content {
  const content = new Content();
  for (const block of blocksIn(list)) {
    if (block.type === 'image' && content.addImage(imageOf(block.mimeType, block.data))) continue;
    if (block.type === 'text') content.addText(textIn(block.text));
    else if (block.type === 'thinking') {
      content.addReasoning(given.state.provider, nonEmpty(block.thinking), nonEmpty(block.thinkingSignature));
    } else if (block.type !== 'toolCall') {
      given.left.push(`message.content[${textIn(block.type) ?? ''}]`);
    }
  }
  return content;
}
