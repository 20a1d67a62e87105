// What a record of pi says in events. A session is a tree in one file: an entry names the one that it follows, and the
// program goes on from the last line. Files of 2025 have no ids: each of their entries follows the one before.
import type { EventData } from '../../events/index.ts';
import type { ImagePart, Part } from '../../messages/index.ts';
import type { Attachment, JsonObject, Translation } from '../agent.ts';
import { imageOf } from '../attachments.ts';
import { Given as GivenIn } from '../given.ts';
import {
  amountIn,
  argumentsIn,
  countIn,
  nonEmpty,
  objectIn,
  objectsIn,
  saysSomething,
  shortened,
  textIn,
} from '../members.ts';
import { firstSeqOf, headAt, rememberRecord } from '../record-tree.ts';
import type { PiState } from './state.ts';

/** About so many characters make a token. */
const CHARACTERS_PER_TOKEN = 4;
const MAX_TEXT = 1000;

type Given = GivenIn<PiState>;

export function translate(record: JsonObject, state: PiState, { seq }: { readonly seq: number }): Translation {
  const given = new GivenIn(state, seq);
  const id = nonEmpty(record.id);
  const parent = nonEmpty(record.parentId);
  const head = parent === undefined ? undefined : headAt(state.entries, parent);
  // A record that leaves the conversation as it is, such as a label, does not move the branch.
  if (head !== undefined && saysSomethingNew(record)) moveTo(head, given);
  const first = given.seq;
  read(record, given);
  if (id !== undefined && record.type !== 'session') {
    // An entry without events is where its parent is.
    const last = given.seq > first ? given.seq - 1 : (head ?? first - 1);
    rememberRecord(state.entries, id, first, last);
  }
  return { record: id, at: textIn(record.timestamp), events: given.events, left: given.left };
}

function saysSomethingNew({ type }: JsonObject): boolean {
  return type === 'message' || type === 'compaction' || type === 'branch_summary' || type === 'custom_message';
}

function moveTo(head: number, given: Given): void {
  endTurn(given, 'cancelled');
  given.add({ type: 'branch.moved', data: { head, reason: 'branch' } });
}

function read(record: JsonObject, given: Given): void {
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
      addInjected([{ type: 'text', text: textIn(record.summary) ?? '' }], given);
      break;
    case 'custom_message':
      addInjected(readContent(record.content, given).parts, given);
      break;
    case 'session_info':
      readTitle(record.name, given);
      break;
  }
}

function readHeader({ cwd }: JsonObject, state: PiState): void {
  state.cwd = shortened(textIn(cwd) ?? '', MAX_TEXT);
}

function changeModel(provider: unknown, model: unknown, given: Given): void {
  const { state } = given;
  const name = nonEmpty(model);
  const by = nonEmpty(provider) ?? state.provider;
  if (name === undefined || (name === state.model && by === state.provider)) return;
  state.model = shortened(name, MAX_TEXT);
  state.provider = shortened(by, MAX_TEXT);
  // Before the first event it is the model that the session begins with.
  if (given.seq > 1) given.add({ type: 'model.changed', data: { provider: state.provider, model: state.model } });
}

function readTitle(name: unknown, given: Given): void {
  const title = textIn(name);
  if (!saysSomething(title) || title === given.state.title) return;
  given.state.title = shortened(title, MAX_TEXT);
  if (given.seq > 1) given.add({ type: 'session.titled', data: { title: given.state.title, by: 'user' } });
}

function readMessage(message: JsonObject, id: string | undefined, given: Given): void {
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
      addInjected(
        [{ type: 'text', text: `$ ${textIn(message.command) ?? ''}\n${textIn(message.output) ?? ''}` }],
        given,
      );
      break;
    case 'custom':
      addInjected(readContent(message.content, given).parts, given);
      break;
    default:
      given.left.push('message.role');
  }
}

function addInjected(parts: Part[], given: Given): void {
  if (!parts.some((part) => part.type !== 'text' || saysSomething(part.text))) return;
  given.add({ type: 'message.added', data: { role: 'user', parts, trusted: false, synthetic: true } });
}

function readPrompt({ content }: JsonObject, given: Given): void {
  const { state } = given;
  const { parts, attachments } = readContent(content, given);
  if (parts.length === 0) return;
  // Nothing answered the prompt before: the program was ended, and goes on with this one.
  if (state.steps === 0) endTurn(given, 'interrupted');
  // What the user says while the program works is a part of the turn that runs.
  if (!state.isTurnOpen) {
    state.turn += 1;
    state.isTurnOpen = true;
    state.steps = 0;
    given.add({ type: 'turn.started', data: { input: textOf(parts) } });
  }
  given.add({ type: 'message.added', data: { role: 'user', parts, trusted: false }, attachments });
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

const FINISHES: Readonly<Record<string, EventData<'message.added'>['finish']>> = {
  stop: 'stop',
  length: 'length',
  toolUse: 'tool-calls',
  error: 'failed',
  aborted: 'cancelled',
};

function readAnswer(message: JsonObject, id: string | undefined, given: Given): void {
  const { state } = given;
  changeModel(message.provider, message.model, given);
  const { provider, model } = state;
  const ofMessage = id === undefined ? {} : { message: shortened(id, MAX_TEXT) };
  const finish = FINISHES[textIn(message.stopReason) ?? ''];
  state.steps += 1;
  const { parts, attachments } = readContent(message.content, given);
  if (parts.length > 0) {
    given.add({
      type: 'message.added',
      data: {
        role: 'assistant',
        parts,
        trusted: false,
        ...(provider === '' ? {} : { provider }),
        ...(model === '' ? {} : { model }),
        ...(finish === undefined ? {} : { finish }),
        ...ofMessage,
      },
      attachments,
    });
  }
  for (const block of objectsIn(message.content)) {
    if (block.type === 'toolCall') readCall(block, ofMessage, given);
  }
  reportUsage(objectIn(message.usage), ofMessage, given);
  if (finish === 'failed') {
    const error = { code: 'PROVIDER_FAILED', message: textIn(message.errorMessage) ?? '' };
    endTurn(given, 'failed', { error });
  } else if (finish === 'cancelled') endTurn(given, 'cancelled');
  else if (finish === 'stop' || finish === 'length') endTurn(given, 'completed');
}

function readCall({ id, name, arguments: args }: JsonObject, ofMessage: { message?: string }, given: Given): void {
  const callId = nonEmpty(id);
  const tool = nonEmpty(name);
  if (callId === undefined || tool === undefined) given.left.push('message.content[toolCall]');
  else given.add({ type: 'tool.requested', data: { callId, name: tool, args: argumentsIn(args), ...ofMessage } });
}

/** Input is what neither came from the cache nor went into it. */
function reportUsage(usage: JsonObject | undefined, ofMessage: { message?: string }, given: Given): void {
  const input = countIn(usage?.input);
  const outputTokens = countIn(usage?.output);
  if (usage === undefined || input === undefined || outputTokens === undefined) return;
  const cachedTokens = countIn(usage.cacheRead) ?? 0;
  const cacheWriteTokens = countIn(usage.cacheWrite) ?? 0;
  const cost = amountIn(objectIn(usage.cost)?.total) ?? 0;
  given.add({
    type: 'usage.reported',
    data: {
      inputTokens: input + cachedTokens + cacheWriteTokens,
      outputTokens,
      ...(cachedTokens === 0 ? {} : { cachedTokens }),
      ...(cacheWriteTokens === 0 ? {} : { cacheWriteTokens }),
      ...(cost > 0 ? { totalCost: cost } : {}),
      source: 'provider',
      model: given.state.model,
      provider: given.state.provider,
      ...ofMessage,
    },
  });
}

function readResult(message: JsonObject, given: Given): void {
  const callId = nonEmpty(message.toolCallId);
  if (callId === undefined) {
    given.left.push('message.content');
    return;
  }
  const { parts, attachments } = readContent(message.content, given);
  const images = parts.filter((part): part is ImagePart => part.type === 'image');
  given.add({
    type: 'tool.finished',
    data: {
      callId,
      status: message.isError === true ? 'error' : 'ok',
      result: { llmContent: textOf(parts), ...(images.length === 0 ? {} : { images }) },
      trusted: false,
    },
    attachments,
  });
}

/** Everything before the first kept entry is covered. */
function readCompaction(record: JsonObject, given: Given): void {
  const { state, seq } = given;
  const summary = textIn(record.summary) ?? '';
  if (summary === '' || seq < 2) return;
  const first = firstSeqOf(state.entries, nonEmpty(record.firstKeptEntryId) ?? '') ?? seq;
  const keptFrom = Math.min(seq, Math.max(state.keptFrom, first));
  const to = Math.max(1, keptFrom - 1);
  const tokensAfter = Math.ceil(summary.length / CHARACTERS_PER_TOKEN);
  given.add({
    type: 'compaction.completed',
    data: {
      strategy: 'summarize',
      covers: { from: Math.min(state.keptFrom, to), to },
      keptFrom,
      summary,
      tokensBefore: countIn(record.tokensBefore) ?? tokensAfter,
      tokensAfter,
      by: 'auto',
    },
  });
  state.keptFrom = keptFrom;
}

interface Content {
  readonly parts: Part[];
  readonly attachments: readonly Attachment[] | undefined;
}

/** Calls are not parts. */
function readContent(content: unknown, given: Given): Content {
  const parts: Part[] = [];
  const attachments: Attachment[] = [];
  for (const block of typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content)) {
    const image = block.type === 'image' ? imageOf(block.mimeType, block.data) : undefined;
    if (image !== undefined) {
      parts.push(image.part);
      attachments.push(image.attachment);
    } else if (block.type === 'text') {
      const text = textIn(block.text);
      if (saysSomething(text)) parts.push({ type: 'text', text });
    } else if (block.type === 'thinking') {
      addReasoning(block, parts, given);
    } else if (block.type !== 'toolCall') {
      given.left.push(`message.content[${textIn(block.type) ?? ''}]`);
    }
  }
  return { parts, attachments: attachments.length === 0 ? undefined : attachments };
}

function addReasoning({ thinking, thinkingSignature }: JsonObject, parts: Part[], { state }: Given): void {
  const text = nonEmpty(thinking);
  const opaque = nonEmpty(thinkingSignature);
  if (text === undefined && opaque === undefined) return;
  parts.push({
    type: 'reasoning',
    ...(text === undefined ? {} : { text }),
    ...(opaque === undefined ? {} : { opaque }),
    ...(state.provider === '' ? {} : { provider: state.provider }),
  });
}

export function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
