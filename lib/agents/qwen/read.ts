// Translates records of Qwen Code into events: each names its predecessor, and holds a message in Gemini's form. The
// program's facts about a call (its decision and its duration) come before the result.
import type { EventData } from '../../events/index.ts';
import type { Part, ReplacingMessage } from '../../messages/index.ts';
import { changeModel, changeTitle } from '../about.ts';
import type { JsonObject, RecordFacts } from '../agent.ts';
import { imageOf } from '../attachments.ts';
import { addCompaction } from '../compaction.ts';
import { Content } from '../content.ts';
import { countIn, nonEmpty, objectIn, objectsIn, saysSomething, shortText, textIn } from '../members.ts';
import { readInTree } from '../record-tree.ts';
import { addAnswer, addCall, addResult, addUserMessage } from '../said.ts';
import { beginTurn } from '../turns.ts';
import { addUsage } from '../usage.ts';
import { PROVIDER, type QwenGiven, rememberDuration, takeDuration } from './state.ts';

export function translate(record: JsonObject, given: QwenGiven): RecordFacts {
  const id = nonEmpty(record.uuid);
  const place = { id, parent: nonEmpty(record.parentUuid), isMove: record.type !== 'system' };
  readInTree(given.state.records, place, given, () => read(record, given));
  return { record: id, at: textIn(record.timestamp) };
}

function read(record: JsonObject, given: QwenGiven): void {
  switch (record.type) {
    case 'user':
      readPrompt(record, given);
      break;
    case 'assistant':
      readAnswer(record, given);
      break;
    case 'tool_result':
      readResults(record, given);
      break;
    case 'system':
      readSystem(record, given);
      break;
  }
}

function readPrompt(record: JsonObject, given: QwenGiven): void {
  const content = readParts(partsOf(record), given);
  if (content.parts.length === 0) return;
  const isSynthetic = isInjected(record);
  if (!isSynthetic) beginTurn(content.text, given);
  addUserMessage({ content, isSynthetic }, given);
}

/** Older versions do not say where a prompt came from. */
export function isInjected({ provenance }: JsonObject): boolean {
  return typeof provenance === 'string' && provenance !== 'real_user';
}

function readAnswer(record: JsonObject, given: QwenGiven): void {
  const { state } = given;
  changeModel(PROVIDER, record.model, given);
  const message = shortText(record.uuid);
  const blocks = partsOf(record);
  const content = readParts(blocks, given);
  state.steps += 1;
  addAnswer({ content, message }, given);
  const calls = objectsIn(blocks.map(({ functionCall }) => functionCall));
  for (const { id: callId, name, args } of calls) {
    if (!addCall({ callId, name, args, message }, given)) given.left.push('message.parts[functionCall]');
  }
  const usage = objectIn(record.usageMetadata);
  // An answer that was interrupted is kept as far as it had come, without its usage.
  const isWhole = usage !== undefined || state.inputTokens === 0;
  state.isAnswered = isWhole && calls.length === 0 && content.parts.some(({ type }) => type === 'text');
  reportUsage(usage, message, given);
}

/** Candidates include thoughts. */
function reportUsage(usage: JsonObject | undefined, message: string | undefined, given: QwenGiven): void {
  const { promptTokenCount: inputTokens, candidatesTokenCount: outputTokens } = usage ?? {};
  const { cachedContentTokenCount: cachedTokens, thoughtsTokenCount: reasoningTokens } = usage ?? {};
  const counted = addUsage({ inputTokens, outputTokens, cachedTokens, reasoningTokens }, { message }, given);
  given.state.inputTokens = counted ?? given.state.inputTokens;
}

const STATUSES: Readonly<Record<string, EventData<'tool.finished'>['status']>> = {
  success: 'ok',
  error: 'error',
  cancelled: 'cancelled',
};

function readResults(record: JsonObject, given: QwenGiven): void {
  const about = objectIn(record.toolCallResult);
  for (const { functionResponse } of partsOf(record)) {
    const answer = objectIn(functionResponse);
    const callId = nonEmpty(answer?.id) ?? nonEmpty(about?.callId);
    if (answer === undefined || callId === undefined) {
      given.left.push('message.parts[functionResponse]');
      continue;
    }
    finishCall(answer, { callId, about }, given);
  }
}

function finishCall(
  answer: JsonObject,
  { callId, about }: { readonly callId: string; readonly about: JsonObject | undefined },
  given: QwenGiven,
): void {
  const { output, error, ...more } = objectIn(answer.response) ?? {};
  const said = textIn(output) ?? textIn(error);
  const rest = output ?? (Object.keys(more).length > 0 ? more : undefined);
  if (objectIn(about?.resultDisplay) !== undefined) given.left.push('toolCallResult.resultDisplay');
  addResult(
    {
      callId,
      status: STATUSES[textIn(about?.status) ?? ''] ?? (error === undefined ? 'ok' : 'error'),
      text: said ?? (rest === undefined ? '' : JSON.stringify(rest)),
      content: readParts(objectsIn(answer.parts), given),
      shown: nonEmpty(about?.resultDisplay),
      durationMs: takeDuration(given.state, callId),
    },
    given,
  );
}

function readSystem(record: JsonObject, given: QwenGiven): void {
  const payload = objectIn(record.systemPayload) ?? {};
  switch (record.subtype) {
    case 'ui_telemetry':
      readTelemetry(objectIn(payload.uiEvent) ?? {}, given);
      break;
    case 'chat_compression':
      readCompression(payload, given);
      break;
    case 'custom_title':
      changeTitle(payload.customTitle, 'user', given);
      break;
  }
}

/** The decision on a call, and its duration. Other records contain the rest. */
function readTelemetry(event: JsonObject, given: QwenGiven): void {
  const callId = nonEmpty(event.call_id);
  const { decision } = event;
  if (event['event.name'] !== 'qwen-code.tool_call' || callId === undefined) return;
  const durationMs = countIn(event.duration_ms);
  if (durationMs !== undefined) rememberDuration(given.state, callId, durationMs);
  if (typeof decision !== 'string') return;
  const isDenied = decision === 'reject';
  const by = decision === 'auto_accept' ? 'agent' : 'user';
  given.add({ type: 'tool.decided', data: { callId, decision: isDenied ? 'deny' : 'allow', by } });
}

/** The messages of a compression replace all earlier ones. */
function readCompression({ compressedHistory }: JsonObject, given: QwenGiven): void {
  const messages = objectsIn(compressedHistory).flatMap(({ role, parts }): ReplacingMessage[] => {
    const own = objectsIn(parts).flatMap(({ text, thought }): Part[] =>
      typeof text === 'string' && saysSomething(text) && thought !== true ? [{ type: 'text', text }] : [],
    );
    return own.length === 0 ? [] : [{ role: role === 'model' ? 'assistant' : 'user', parts: own }];
  });
  addCompaction({ messages, tokensBefore: given.state.inputTokens }, given);
}

function partsOf({ message }: JsonObject): readonly JsonObject[] {
  return objectsIn(objectIn(message)?.parts);
}

/** Calls and results are not parts. */
function readParts(blocks: readonly JsonObject[], given: QwenGiven): Content {
  const content = new Content();
  for (const block of blocks) {
    const text = textIn(block.text);
    const inline = objectIn(block.inlineData);
    if (content.addImage(imageOf(inline?.mimeType, inline?.data))) continue;
    if (block.thought === true && saysSomething(text)) content.addReasoning(PROVIDER, text);
    else if (text !== undefined) content.addText(text);
    else if (block.functionCall === undefined && block.functionResponse === undefined) {
      given.left.push(`message.parts[${Object.keys(block)[0] ?? ''}]`);
    }
  }
  return content;
}
