// What a record of Codex says in events. The program writes the same conversation in two families: what the model was
// sent and said (response_item), which all versions write, and what its screen showed (event_msg). The first gives the
// messages and calls, the second what only it knows: tasks, interruptions, undone turns and usage. Items of one answer
// have no id in common, so that answers are numbered: one ends where the program or the user has the word.
import type { EventData } from '../../events/index.ts';
import type { ImagePart, Part, ReplacingMessage } from '../../messages/index.ts';
import type { Attachment, JsonObject, Translation } from '../agent.ts';
import { imageOfUrl } from '../attachments.ts';
import { Given } from '../given.ts';
import { argumentsIn, countIn, nonEmpty, objectIn, objectsIn, parseObject, saysSomething, textIn } from '../members.ts';
import { isInjected, isPictureWrapper, typedOf } from './injected.ts';
import { answerToCall } from './output.ts';
import { type CodexState, rememberSession, rememberTask, rememberTurn, short, takeBackTurns } from './state.ts';

/** About so many characters make a token. */
const CHARACTERS_PER_TOKEN = 4;

/** A record of any version: what kind it is, and what it holds. */
export interface Rollout {
  readonly kind: string;
  readonly payload: JsonObject;
}

/** In the oldest files an item has no envelope, and the first line has no type. */
export function unwrapped(record: JsonObject): Rollout {
  const payload = objectIn(record.payload);
  if (payload !== undefined) return { kind: textIn(record.type) ?? '', payload };
  if (typeof record.type === 'string') return { kind: 'response_item', payload: record };
  if (typeof record.record_type === 'string') return { kind: record.record_type, payload: record };
  return { kind: typeof record.id === 'string' ? 'session_meta' : '', payload: record };
}

export function translate(record: JsonObject, state: CodexState, { seq }: { readonly seq: number }): Translation {
  const given = new Given(state, seq);
  const { kind, payload } = unwrapped(record);
  read(kind, payload, given);
  return {
    record: nonEmpty(payload.id) ?? nonEmpty(payload.call_id),
    at: textIn(record.timestamp) ?? state.began,
    events: given.events,
    left: given.left,
  };
}

function read(kind: string, payload: JsonObject, given: Given<CodexState>): void {
  switch (kind) {
    case 'session_meta':
      rememberSession(given.state, payload);
      break;
    case 'turn_context':
      changeModel(payload.model, given);
      break;
    case 'response_item':
      readItem(payload, given);
      break;
    case 'event_msg':
      readEvent(payload, given);
      break;
    case 'token_usage_record':
      given.state.hasUsageOfAnswers = true;
      reportUsage(objectIn(payload.usage), given);
      break;
    case 'compacted':
      readCompaction(payload, given);
      break;
  }
}

function changeModel(name: unknown, given: Given<CodexState>): void {
  const { state } = given;
  const model = short(name);
  if (model === undefined || model === state.model) return;
  state.model = model;
  given.add({ type: 'model.changed', data: { provider: state.provider, model } });
}

function readItem(item: JsonObject, given: Given<CodexState>): void {
  switch (item.type) {
    case 'message':
      if (item.role === 'user') readPrompt(item, given);
      if (item.role === 'assistant') readAnswer(item, given);
      break;
    case 'reasoning':
      readReasoning(item, given);
      break;
    case 'function_call':
      readCall(item, item.arguments, given);
      break;
    case 'custom_tool_call':
      readCall(item, { input: item.input }, given);
      break;
    case 'tool_search_call':
      readCall({ ...item, name: 'tool_search' }, item.arguments, given);
      break;
    case 'local_shell_call':
      readCall({ ...item, name: 'local_shell' }, item.action, given);
      break;
    case 'web_search_call':
      readSearch(item, given);
      break;
    case 'function_call_output':
    case 'custom_tool_call_output':
      readOutput(item, given);
      break;
    case 'tool_search_output':
      readOutput({ ...item, output: JSON.stringify(item.tools ?? item.output ?? '') }, given);
      break;
  }
}

/** What the program puts into the role of the user begins no turn; neither does what the user adds while one runs. */
function readPrompt(item: JsonObject, given: Given<CodexState>): void {
  const { state } = given;
  const { parts, attachments } = readContent(item.content, given);
  if (parts.length === 0) return;
  state.isAnswerOpen = false;
  const typed = parts.flatMap((part) => (part.type === 'text' && !isInjected(part.text) ? [typedOf(part.text)] : []));
  const isPrompt = typed.length > 0 || parts.some(({ type }) => type === 'image');
  const isAddition = state.isTurnOpen && state.task !== '' && state.task === state.turnTask;
  if (isPrompt && !isAddition) beginTurn(typed.join('\n'), given);
  const isSynthetic = !isPrompt || state.isSubagent;
  given.add({
    type: 'message.added',
    data: { role: 'user', parts, trusted: false, ...(isSynthetic ? { synthetic: true as const } : {}) },
    attachments,
  });
}

function beginTurn(input: string, given: Given<CodexState>): void {
  const { state } = given;
  endTurn(given, state.steps > 0 ? 'completed' : 'interrupted');
  rememberTurn(state, given.seq - 1);
  state.turn += 1;
  state.isTurnOpen = true;
  state.turnTask = state.task;
  state.steps = 0;
  given.add({ type: 'turn.started', data: { input } });
}

function endTurn(
  given: Given<CodexState>,
  status: EventData<'turn.ended'>['status'],
  more: Pick<EventData<'turn.ended'>, 'durationMs' | 'error'> = {},
): void {
  const { state } = given;
  state.isAnswerOpen = false;
  if (!state.isTurnOpen) return;
  state.isTurnOpen = false;
  given.add({ type: 'turn.ended', data: { status, steps: state.steps, ...more } });
}

/** The id of the answer that an item of the model's belongs to. */
function openAnswer({ state }: Given<CodexState>): string {
  if (!state.isAnswerOpen) {
    state.isAnswerOpen = true;
    state.answer += 1;
    state.steps += 1;
  }
  return answerId(state.answer);
}

function answerId(answer: number): string {
  return `answer-${answer}`;
}

function readAnswer(item: JsonObject, given: Given<CodexState>): void {
  const { parts, attachments } = readContent(item.content, given);
  if (parts.length > 0) addAnswer(parts, given, { attachments, isFinal: item.phase === 'final_answer' });
}

function addAnswer(
  parts: Part[],
  given: Given<CodexState>,
  {
    attachments,
    isFinal = false,
  }: { readonly attachments?: readonly Attachment[] | undefined; readonly isFinal?: boolean } = {},
): void {
  const { provider, model } = given.state;
  given.add({
    type: 'message.added',
    data: {
      role: 'assistant',
      parts,
      trusted: false,
      provider,
      ...(model === '' ? {} : { model }),
      ...(isFinal ? { finish: 'stop' as const } : {}),
      message: openAnswer(given),
    },
    attachments,
  });
}

/** Shown in summary, and as the provider keeps it closed. */
function readReasoning(item: JsonObject, given: Given<CodexState>): void {
  const texts = [...objectsIn(item.summary), ...objectsIn(item.content)].flatMap(({ text }) =>
    typeof text === 'string' && saysSomething(text) ? [text] : [],
  );
  const opaque = nonEmpty(item.encrypted_content);
  if (texts.length === 0 && opaque === undefined) return;
  const part: Part = {
    type: 'reasoning',
    ...(texts.length === 0 ? {} : { text: texts.join('\n\n') }),
    ...(opaque === undefined ? {} : { opaque }),
    provider: given.state.provider,
  };
  addAnswer([part], given);
}

function readCall(item: JsonObject, args: unknown, given: Given<CodexState>): void {
  const callId = nonEmpty(item.call_id);
  const name = nonEmpty(item.name);
  if (callId === undefined || name === undefined) {
    given.left.push('payload.name');
    return;
  }
  const message = openAnswer(given);
  given.add({ type: 'tool.requested', data: { callId, name, args: argumentsIn(args), message } });
}

/** The provider searched by itself: there is no result that the program saw. */
function readSearch(item: JsonObject, given: Given<CodexState>): void {
  const message = openAnswer(given);
  const callId = nonEmpty(item.id) ?? `search-${given.seq}`;
  given.add({ type: 'tool.requested', data: { callId, name: 'web_search', args: argumentsIn(item.action), message } });
  given.add({ type: 'tool.finished', data: { callId, status: 'ok', result: { llmContent: '' }, trusted: false } });
}

function readOutput(item: JsonObject, given: Given<CodexState>): void {
  const callId = nonEmpty(item.call_id);
  if (callId === undefined) {
    given.left.push('payload.output');
    return;
  }
  given.state.isAnswerOpen = false;
  const isText = typeof item.output === 'string';
  const { parts, attachments } = readContent(isText ? [] : item.output, given);
  const text = isText ? (item.output as string) : textOf(parts);
  const images = parts.filter((part): part is ImagePart => part.type === 'image');
  const { content, isError, durationMs } = answerToCall(text);
  given.add({
    type: 'tool.finished',
    data: {
      callId,
      status: isError ? 'error' : 'ok',
      result: { llmContent: content, ...(images.length === 0 ? {} : { images }) },
      trusted: false,
      ...(durationMs === undefined ? {} : { durationMs }),
    },
    attachments,
  });
}

function readEvent(event: JsonObject, given: Given<CodexState>): void {
  const { state } = given;
  switch (event.type) {
    case 'task_started':
      rememberTask(state, event);
      break;
    case 'task_complete':
      endTask(event, given);
      break;
    case 'turn_aborted':
      endTurn(given, 'cancelled', durationOf(event));
      break;
    case 'error':
      endTurn(given, 'failed', { error: failure(event.message) });
      break;
    case 'thread_rolled_back':
      rollBack(countIn(event.num_turns) ?? 0, given);
      break;
    case 'token_count':
      readTokenCount(objectIn(event.info), given);
      break;
  }
}

function endTask(event: JsonObject, given: Given<CodexState>): void {
  const error = objectIn(event.error);
  const duration = durationOf(event);
  if (error === undefined) endTurn(given, 'completed', duration);
  else endTurn(given, 'failed', { ...duration, error: failure(error.message) });
}

function failure(message: unknown): EventData<'turn.ended'>['error'] {
  const text = textIn(message) ?? '';
  return { code: 'PROVIDER_FAILED', message: textIn(objectIn(parseObject(text)?.error)?.message) ?? text };
}

function durationOf({ duration_ms }: JsonObject): { durationMs?: number } {
  const durationMs = countIn(duration_ms);
  return durationMs === undefined ? {} : { durationMs };
}

function rollBack(turns: number, given: Given<CodexState>): void {
  const head = takeBackTurns(given.state, turns);
  if (head === undefined) return;
  endTurn(given, 'cancelled');
  given.add({ type: 'branch.moved', data: { head, reason: 'undo' } });
}

/** Repeats what was stated before whenever a limit changes, and comes before or behind the items of its answer. */
function readTokenCount(info: JsonObject | undefined, given: Given<CodexState>): void {
  const { state } = given;
  const total = countIn(objectIn(info?.total_token_usage)?.total_tokens);
  if (total === undefined || total === state.total) return;
  state.total = total;
  if (!state.hasUsageOfAnswers) reportUsage(objectIn(info?.last_token_usage), given);
}

/** Input holds what came from the cache, output what was reasoning. What a fork copied is counted where it was used. */
function reportUsage(usage: JsonObject | undefined, given: Given<CodexState>): void {
  const { state } = given;
  const inputTokens = countIn(usage?.input_tokens);
  const outputTokens = countIn(usage?.output_tokens);
  if (usage === undefined || inputTokens === undefined || outputTokens === undefined) return;
  state.inputTokens = inputTokens;
  state.measured = state.measured < state.answer ? state.answer : state.answer + 1;
  if (state.forkedAt > 0) return;
  const more = {
    cachedTokens: countIn(usage.cached_input_tokens),
    cacheWriteTokens: countIn(usage.cache_write_input_tokens),
    reasoningTokens: countIn(usage.reasoning_output_tokens),
  };
  given.add({
    type: 'usage.reported',
    data: {
      inputTokens,
      outputTokens,
      ...Object.fromEntries(Object.entries(more).filter(([, count]) => count !== undefined && count > 0)),
      source: 'provider',
      model: state.model,
      provider: state.provider,
      message: answerId(state.measured),
    },
  });
}

/** The messages that stay replace everything before; older versions have a summary alone. */
function readCompaction(payload: JsonObject, given: Given<CodexState>): void {
  const { state, seq } = given;
  if (seq < 2) return;
  const summary = nonEmpty(payload.message);
  const messages = objectsIn(payload.replacement_history).flatMap((item): ReplacingMessage[] => {
    if (item.type !== 'message') {
      given.left.push(`payload.replacement_history[${textIn(item.type) ?? ''}]`);
      return [];
    }
    if (item.role !== 'user' && item.role !== 'assistant') return [];
    const { parts } = readContent(item.content, given, { hasPictures: false });
    return parts.length === 0 ? [] : [{ role: item.role, parts }];
  });
  if (messages.length === 0 && summary === undefined) return;
  state.isAnswerOpen = false;
  const characters = messages.length === 0 ? (summary ?? '').length : JSON.stringify(messages).length;
  given.add({
    type: 'compaction.completed',
    data: {
      strategy: 'summarize',
      covers: { from: 1, to: seq - 1 },
      keptFrom: seq,
      ...(messages.length === 0 ? { summary: summary ?? '' } : { messages }),
      tokensBefore: state.inputTokens,
      tokensAfter: Math.ceil(characters / CHARACTERS_PER_TOKEN),
      by: 'auto',
    },
  });
}

interface Content {
  readonly parts: Part[];
  readonly attachments: readonly Attachment[] | undefined;
}

function readContent(content: unknown, given: Given<CodexState>, { hasPictures = true } = {}): Content {
  if (typeof content === 'string') {
    return { parts: saysSomething(content) ? [{ type: 'text', text: content }] : [], attachments: undefined };
  }
  const parts: Part[] = [];
  const attachments: Attachment[] = [];
  const blocks = objectsIn(content);
  const isPictured = blocks.some(({ type }) => type === 'input_image');
  for (const block of blocks) {
    const text = textIn(block.text) ?? textIn(block.refusal);
    if (block.type === 'input_image') {
      const image = imageOfUrl(block.image_url);
      if (image === undefined || !hasPictures) given.left.push('payload.content[input_image]');
      else {
        parts.push(image.part);
        attachments.push(image.attachment);
      }
    } else if (text === undefined) {
      given.left.push(`payload.content[${textIn(block.type) ?? ''}]`);
    } else if (saysSomething(text) && !(isPictured && isPictureWrapper(text))) {
      parts.push({ type: 'text', text });
    }
  }
  return { parts, attachments: attachments.length === 0 ? undefined : attachments };
}

function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** What the user typed in a message of the user's; undefined if a program wrote all of it. */
export function promptOf(item: JsonObject): string | undefined {
  const texts =
    typeof item.content === 'string' ? [item.content] : objectsIn(item.content).map(({ text }) => textIn(text));
  const typed = texts.filter((text) => saysSomething(text) && !isInjected(text) && !isPictureWrapper(text));
  return typed.length === 0 ? undefined : typed.map((text) => typedOf(text as string)).join('\n');
}
