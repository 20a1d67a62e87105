// The events of a record of Kimi Code CLI. An answer is in several records of one step, whose id they share. Versions
// before the protocol 1.5 have no record for the end of a turn.
import { changeModel } from '../about.ts';
import type { JsonObject, RecordFacts } from '../agent.ts';
import { imageOfUrl } from '../attachments.ts';
import { addCompaction } from '../compaction.ts';
import { Content } from '../content.ts';
import {
  absolutePathIn,
  amountIn,
  countIn,
  nonEmpty,
  objectIn,
  objectsIn,
  saysSomething,
  shortText,
  textIn,
} from '../members.ts';
import { addAnswer, addCall, addResult, addUserMessage } from '../said.ts';
import { beginTurn, endTurn, failTurn } from '../turns.ts';
import { addUsage } from '../usage.ts';
import type { KimiGiven, KimiState } from './state.ts';

export function translate(record: JsonObject, given: KimiGiven): RecordFacts {
  const message = objectIn(record.message);
  const event = objectIn(record.event);
  if (record.type === 'turn.prompt') readPrompt(record, given);
  else if (record.type === 'context.append_message' && message !== undefined) readMessage(message, given);
  else if (record.type === 'context.append_loop_event' && event !== undefined) readStep(event, given);
  else readOther(record, given);
  return { record: keyOf(message, event), at: timeIn(record) };
}

export function timeIn({ time, created_at }: JsonObject): number | undefined {
  return countIn(time) ?? countIn(created_at);
}

/** The first text that was typed. */
export function promptIn(input: unknown): string | undefined {
  return objectsIn(input)
    .map(({ type, text }) => (type === 'text' ? textIn(text) : undefined))
    .find(saysSomething);
}

function keyOf(message: JsonObject | undefined, event: JsonObject | undefined): string | undefined {
  return shortText(message?.id) ?? shortText(event?.stepUuid) ?? shortText(event?.uuid);
}

function readOther(record: JsonObject, given: KimiGiven): void {
  const { state } = given;
  switch (record.type) {
    case 'config.update':
      rememberDirectory(record.cwd, state);
      break;
    case 'profile.bind':
      rememberDirectory(objectIn(record.environmentDisclosure)?.cwd, state);
      break;
    case 'llm.request':
      changeModel(record.provider, record.model, given);
      break;
    case 'turn.cancel':
      state.isCancelled = true;
      break;
    case 'turn.ended':
      readEnd(record, given);
      break;
    case 'full_compaction.begin':
      state.compactionBy = record.source === 'manual' ? 'user' : 'auto';
      break;
    case 'context.apply_compaction':
      readCompaction(record, given);
      break;
  }
}

function rememberDirectory(value: unknown, state: KimiState): void {
  state.cwd = absolutePathIn(value) ?? state.cwd;
}

/** The message of a prompt comes in another record. */
function readPrompt({ input }: JsonObject, given: KimiGiven): void {
  const content = new Content();
  for (const part of objectsIn(input)) if (part.type === 'text') content.addText(textIn(part.text));
  if (given.state.isCancelled) endTurn(given, 'cancelled');
  given.state.isCancelled = false;
  beginTurn(content.text, given);
}

function readMessage({ role, content: list, origin, id }: JsonObject, given: KimiGiven): void {
  if (role !== 'user') {
    given.left.push('message');
    return;
  }
  const content = contentOf(list, 'message.content', given);
  const isSynthetic = objectIn(origin)?.kind !== 'user';
  addUserMessage({ content, isSynthetic, message: shortText(id) }, given);
}

function readStep(event: JsonObject, given: KimiGiven): void {
  const { state } = given;
  const message = shortText(event.stepUuid);
  switch (event.type) {
    case 'step.begin':
      state.steps += 1;
      break;
    case 'content.part':
      addAnswer({ content: partOf(event, given), message }, given);
      break;
    case 'tool.call': {
      const { toolCallId: callId, name, args } = event;
      if (!addCall({ callId, name, args, message }, given)) given.left.push('event.toolCallId');
      break;
    }
    case 'tool.result':
      readResult(event, given);
      break;
    case 'step.end':
      state.isAnswered = event.finishReason === 'end_turn';
      reportUsage(event, given);
      break;
  }
}

function partOf({ part }: JsonObject, given: KimiGiven): Content {
  const content = new Content();
  const { type, text, think, encrypted } = objectIn(part) ?? {};
  if (type === 'text') content.addText(textIn(text));
  else if (type === 'think') content.addReasoning(given.state.provider, nonEmpty(think), nonEmpty(encrypted));
  else given.left.push(`event.part[${textIn(type) ?? ''}]`);
  return content;
}

function readResult({ toolCallId, result }: JsonObject, given: KimiGiven): void {
  const { output, isError, durationMs } = objectIn(result) ?? {};
  const content = contentOf(output, 'event.result.output', given);
  const end = { status: isError === true ? 'error' : 'ok', durationMs: amountIn(durationMs) } as const;
  addResult({ callId: toolCallId, left: 'event.toolCallId', content, ...end }, given);
}

/** A text by itself, or parts. */
function contentOf(value: unknown, path: string, given: KimiGiven): Content {
  const content = new Content();
  if (typeof value === 'string') content.addText(value);
  for (const { type, text, imageUrl } of objectsIn(value)) {
    if (type === 'text') content.addText(textIn(text));
    else if (!content.addImage(imageOfUrl(objectIn(imageUrl)?.url))) given.left.push(`${path}[${textIn(type) ?? ''}]`);
  }
  return content;
}

/** The input is what neither came from the cache nor went into it. */
function reportUsage({ usage, uuid }: JsonObject, given: KimiGiven): void {
  const { inputOther, output, inputCacheRead, inputCacheCreation } = objectIn(usage) ?? {};
  const cache = { cachedTokens: inputCacheRead, cacheWriteTokens: inputCacheCreation, isCacheApart: true };
  addUsage({ inputTokens: inputOther, outputTokens: output, ...cache }, { message: shortText(uuid) }, given);
}

function readEnd({ reason, error, durationMs }: JsonObject, given: KimiGiven): void {
  const duration = amountIn(durationMs);
  const more = duration === undefined ? {} : { durationMs: duration };
  given.state.isCancelled = false;
  if (reason === 'completed') endTurn(given, 'completed', more);
  else if (reason === 'cancelled') endTurn(given, 'cancelled', more);
  else failTurn(nonEmpty(objectIn(error)?.message) ?? nonEmpty(reason) ?? '', given, more);
}

/** The program keeps the user's own messages too, and does not say which. */
function readCompaction(record: JsonObject, given: KimiGiven): void {
  const summary = nonEmpty(record.contextSummary) ?? nonEmpty(record.summary);
  const [tokensBefore, tokensAfter] = [countIn(record.tokensBefore), countIn(record.tokensAfter)];
  if (!addCompaction({ summary, tokensBefore, tokensAfter, by: given.state.compactionBy }, given)) {
    given.left.push('summary');
  }
  given.state.compactionBy = 'auto';
}
