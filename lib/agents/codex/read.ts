// Translates records of Codex into events. The program writes the same conversation in two families: the model's input
// and output (response_item), which all versions write, and the content of its screen (event_msg). The first gives the
// messages and calls, the second facts that only it has: tasks, interruptions, undone turns and usage. Items of one
// answer share no id, so answers are numbered: an answer ends at the next record of the program or the user.
import type { ReplacingMessage } from '../../messages/index.ts';
import { changeModel } from '../about.ts';
import type { JsonObject, RecordFacts } from '../agent.ts';
import { imageOfUrl } from '../attachments.ts';
import { addCompaction } from '../compaction.ts';
import { Content, textOf } from '../content.ts';
import { countIn, defined, nonEmpty, objectIn, objectsIn, parseObject, saysSomething, textIn } from '../members.ts';
import { addAnswer, addCall, addInjected, addResult, addUserMessage, type OfModel } from '../said.ts';
import { beginTurn, endTurn, failTurn, leaveTurn, moveTo } from '../turns.ts';
import { addUsage } from '../usage.ts';
import { divide, isInjected, isPictureWrapper, typedOf } from './injected.ts';
import { answerToCall } from './output.ts';
import { type CodexGiven, rememberSession, rememberTask, rememberTurn, takeBackTurns } from './state.ts';

/** A record of any version: its kind and its content. */
interface Rollout {
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

export function translate(record: JsonObject, given: CodexGiven): RecordFacts {
  const { kind, payload } = unwrapped(record);
  read(kind, payload, given);
  const id = nonEmpty(payload.id) ?? nonEmpty(payload.call_id);
  return { record: id, at: textIn(record.timestamp) ?? given.state.began };
}

function read(kind: string, payload: JsonObject, given: CodexGiven): void {
  switch (kind) {
    case 'session_meta':
      rememberSession(given.state, payload);
      break;
    case 'turn_context':
      changeModel(undefined, payload.model, given);
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

function readItem(item: JsonObject, given: CodexGiven): void {
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

/**
 * Texts that the program puts into the role of the user begin no turn; neither does a message that the user adds during
 * one.
 */
function readPrompt(item: JsonObject, given: CodexGiven): void {
  const { state } = given;
  const content = readContent(item.content, given);
  const { parts } = content;
  if (parts.length === 0) return;
  state.isAnswerOpen = false;
  const { typed, injected } = divide(parts);
  const isAddition = state.isTurnOpen && state.task !== '' && state.task === state.turnTask;
  if (typed.length > 0 && !isAddition) beginPrompt(textOf(typed), given);
  addInjected(injected, given);
  addUserMessage({ content, parts: typed, isSynthetic: state.isSubagent }, given);
}

function beginPrompt(input: string, given: CodexGiven): void {
  const { state } = given;
  leaveTurn(given);
  rememberTurn(state, given.seq - 1);
  state.turnTask = state.task;
  beginTurn(input, given);
}

/** The id of the answer that an item of the model's belongs to. */
function openAnswer({ state }: CodexGiven): string {
  if (!state.isAnswerOpen) {
    state.isAnswerOpen = true;
    state.answer += 1;
    state.steps += 1;
    state.isAnswered = true;
  }
  return answerId(state.answer);
}

function answerId(answer: number): string {
  return `answer-${answer}`;
}

function readAnswer(item: JsonObject, given: CodexGiven): void {
  const content = readContent(item.content, given);
  addToAnswer({ content, finish: item.phase === 'final_answer' ? 'stop' : undefined }, given);
}

function addToAnswer(said: Pick<OfModel, 'content' | 'finish'>, given: CodexGiven): void {
  if (said.content.parts.length === 0) return;
  addAnswer({ ...said, message: openAnswer(given) }, given);
}

/** Shown in summary, and as the provider keeps it closed. */
function readReasoning(item: JsonObject, given: CodexGiven): void {
  const texts = [...objectsIn(item.summary), ...objectsIn(item.content)].flatMap(({ text }) =>
    typeof text === 'string' && saysSomething(text) ? [text] : [],
  );
  const content = new Content();
  content.addReasoning(given.state.provider, nonEmpty(texts.join('\n\n')), nonEmpty(item.encrypted_content));
  addToAnswer({ content }, given);
}

function readCall(item: JsonObject, args: unknown, given: CodexGiven): void {
  const { call_id: callId, name } = item;
  if (nonEmpty(callId) === undefined || nonEmpty(name) === undefined) given.left.push('payload.name');
  else addCall({ callId, name, args, message: openAnswer(given) }, given);
}

/** The provider searched by itself: the program saw no result. */
function readSearch(item: JsonObject, given: CodexGiven): void {
  const callId = nonEmpty(item.id) ?? `search-${given.seq}`;
  addCall({ callId, name: 'web_search', args: item.action, message: openAnswer(given) }, given);
  addResult({ callId, status: 'ok', text: '' }, given);
}

function readOutput(item: JsonObject, given: CodexGiven): void {
  const callId = nonEmpty(item.call_id);
  if (callId === undefined) {
    given.left.push('payload.output');
    return;
  }
  given.state.isAnswerOpen = false;
  const read = readContent(typeof item.output === 'string' ? [] : item.output, given);
  const { content: text, isError, durationMs } = answerToCall(textIn(item.output) ?? read.text);
  addResult({ callId, status: isError ? 'error' : 'ok', text, content: read, durationMs }, given);
}

function readEvent(event: JsonObject, given: CodexGiven): void {
  const { state } = given;
  switch (event.type) {
    case 'task_started':
      rememberTask(state, event);
      break;
    case 'task_complete':
      endTask(event, given);
      break;
    case 'turn_aborted':
      state.isAnswerOpen = false;
      endTurn(given, 'cancelled', durationOf(event));
      break;
    case 'error':
      state.isAnswerOpen = false;
      failTurn(failure(event.message), given);
      break;
    case 'thread_rolled_back':
      rollBack(countIn(event.num_turns) ?? 0, given);
      break;
    case 'token_count':
      readTokenCount(objectIn(event.info), given);
      break;
  }
}

function endTask(event: JsonObject, given: CodexGiven): void {
  given.state.isAnswerOpen = false;
  const error = objectIn(event.error);
  if (error === undefined) endTurn(given, 'completed', durationOf(event));
  else failTurn(failure(error.message), given, durationOf(event));
}

function failure(message: unknown): string {
  const text = textIn(message) ?? '';
  return textIn(objectIn(parseObject(text)?.error)?.message) ?? text;
}

function durationOf({ duration_ms }: JsonObject): { durationMs?: number } {
  return defined({ durationMs: countIn(duration_ms) });
}

function rollBack(turns: number, given: CodexGiven): void {
  const head = takeBackTurns(given.state, turns);
  if (head === undefined) return;
  given.state.isAnswerOpen = false;
  endTurn(given, 'cancelled');
  moveTo(head, 'undo', given);
}

/** Repeats what was stated before whenever a limit changes, and comes before or after the items of its answer. */
function readTokenCount(info: JsonObject | undefined, given: CodexGiven): void {
  const { state } = given;
  const total = countIn(objectIn(info?.total_token_usage)?.total_tokens);
  if (total === undefined || total === state.total) return;
  state.total = total;
  if (!state.hasUsageOfAnswers) reportUsage(objectIn(info?.last_token_usage), given);
}

/** Input includes cached tokens, output includes reasoning. Usage that a fork copied counts in its original session. */
function reportUsage(usage: JsonObject | undefined, given: CodexGiven): void {
  const { state } = given;
  const inputTokens = countIn(usage?.input_tokens);
  const outputTokens = countIn(usage?.output_tokens);
  if (usage === undefined || inputTokens === undefined || outputTokens === undefined) return;
  state.inputTokens = inputTokens;
  state.measured = state.measured < state.answer ? state.answer : state.answer + 1;
  if (state.forkedAt > 0) return;
  const { cached_input_tokens: cachedTokens, cache_write_input_tokens, reasoning_output_tokens } = usage;
  const cache = { cachedTokens, cacheWriteTokens: cache_write_input_tokens };
  const used = { inputTokens, outputTokens, ...cache, reasoningTokens: reasoning_output_tokens };
  addUsage(used, { message: answerId(state.measured) }, given);
}

/** The messages that stay replace everything before; older versions have only a summary. */
function readCompaction(payload: JsonObject, given: CodexGiven): void {
  const { state, seq } = given;
  if (seq < 2) return;
  const messages = objectsIn(payload.replacement_history).flatMap((item): ReplacingMessage[] => {
    if (item.type !== 'message') {
      given.left.push(`payload.replacement_history[${textIn(item.type) ?? ''}]`);
      return [];
    }
    if (item.role !== 'user' && item.role !== 'assistant') return [];
    const { parts } = readContent(item.content, given, { hasPictures: false });
    return parts.length === 0 ? [] : [{ role: item.role, parts }];
  });
  const compaction = { messages, summary: textIn(payload.message), tokensBefore: state.inputTokens };
  if (addCompaction(compaction, given)) state.isAnswerOpen = false;
}

function readContent(list: unknown, given: CodexGiven, { hasPictures = true } = {}): Content {
  const content = new Content();
  if (typeof list === 'string') content.addText(list);
  const blocks = objectsIn(list);
  const isPictured = blocks.some(({ type }) => type === 'input_image');
  for (const block of blocks) {
    const text = textIn(block.text) ?? textIn(block.refusal);
    if (block.type === 'input_image') {
      const isRead = hasPictures && content.addImage(imageOfUrl(block.image_url));
      if (!isRead) given.left.push('payload.content[input_image]');
    } else if (text === undefined) {
      given.left.push(`payload.content[${textIn(block.type) ?? ''}]`);
    } else if (!(isPictured && isPictureWrapper(text))) {
      content.addText(text);
    }
  }
  return content;
}

/** The typed text in a message of the user's role; undefined if a program wrote all of it. */
export function promptOf(item: JsonObject): string | undefined {
  const texts =
    typeof item.content === 'string' ? [item.content] : objectsIn(item.content).map(({ text }) => textIn(text));
  const typed = texts.filter((text) => saysSomething(text) && !isInjected(text) && !isPictureWrapper(text));
  return typed.length === 0 ? undefined : typed.map((text) => typedOf(text as string)).join('\n');
}
