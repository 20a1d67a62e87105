// Translates records of Gemini CLI into events. A message comes whole, with its calls and their results, and is written
// again when there is more of it: then only the new part gives events. The program sets the whole list of messages at
// times; its known messages give no events again, and a shortened list counts when the program continues with it.
import type { EventData } from '../../events/index.ts';
import type { Part, ReplacingMessage } from '../../messages/index.ts';
import { changeModel, changeTitle } from '../about.ts';
import type { JsonObject, RecordFacts } from '../agent.ts';
import { imageOf } from '../attachments.ts';
import { addCompaction } from '../compaction.ts';
import { Content } from '../content.ts';
import {
  absolutePathIn,
  countIn,
  nonEmpty,
  objectIn,
  objectsIn,
  saysSomething,
  shortText,
  textIn,
} from '../members.ts';
import { addAnswer, addCall, addResult, addUserMessage } from '../said.ts';
import { beginTurn, endTurn, failTurn, moveTo } from '../turns.ts';
import { addUsage } from '../usage.ts';
import { directoryIn, isCancellation, isOfResults, textsOf, typedOf } from './injected.ts';
import {
  digestOf,
  forgetFrom,
  type GeminiGiven,
  type GeminiState,
  type Known,
  knownOf,
  markOpen,
  PROVIDER,
  remember,
} from './state.ts';

export function translate(record: JsonObject, given: GeminiGiven): RecordFacts {
  const changes = objectIn(record.$set);
  const rewindTo = nonEmpty(record.$rewindTo);
  if (changes !== undefined) readChanges(changes, given);
  else if (rewindTo !== undefined) rewind(rewindTo, given);
  else if (isMessage(record)) readMessage(record, given);
  else readHeader(record, given);
  const at = textIn(record.timestamp) ?? textIn(changes?.lastUpdated) ?? textIn(record.startTime);
  return { record: nonEmpty(record.id), at };
}

export function isMessage({ type }: JsonObject): boolean {
  return typeof type === 'string';
}

function readHeader({ directories, summary }: JsonObject, given: GeminiGiven): void {
  const [first] = Array.isArray(directories) ? directories : [];
  rememberDirectory(textIn(first), given.state);
  changeTitle(summary, 'derived', given);
}

function rememberDirectory(path: string | undefined, state: GeminiState): void {
  if (state.cwd === '') state.cwd = absolutePathIn(path) ?? '';
}

function readChanges(changes: JsonObject, given: GeminiGiven): void {
  changeTitle(changes.summary, 'derived', given);
  if (Array.isArray(changes.messages)) readList(objectsIn(changes.messages), given);
}

/** Messages that are known are not said again; a list that only got shorter may be set for a moment. */
function readList(list: readonly JsonObject[], given: GeminiGiven): void {
  const { state } = given;
  const messages = list.filter((message) => isMessage(message) && !isOfResults(message.content));
  const known = messages.map(({ id }) => knownOf(state, textIn(id) ?? ''));
  const lastKnown = known.findLast((one) => one !== undefined);
  const next = state.messages[lastKnown === undefined ? 0 : state.messages.indexOf(lastKnown) + 1];
  if (next === undefined) {
    state.shortened = undefined;
    for (const message of messages) {
      const first = given.events.length;
      readMessage(message, given);
      const at = textIn(message.timestamp);
      if (at !== undefined) for (const { data } of given.events.slice(first)) data.at ??= at;
    }
  } else if (messages.length > 0 && known.at(-1) === undefined) {
    replaceAll(messages, given);
  } else {
    state.shortened = next.before;
  }
}

/** Different messages in place of the earlier ones: the result of a compaction. */
function replaceAll(list: readonly JsonObject[], given: GeminiGiven): void {
  const { state, seq } = given;
  if (seq < 2) return;
  const messages = list.flatMap(({ type, content }): ReplacingMessage[] => {
    const parts = textsOf(content).map((text): Part => ({ type: 'text', text }));
    return parts.length === 0 || (type !== 'user' && type !== 'gemini')
      ? []
      : [{ role: type === 'user' ? 'user' : 'assistant', parts }];
  });
  if (messages.length === 0) return;
  state.shortened = undefined;
  state.messages = [];
  addCompaction({ messages, tokensBefore: state.inputTokens }, given);
  for (const { id, content } of list) {
    if (typeof id === 'string') remember(state, id, seq).digest = digestOf(textsOf(content).join('\n'));
  }
}

function rewind(id: string, given: GeminiGiven): void {
  const head = forgetFrom(given.state, id);
  given.state.shortened = undefined;
  if (head !== undefined) moveTo(head, 'undo', given);
}

function readMessage(message: JsonObject, given: GeminiGiven): void {
  const { state } = given;
  const id = nonEmpty(message.id) ?? '';
  if (message.type === 'user' && isOfResults(message.content)) return;
  const before = state.shortened;
  if (before !== undefined && knownOf(state, id) === undefined) {
    state.shortened = undefined;
    state.messages = state.messages.filter((known) => known.before < before);
    moveTo(before, 'undo', given);
  }
  switch (message.type) {
    case 'user':
      readPrompt(message, id, given);
      break;
    case 'gemini':
      readAnswer(message, id, given);
      break;
    case 'error':
      failTurn(textsOf(message.content).join('\n'), given);
      break;
    case 'info':
      if (isCancellation(message)) endTurn(given, 'cancelled');
      break;
  }
}

function readPrompt(message: JsonObject, id: string, given: GeminiGiven): void {
  const { state } = given;
  const content = readContent(message.content, given);
  if (content.parts.length === 0) return;
  const texts = textsOf(message.content);
  for (const text of texts) rememberDirectory(directoryIn(text), state);
  const digest = digestOf(texts.join('\n'));
  const known = knownOf(state, id);
  if (known !== undefined) {
    if (known.digest === digest) return;
    known.digest = digest;
    if (known.isSaid) replaceMessage(id, content, given);
    else {
      known.isSaid = true;
      addUserMessage({ content, isSynthetic: typedOf(message) === undefined, message: shortText(id) }, given);
    }
    return;
  }
  const input = typedOf(message) ?? (texts.length === 0 ? '' : undefined);
  const own = remember(state, id, given.seq - 1);
  own.digest = digest;
  own.isSaid = true;
  if (input !== undefined) beginTurn(input, given);
  addUserMessage({ content, isSynthetic: input === undefined, message: shortText(id) }, given);
}

function replaceMessage(id: string, { parts }: Content, given: GeminiGiven): void {
  given.add({ type: 'message.replaced', data: { message: shortText(id) ?? '', parts } });
}

/** An answer may come first without its text, or without its usage: the new part gives events later. */
function readAnswer(message: JsonObject, id: string, given: GeminiGiven): void {
  const { state } = given;
  const digest = digestOf(textsOf(message.content).join('\n'));
  let known = knownOf(state, id);
  if (known === undefined) {
    known = remember(state, id, given.seq - 1);
    changeModel(PROVIDER, message.model, given);
    state.steps += 1;
    state.isAnswered = false;
  }
  const content = thoughtsOf(message);
  const thoughts = content.parts.length;
  readContent(message.content, given, content);
  const hasNews = known.digest !== digest && content.parts.length > thoughts;
  if (!known.isSaid) addFirst(known, { content, id, message }, given);
  else if (hasNews) replaceMessage(id, content, given);
  if (hasNews) state.isAnswered = content.parts.some(({ type }) => type === 'text');
  known.digest = digest;
  if (!known.isCounted) known.isCounted = reportUsage(objectIn(message.tokens), id, given);
  const calls = objectsIn(message.toolCalls);
  for (const [index, call] of calls.entries()) readCall(call, index, { known, id }, given);
  if (calls.length > 0) state.isAnswered = false;
}

function addFirst(
  known: Known,
  { content, id, message }: { readonly content: Content; readonly id: string; readonly message: JsonObject },
  given: GeminiGiven,
): void {
  if (content.parts.length === 0) return;
  known.isSaid = true;
  changeModel(PROVIDER, message.model, given);
  addAnswer({ content, message: shortText(id) }, given);
}

function thoughtsOf({ thoughts }: JsonObject): Content {
  const content = new Content();
  for (const thought of objectsIn(thoughts)) {
    const subject = nonEmpty(thought.subject);
    const description = nonEmpty(thought.description);
    const text = [subject === undefined ? undefined : `**${subject}**`, description].filter(saysSomething).join('\n\n');
    content.addReasoning(PROVIDER, nonEmpty(text));
  }
  return content;
}

/**
 * Counted for each request. Tokens of thoughts and of tool definitions are counted separately. Returns whether the
 * record states it.
 */
function reportUsage(tokens: JsonObject | undefined, id: string, given: GeminiGiven): boolean {
  const { state } = given;
  const input = countIn(tokens?.input);
  const output = countIn(tokens?.output);
  if (input === undefined || output === undefined) return false;
  const reasoningTokens = countIn(tokens?.thoughts) ?? 0;
  const cachedTokens = countIn(tokens?.cached);
  state.inputTokens = input + (countIn(tokens?.tool) ?? 0);
  const used = {
    inputTokens: state.inputTokens,
    outputTokens: output + reasoningTokens,
    cachedTokens,
    reasoningTokens,
  };
  addUsage(used, { message: shortText(id) }, given);
  return true;
}

const STATUSES: Readonly<Record<string, EventData<'tool.finished'>['status']>> = {
  success: 'ok',
  error: 'error',
  cancelled: 'cancelled',
};

interface CallOf {
  readonly known: Known;
  /** The id of the message. */
  readonly id: string;
}

function readCall(call: JsonObject, index: number, { known, id }: CallOf, given: GeminiGiven): void {
  const { id: callId, name, args } = call;
  if (nonEmpty(callId) === undefined || nonEmpty(name) === undefined) {
    given.left.push('toolCalls.id');
    return;
  }
  const isNew = index >= known.calls;
  if (isNew) {
    known.calls = index + 1;
    addCall({ callId, name, args, message: shortText(id) }, given);
  }
  const status = STATUSES[textIn(call.status) ?? ''];
  if (status === undefined) {
    if (isNew) markOpen(known, index);
  } else if (isNew || known.open.includes(index)) {
    known.open = known.open.filter((open) => open !== index);
    finishCall(call, status, given);
  }
}

function finishCall(call: JsonObject, status: EventData<'tool.finished'>['status'], given: GeminiGiven): void {
  const texts: string[] = [];
  const content = new Content();
  for (const part of objectsIn(call.result)) {
    const { output, error, ...more } = objectIn(objectIn(part.functionResponse)?.response) ?? {};
    const said = textIn(output) ?? textIn(error) ?? textIn(part.text);
    if (said !== undefined) texts.push(said);
    else if (output !== undefined || Object.keys(more).length > 0) texts.push(JSON.stringify(output ?? more));
    const inline = objectIn(part.inlineData);
    const isRead = content.addImage(imageOf(inline?.mimeType, inline?.data));
    if (inline !== undefined && !isRead) given.left.push('toolCalls.result[inlineData]');
  }
  if (objectIn(call.resultDisplay) !== undefined) given.left.push('toolCalls.resultDisplay');
  const shown = nonEmpty(call.resultDisplay);
  const at = nonEmpty(call.timestamp);
  addResult({ callId: nonEmpty(call.id) ?? '', status, text: texts.join('\n'), content, shown, at }, given);
}

/** Calls and results among the parts are those of `toolCalls`. */
function readContent(list: unknown, given: GeminiGiven, content = new Content()): Content {
  for (const block of typeof list === 'string' ? [{ text: list }] : objectsIn(list)) {
    const text = textIn(block.text);
    const inline = objectIn(block.inlineData);
    if (content.addImage(imageOf(inline?.mimeType, inline?.data))) continue;
    if (text !== undefined) content.addText(block.thought === true ? undefined : text);
    else if (block.functionResponse === undefined && block.functionCall === undefined) {
      given.left.push(`content[${Object.keys(block)[0] ?? ''}]`);
    }
  }
  return content;
}

/** The first typed text in one of these messages. */
export function promptOf(message: JsonObject): string | undefined {
  return message.type === 'user' ? typedOf(message) : undefined;
}
