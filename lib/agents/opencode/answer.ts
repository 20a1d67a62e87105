// An answer of the model, which opencode makes for each request: its parts with calls and their results, its end with
// the usage. The summary of a compaction is an answer too.
import type { EventData } from '../../events/index.ts';
import { changeModel } from '../about.ts';
import { formatAddress, idInAddress } from '../address.ts';
import type { JsonObject } from '../agent.ts';
import { addCompactionBefore, addFailedCompaction } from '../compaction.ts';
import { Content } from '../content.ts';
import {
  amountIn,
  countIn,
  defined,
  nonEmpty,
  objectIn,
  objectsIn,
  saysSomething,
  shortText,
  textIn,
} from '../members.ts';
import { addAnswer, addCall, addResult } from '../said.ts';
import { timeOf } from '../times.ts';
import { endTurn, failTurn } from '../turns.ts';
import { addUsage } from '../usage.ts';
import { addFile } from './content.ts';
import type { OpencodeGiven } from './state.ts';

const REJECTED = /^(?:Error: )?The user rejected permission/;
/** After these the program asks the model again. */
const GOES_ON = new Set(['tool-calls', 'unknown', '']);
const ABORTED = /^(?:Error: )?(?:Tool execution aborted|Tool execution was aborted|Aborted)$/;

export function beginAnswer(info: JsonObject, given: OpencodeGiven): void {
  const { state } = given;
  changeModel(info.providerID, info.modelID, given);
  state.steps += 1;
  state.answer = shortText(info.id) ?? '';
  state.isSummary = false;
}

export function readPart(part: JsonObject, given: OpencodeGiven): void {
  const { provider } = given.state;
  const content = new Content();
  switch (part.type) {
    case 'text':
      if (part.ignored === true) given.left.push('part[text]');
      else content.addText(textIn(part.text));
      break;
    case 'reasoning':
      readReasoning(part, content, provider);
      break;
    case 'file':
      if (!addFile(part, content)) given.left.push('part[file]');
      break;
    case 'tool':
      readTool(part, given);
      break;
    case 'step-start':
    case 'step-finish':
      break;
    default:
      given.left.push(`part[${textIn(part.type) ?? ''}]`);
  }
  addAnswer({ content, message: answerIn(given), at: timeOf(amountIn(objectIn(part.time)?.end)) }, given);
}

function answerIn({ state }: OpencodeGiven): string | undefined {
  return nonEmpty(state.answer);
}

/** What goes back to the provider is under its own name. */
function readReasoning({ text, metadata }: JsonObject, content: Content, provider: string): void {
  const own = objectsIn(Object.values(objectIn(metadata) ?? {}));
  const found = own.map((one) => nonEmpty(one.signature) ?? nonEmpty(one.reasoningEncryptedContent));
  const shown = textIn(text);
  content.addReasoning(
    provider,
    saysSomething(shown) ? shown : undefined,
    found.find((one) => one !== undefined),
  );
}

/** A call with its result. */
function readTool(part: JsonObject, given: OpencodeGiven): void {
  const { callID: callId, tool: name } = part;
  const state = objectIn(part.state) ?? {};
  const time = objectIn(state.time);
  const start = amountIn(time?.start);
  const end = amountIn(time?.end);
  const isAsked = addCall({ callId, name, args: state.input, message: answerIn(given), at: timeOf(start) }, given);
  if (!isAsked || typeof callId !== 'string') {
    given.left.push('part[tool]');
    return;
  }
  const status = statusOf(state);
  if (status === undefined) return;
  if (status === 'denied') {
    given.add({
      type: 'tool.decided',
      data: { callId, decision: 'deny', by: 'user', ...defined({ at: timeOf(end) }) },
    });
  }
  const content = new Content();
  for (const file of objectsIn(state.attachments)) {
    if (!addFile(file, content)) given.left.push('part.state.attachments');
  }
  const subagent = name === 'task' ? shortText(objectIn(state.metadata)?.sessionId) : undefined;
  addResult(
    {
      callId,
      status,
      text: textIn(state.output) ?? textIn(state.error) ?? '',
      content,
      durationMs: start !== undefined && end !== undefined && end >= start ? end - start : undefined,
      subagent: subagent && formatAddress({ agent: given.state.agent, id: idInAddress(subagent) }),
      at: timeOf(end),
    },
    given,
  );
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
    if (error.name === 'MessageAbortedError') endTurn(given, 'cancelled');
    else failTurn(messageOf(error), given);
  } else if (info.finish === 'length' || info.finish === 'content-filter') {
    endTurn(given, 'completed', { incomplete: info.finish });
  } else if (typeof info.finish === 'string' && !GOES_ON.has(info.finish)) {
    endTurn(given, 'completed');
  }
}

function messageOf({ data, name }: JsonObject): string {
  return textIn(objectIn(data)?.message) ?? textIn(name) ?? '';
}

/** Input is what neither came from the cache nor went into it. Output includes reasoning only in older versions. */
function reportUsage({ tokens, cost }: JsonObject, given: OpencodeGiven): void {
  const used = objectIn(tokens);
  const cache = objectIn(used?.cache);
  const input = countIn(used?.input);
  const output = countIn(used?.output);
  if (input === undefined || output === undefined) return;
  const cachedTokens = countIn(cache?.read) ?? 0;
  const cacheWriteTokens = countIn(cache?.write) ?? 0;
  const reasoningTokens = countIn(used?.reasoning) ?? 0;
  const inputTokens = input + cachedTokens + cacheWriteTokens;
  const total = countIn(used?.total);
  const outputTokens = total === undefined ? Math.max(output, reasoningTokens) : Math.max(output, total - inputTokens);
  if (inputTokens + outputTokens === 0) return;
  const purpose = given.state.isSummary ? 'summary' : undefined;
  const tokensUsed = { inputTokens, outputTokens, cachedTokens, cacheWriteTokens, reasoningTokens };
  addUsage({ ...tokensUsed, totalCost: cost }, { message: answerIn(given), purpose }, given);
}

/** Everything before is covered, except the text of the compaction's request. */
export function readSummary(info: JsonObject, parts: readonly JsonObject[], given: OpencodeGiven): void {
  const { state } = given;
  const { by, keptFrom } = state.compaction ?? {};
  state.compaction = undefined;
  state.answer = shortText(info.id) ?? '';
  state.isSummary = true;
  const texts = parts.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
  const error = objectIn(info.error);
  const tokens = objectIn(info.tokens);
  const [tokensBefore, tokensAfter] = [countIn(tokens?.input), countIn(tokens?.output)];
  if (error !== undefined) addFailedCompaction(messageOf(error), given);
  else addCompactionBefore(keptFrom, { summary: texts.join('\n'), tokensBefore, tokensAfter, by }, given);
  reportUsage(info, given);
}
