// An answer of the model, which opencode makes for each request: its parts with calls and their results, its end with
// what it used. The summary of a compaction is an answer too.
import type { EventData } from '../../events/index.ts';
import type { ImagePart, Part } from '../../messages/index.ts';
import type { JsonObject } from '../agent.ts';
import { amountIn, argumentsIn, countIn, nonEmpty, objectIn, objectsIn, saysSomething, textIn } from '../members.ts';
import { timeOf } from '../translator.ts';
import { addFile, attachmentsOf, type Content, noContent } from './content.ts';
import { type OpencodeGiven, shortText } from './state.ts';
import { changeModel, endTurn } from './turns.ts';

/** About so many characters make a token. */
const CHARACTERS_PER_TOKEN = 4;
const REJECTED = /^(?:Error: )?The user rejected permission/;
/** After these the program asks the model again. */
const GOES_ON = new Set(['tool-calls', 'unknown', '']);
const ABORTED = /^(?:Error: )?(?:Tool execution aborted|Tool execution was aborted|Aborted)$/;

export function beginAnswer(info: JsonObject, given: OpencodeGiven): void {
  const { state } = given;
  changeModel(info.providerID, info.modelID, given);
  state.steps += 1;
  state.answer = nonEmpty(info.id) === undefined ? '' : (shortText(info.id) ?? '');
  state.isSummary = false;
}

export function readPart(part: JsonObject, given: OpencodeGiven): void {
  switch (part.type) {
    case 'text': {
      const text = textIn(part.text);
      if (part.ignored === true) given.left.push('part[text]');
      else if (saysSomething(text)) addMessage({ parts: [{ type: 'text', text }], attachments: [] }, part, given);
      break;
    }
    case 'reasoning': {
      const reasoning = reasoningOf(part, given);
      if (reasoning !== undefined) addMessage({ parts: [reasoning], attachments: [] }, part, given);
      break;
    }
    case 'file': {
      const content = noContent();
      if (!addFile(part, content)) given.left.push('part[file]');
      else if (content.parts.length > 0) addMessage(content, part, given);
      break;
    }
    case 'tool':
      readTool(part, given);
      break;
    case 'step-start':
    case 'step-finish':
      break;
    default:
      given.left.push(`part[${textIn(part.type) ?? ''}]`);
  }
}

function addMessage(content: Content, { time }: JsonObject, given: OpencodeGiven): void {
  const { model, provider } = given.state;
  given.add({
    type: 'message.added',
    data: {
      role: 'assistant',
      parts: content.parts,
      trusted: false,
      ...(provider === '' ? {} : { provider }),
      ...(model === '' ? {} : { model }),
      ...ofMessage(given),
      ...at(objectIn(time)?.end),
    },
    attachments: attachmentsOf(content),
  });
}

function ofMessage({ state }: OpencodeGiven): { message?: string } {
  return state.answer === '' ? {} : { message: state.answer };
}

function at(time: unknown): { at?: string } {
  const text = typeof time === 'number' ? timeOf(time) : undefined;
  return text === undefined ? {} : { at: text };
}

/** What goes back to the provider is under its own name. */
function reasoningOf({ text, metadata }: JsonObject, { state }: OpencodeGiven): Part | undefined {
  const own = objectsIn(Object.values(objectIn(metadata) ?? {}));
  const found = own.map((one) => nonEmpty(one.signature) ?? nonEmpty(one.reasoningEncryptedContent));
  const opaque = found.find((one) => one !== undefined);
  const shown = textIn(text);
  if (!saysSomething(shown) && opaque === undefined) return undefined;
  return {
    type: 'reasoning',
    ...(saysSomething(shown) ? { text: shown } : {}),
    ...(opaque === undefined ? {} : { opaque }),
    ...(state.provider === '' ? {} : { provider: state.provider }),
  };
}

/** A call with what came of it. */
function readTool(part: JsonObject, given: OpencodeGiven): void {
  const callId = nonEmpty(part.callID);
  const name = nonEmpty(part.tool);
  const state = objectIn(part.state) ?? {};
  if (callId === undefined || name === undefined) {
    given.left.push('part[tool]');
    return;
  }
  const time = objectIn(state.time);
  const start = amountIn(time?.start);
  const end = amountIn(time?.end);
  const args = argumentsIn(state.input);
  given.add({ type: 'tool.requested', data: { callId, name, args, ...ofMessage(given), ...at(start) } });
  const status = statusOf(state);
  if (status === undefined) return;
  if (status === 'denied') {
    given.add({ type: 'tool.decided', data: { callId, decision: 'deny', by: 'user', ...at(end) } });
  }
  const content = noContent();
  for (const file of objectsIn(state.attachments))
    if (!addFile(file, content)) given.left.push('part.state.attachments');
  const images = content.parts.filter((one): one is ImagePart => one.type === 'image');
  const subagent = name === 'task' ? shortText(objectIn(state.metadata)?.sessionId) : undefined;
  const durationMs = start !== undefined && end !== undefined && end >= start ? end - start : undefined;
  given.add({
    type: 'tool.finished',
    data: {
      callId,
      status,
      result: {
        llmContent: textIn(state.output) ?? textIn(state.error) ?? '',
        ...(images.length === 0 ? {} : { images }),
      },
      trusted: false,
      ...(durationMs === undefined ? {} : { durationMs }),
      ...(subagent === undefined ? {} : { subagent: `opencode:${subagent}` }),
      ...at(end),
    },
    attachments: attachmentsOf(content),
  });
}

/** Undefined of one that is not over. */
function statusOf({ status, error }: JsonObject): EventData<'tool.finished'>['status'] | undefined {
  if (status === 'completed') return 'ok';
  if (status !== 'error') return undefined;
  const reason = textIn(error) ?? '';
  if (REJECTED.test(reason)) return 'denied';
  return ABORTED.test(reason) ? 'cancelled' : 'error';
}

export function endAnswer(info: JsonObject, given: OpencodeGiven): void {
  reportUsage(info, given);
  const error = objectIn(info.error);
  if (error !== undefined) {
    const message = textIn(objectIn(error.data)?.message) ?? textIn(error.name) ?? '';
    if (error.name === 'MessageAbortedError') endTurn(given, 'cancelled');
    else endTurn(given, 'failed', { error: { code: 'PROVIDER_FAILED', message } });
  } else if (info.finish === 'length' || info.finish === 'content-filter') {
    endTurn(given, 'completed', { incomplete: info.finish });
  } else if (typeof info.finish === 'string' && !GOES_ON.has(info.finish)) {
    endTurn(given, 'completed');
  }
}

/** Input is what neither came from the cache nor went into it. Output includes reasoning only in older versions. */
function reportUsage({ tokens, cost }: JsonObject, given: OpencodeGiven): void {
  const used = objectIn(tokens);
  const cache = objectIn(used?.cache);
  const input = countIn(used?.input);
  const output = countIn(used?.output);
  if (input === undefined || output === undefined) return;
  const cachedTokens = countIn(cache?.read) ?? 0;
  const price = amountIn(cost) ?? 0;
  const cacheWriteTokens = countIn(cache?.write) ?? 0;
  const reasoningTokens = countIn(used?.reasoning) ?? 0;
  const inputTokens = input + cachedTokens + cacheWriteTokens;
  const total = countIn(used?.total);
  const outputTokens = total === undefined ? Math.max(output, reasoningTokens) : Math.max(output, total - inputTokens);
  if (inputTokens + outputTokens === 0) return;
  const { state } = given;
  given.add({
    type: 'usage.reported',
    data: {
      inputTokens,
      outputTokens,
      ...(cachedTokens === 0 ? {} : { cachedTokens }),
      ...(cacheWriteTokens === 0 ? {} : { cacheWriteTokens }),
      ...(reasoningTokens === 0 ? {} : { reasoningTokens }),
      ...(price > 0 ? { totalCost: price } : {}),
      source: 'provider',
      model: state.model,
      provider: state.provider,
      ...(state.isSummary ? { purpose: 'summary' as const } : {}),
      ...ofMessage(given),
    },
  });
}

/** Everything before is covered, but what the request of the compaction says is kept. */
export function readSummary(info: JsonObject, parts: readonly JsonObject[], given: OpencodeGiven): void {
  const { state, seq } = given;
  const { by = 'auto', keptFrom: kept } = state.compaction ?? {};
  state.compaction = undefined;
  state.answer = shortText(info.id) ?? '';
  state.isSummary = true;
  const texts = parts.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
  const summary = texts.join('\n');
  const error = objectIn(info.error);
  if (error !== undefined) {
    const message = textIn(objectIn(error.data)?.message) ?? textIn(error.name) ?? '';
    given.add({
      type: 'compaction.failed',
      data: { strategy: 'summarize', error: { code: 'PROVIDER_FAILED', message } },
    });
  } else if (saysSomething(summary) && seq > 1) {
    const keptFrom = Math.max(state.keptFrom, Math.min(seq, kept ?? seq));
    const to = Math.max(1, keptFrom - 1);
    const tokens = objectIn(info.tokens);
    const tokensAfter = countIn(tokens?.output) ?? Math.ceil(summary.length / CHARACTERS_PER_TOKEN);
    given.add({
      type: 'compaction.completed',
      data: {
        strategy: 'summarize',
        covers: { from: Math.min(state.keptFrom, to), to },
        keptFrom,
        summary,
        tokensBefore: countIn(tokens?.input) ?? tokensAfter,
        tokensAfter,
        by,
      },
    });
    state.keptFrom = keptFrom;
  }
  reportUsage(info, given);
}
