// What a record of Gemini CLI says in events. A message comes whole, with its calls and their results, and is written
// again when there is more of it: what is new is said then. The program sets the whole list of messages at times; what
// is known of it is not said again, and a list that got shorter counts when the program goes on with it.
import type { EventData } from '../../events/index.ts';
import type { ImagePart, Part, ReplacingMessage } from '../../messages/index.ts';
import type { Attachment, JsonObject, Translation } from '../agent.ts';
import { imageOf } from '../attachments.ts';
import { Given as GivenIn } from '../given.ts';
import { argumentsIn, countIn, nonEmpty, objectIn, objectsIn, saysSomething, shortened, textIn } from '../members.ts';
import { directoryIn, isCancellation, isOfResults, textsOf, typedOf } from './injected.ts';
import { absolute } from './places.ts';
import { digestOf, forgetFrom, type GeminiState, type Known, knownOf, markOpen, remember } from './state.ts';

export const PROVIDER = 'gemini';
/** About so many characters make a token. */
const CHARACTERS_PER_TOKEN = 4;
const MAX_NAME = 500;

type Given = GivenIn<GeminiState>;

export function translate(record: JsonObject, state: GeminiState, { seq }: { readonly seq: number }): Translation {
  const given = new GivenIn(state, seq);
  const changes = objectIn(record.$set);
  const rewindTo = nonEmpty(record.$rewindTo);
  if (changes !== undefined) readChanges(changes, given);
  else if (rewindTo !== undefined) rewind(rewindTo, given);
  else if (isMessage(record)) readMessage(record, given);
  else readHeader(record, given);
  const at = textIn(record.timestamp) ?? textIn(changes?.lastUpdated) ?? textIn(record.startTime);
  return { record: nonEmpty(record.id), at, events: given.events, left: given.left };
}

export function isMessage({ type }: JsonObject): boolean {
  return typeof type === 'string';
}

function readHeader({ directories, summary }: JsonObject, given: Given): void {
  const [first] = Array.isArray(directories) ? directories : [];
  rememberDirectory(textIn(first), given.state);
  readTitle(summary, given);
}

function rememberDirectory(path: string | undefined, state: GeminiState): void {
  if (state.cwd === '') state.cwd = absolute(path) ?? '';
}

function readTitle(summary: unknown, given: Given): void {
  const title = nonEmpty(summary);
  if (!saysSomething(title) || title === given.state.title) return;
  given.state.title = shortened(title, MAX_NAME);
  // Before the first event it becomes the title that the session begins with.
  if (given.seq > 1) given.add({ type: 'session.titled', data: { title: given.state.title, by: 'derived' } });
}

function readChanges(changes: JsonObject, given: Given): void {
  readTitle(changes.summary, given);
  if (Array.isArray(changes.messages)) readList(objectsIn(changes.messages), given);
}

/** Messages that are known are not said again; a list that only got shorter may be set for a moment. */
function readList(list: readonly JsonObject[], given: Given): void {
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
      if (at !== undefined) for (const { data } of given.events.slice(first)) data.at = at;
    }
  } else if (messages.length > 0 && known.at(-1) === undefined) {
    replaceAll(messages, given);
  } else {
    state.shortened = next.before;
  }
}

/** Other messages in the place of those that were there: what a compaction leaves. */
function replaceAll(list: readonly JsonObject[], given: Given): void {
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
  const data: EventData<'compaction.completed'> = {
    strategy: 'summarize',
    covers: { from: 1, to: seq - 1 },
    keptFrom: seq,
    messages,
    tokensBefore: state.inputTokens,
    tokensAfter: Math.ceil(JSON.stringify(messages).length / CHARACTERS_PER_TOKEN),
    by: 'auto',
  };
  given.add({ type: 'compaction.completed', data });
  for (const { id, content } of list) {
    if (typeof id === 'string') remember(state, id, seq).digest = digestOf(textsOf(content).join('\n'));
  }
}

function rewind(id: string, given: Given): void {
  const head = forgetFrom(given.state, id);
  given.state.shortened = undefined;
  if (head !== undefined) moveTo(head, given);
}

function moveTo(head: number, given: Given): void {
  endTurn(given, given.state.isAnswered ? 'completed' : 'cancelled');
  given.add({ type: 'branch.moved', data: { head, reason: 'undo' } });
}

function readMessage(message: JsonObject, given: Given): void {
  const { state } = given;
  const id = nonEmpty(message.id) ?? '';
  if (message.type === 'user' && isOfResults(message.content)) return;
  const before = state.shortened;
  if (before !== undefined && knownOf(state, id) === undefined) {
    state.shortened = undefined;
    state.messages = state.messages.filter((known) => known.before < before);
    moveTo(before, given);
  }
  switch (message.type) {
    case 'user':
      readPrompt(message, id, given);
      break;
    case 'gemini':
      readAnswer(message, id, given);
      break;
    case 'error':
      failTurn(message, given);
      break;
    case 'info':
      if (isCancellation(message)) endTurn(given, 'cancelled');
      break;
  }
}

function readPrompt(message: JsonObject, id: string, given: Given): void {
  const { state } = given;
  const { parts, attachments } = readContent(message.content, given);
  if (parts.length === 0) return;
  const texts = textsOf(message.content);
  for (const text of texts) rememberDirectory(directoryIn(text), state);
  const digest = digestOf(texts.join('\n'));
  const known = knownOf(state, id);
  if (known !== undefined) {
    if (known.digest !== digest) replaceMessage(known, digest, id, parts, given);
    return;
  }
  const input = typedOf(message) ?? (texts.length === 0 ? '' : undefined);
  const own = remember(state, id, given.seq - 1);
  own.digest = digest;
  if (input !== undefined) beginTurn(input, given);
  given.add({
    type: 'message.added',
    data: {
      role: 'user',
      parts,
      trusted: false,
      ...(input === undefined ? { synthetic: true as const } : {}),
      ...ofMessage(id),
    },
    attachments,
  });
}

function ofMessage(id: string): { message?: string } {
  return id === '' ? {} : { message: shortened(id, MAX_NAME) };
}

function replaceMessage(known: Known, digest: string, id: string, parts: Part[], given: Given): void {
  known.digest = digest;
  given.add({ type: 'message.replaced', data: { message: shortened(id, MAX_NAME), parts } });
}

function beginTurn(input: string, given: Given): void {
  const { state } = given;
  endTurn(given, state.isAnswered ? 'completed' : 'interrupted');
  state.turn += 1;
  state.isTurnOpen = true;
  state.isAnswered = false;
  state.steps = 0;
  given.add({ type: 'turn.started', data: { input } });
}

function endTurn(
  given: Given,
  status: EventData<'turn.ended'>['status'],
  more: Pick<EventData<'turn.ended'>, 'error'> = {},
): void {
  const { state } = given;
  if (!state.isTurnOpen) return;
  state.isTurnOpen = false;
  given.add({ type: 'turn.ended', data: { status, steps: state.steps, ...more } });
}

function failTurn({ content }: JsonObject, given: Given): void {
  endTurn(given, 'failed', { error: { code: 'PROVIDER_FAILED', message: textsOf(content).join('\n') } });
}

function readAnswer(message: JsonObject, id: string, given: Given): void {
  const { state } = given;
  const texts = textsOf(message.content);
  const digest = digestOf(texts.join('\n'));
  let known = knownOf(state, id);
  const { parts, attachments } = readContent(message.content, given);
  if (known === undefined) {
    known = remember(state, id, given.seq - 1);
    known.digest = digest;
    addAnswer(message, id, { parts: [...thoughtsOf(message), ...parts], attachments }, given);
  } else if (known.digest !== digest && parts.length > 0) {
    replaceMessage(known, digest, id, [...thoughtsOf(message), ...parts], given);
  }
  const calls = objectsIn(message.toolCalls);
  for (const [index, call] of calls.entries()) readCall(call, index, { known, id }, given);
  if (calls.length > 0) state.isAnswered = false;
}

interface Answer {
  readonly parts: Part[];
  readonly attachments: readonly Attachment[] | undefined;
}

function addAnswer(message: JsonObject, id: string, { parts, attachments }: Answer, given: Given): void {
  const { state } = given;
  const model = nonEmpty(message.model);
  if (model !== undefined && model !== state.model) {
    state.model = shortened(model, MAX_NAME);
    given.add({ type: 'model.changed', data: { provider: PROVIDER, model: state.model } });
  }
  state.steps += 1;
  state.isAnswered = parts.some(({ type }) => type === 'text');
  if (parts.length > 0) {
    given.add({
      type: 'message.added',
      data: {
        role: 'assistant',
        parts,
        trusted: false,
        provider: PROVIDER,
        ...(model === undefined ? {} : { model }),
        ...ofMessage(id),
      },
      attachments,
    });
  }
  reportUsage(objectIn(message.tokens), id, given);
}

function thoughtsOf({ thoughts }: JsonObject): Part[] {
  return objectsIn(thoughts).flatMap((thought): Part[] => {
    const subject = nonEmpty(thought.subject);
    const description = nonEmpty(thought.description);
    const text = [subject === undefined ? undefined : `**${subject}**`, description].filter(saysSomething).join('\n\n');
    return text === '' ? [] : [{ type: 'reasoning', text, provider: PROVIDER }];
  });
}

/** Counted for each request. What the model thought and what tools put into the request are counted beside it. */
function reportUsage(tokens: JsonObject | undefined, id: string, given: Given): void {
  const { state } = given;
  const input = countIn(tokens?.input);
  const output = countIn(tokens?.output);
  if (input === undefined || output === undefined) return;
  const thoughts = countIn(tokens?.thoughts) ?? 0;
  const cachedTokens = countIn(tokens?.cached) ?? 0;
  state.inputTokens = input + (countIn(tokens?.tool) ?? 0);
  given.add({
    type: 'usage.reported',
    data: {
      inputTokens: state.inputTokens,
      outputTokens: output + thoughts,
      ...(cachedTokens === 0 ? {} : { cachedTokens }),
      ...(thoughts === 0 ? {} : { reasoningTokens: thoughts }),
      source: 'provider',
      model: state.model,
      provider: PROVIDER,
      ...ofMessage(id),
    },
  });
}

const STATUSES: Readonly<Record<string, EventData<'tool.finished'>['status']>> = {
  success: 'ok',
  error: 'error',
  cancelled: 'cancelled',
};

interface CallOf {
  readonly known: Known;
  /** Of the message. */
  readonly id: string;
}

function readCall(call: JsonObject, index: number, { known, id }: CallOf, given: Given): void {
  const callId = nonEmpty(call.id);
  const name = nonEmpty(call.name);
  if (callId === undefined || name === undefined) {
    given.left.push('toolCalls.id');
    return;
  }
  const isNew = index >= known.calls;
  if (isNew) {
    known.calls = index + 1;
    given.add({ type: 'tool.requested', data: { callId, name, args: argumentsIn(call.args), ...ofMessage(id) } });
  }
  const status = STATUSES[textIn(call.status) ?? ''];
  if (status === undefined) {
    if (isNew) markOpen(known, index);
  } else if (isNew || known.open.includes(index)) {
    known.open = known.open.filter((open) => open !== index);
    finishCall(call, { callId, status }, given);
  }
}

function finishCall(
  call: JsonObject,
  { callId, status }: { readonly callId: string; readonly status: EventData<'tool.finished'>['status'] },
  given: Given,
): void {
  const texts: string[] = [];
  const images: ImagePart[] = [];
  const attachments: Attachment[] = [];
  for (const part of objectsIn(call.result)) {
    const { output, error, ...more } = objectIn(objectIn(part.functionResponse)?.response) ?? {};
    const said = textIn(output) ?? textIn(error) ?? textIn(part.text);
    if (said !== undefined) texts.push(said);
    else if (output !== undefined || Object.keys(more).length > 0) texts.push(JSON.stringify(output ?? more));
    const inline = objectIn(part.inlineData);
    const image = imageOf(inline?.mimeType, inline?.data);
    if (image !== undefined) {
      images.push(image.part);
      attachments.push(image.attachment);
    } else if (inline !== undefined) given.left.push('toolCalls.result[inlineData]');
  }
  const llmContent = texts.join('\n');
  const shown = nonEmpty(call.resultDisplay);
  if (objectIn(call.resultDisplay) !== undefined) given.left.push('toolCalls.resultDisplay');
  const returnDisplay = shown === undefined || shown === llmContent ? {} : { returnDisplay: shown };
  const result = { llmContent, ...returnDisplay, ...(images.length === 0 ? {} : { images }) };
  given.add({
    type: 'tool.finished',
    data: { callId, status, result, trusted: false },
    attachments: attachments.length === 0 ? undefined : attachments,
  });
}

interface Content {
  readonly parts: Part[];
  readonly attachments: readonly Attachment[] | undefined;
}

/** Calls and results among the parts are those of `toolCalls`. */
function readContent(content: unknown, given: Given): Content {
  const parts: Part[] = [];
  const attachments: Attachment[] = [];
  for (const block of typeof content === 'string' ? [{ text: content }] : objectsIn(content)) {
    const text = textIn(block.text);
    const inline = objectIn(block.inlineData);
    const image = imageOf(inline?.mimeType, inline?.data);
    if (image !== undefined) {
      parts.push(image.part);
      attachments.push(image.attachment);
    } else if (saysSomething(text) && block.thought !== true) {
      parts.push({ type: 'text', text });
    } else if (text === undefined && block.functionResponse === undefined && block.functionCall === undefined) {
      given.left.push(`content[${Object.keys(block)[0] ?? ''}]`);
    }
  }
  return { parts, attachments: attachments.length === 0 ? undefined : attachments };
}

/** What the user typed first in one of these messages. */
export function promptOf(message: JsonObject): string | undefined {
  return message.type === 'user' ? typedOf(message) : undefined;
}
