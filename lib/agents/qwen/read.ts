// What a record of Qwen Code says in events: each names the one that it follows, and holds a message in Gemini's form.
// What the program tells of a call (its decision and how long it took) comes before the result.
import type { EventData } from '../../events/index.ts';
import type { ImagePart, Part, ReplacingMessage } from '../../messages/index.ts';
import type { Attachment, JsonObject, Translation } from '../agent.ts';
import { imageOf } from '../attachments.ts';
import { Given as GivenIn } from '../given.ts';
import { argumentsIn, countIn, nonEmpty, objectIn, objectsIn, saysSomething, shortened, textIn } from '../members.ts';
import { headAt, rememberRecord } from '../record-tree.ts';
import { type QwenState, rememberDuration, takeDuration } from './state.ts';

export const PROVIDER = 'qwen';
/** About so many characters make a token. */
const CHARACTERS_PER_TOKEN = 4;
const MAX_NAME = 500;

type Given = GivenIn<QwenState>;

export function translate(record: JsonObject, state: QwenState, { seq }: { readonly seq: number }): Translation {
  const given = new GivenIn(state, seq);
  const id = nonEmpty(record.uuid);
  const parent = nonEmpty(record.parentUuid);
  const head = parent === undefined ? undefined : headAt(state.records, parent);
  if (head !== undefined && record.type !== 'system') moveTo(head, given);
  const first = given.seq;
  read(record, given);
  if (id !== undefined) {
    // A record without events is where the one is that it follows.
    const last = given.seq > first ? given.seq - 1 : (head ?? first - 1);
    rememberRecord(state.records, id, first, last);
  }
  return { record: id, at: textIn(record.timestamp), events: given.events, left: given.left };
}

function moveTo(head: number, given: Given): void {
  endTurn(given, given.state.isAnswered ? 'completed' : 'cancelled');
  given.add({ type: 'branch.moved', data: { head, reason: 'branch' } });
}

function read(record: JsonObject, given: Given): void {
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

function readPrompt(record: JsonObject, given: Given): void {
  const { parts, attachments } = readParts(partsOf(record), given);
  if (parts.length === 0) return;
  const isSynthetic = isInjected(record);
  if (!isSynthetic) beginTurn(textOf(parts), given);
  given.add({
    type: 'message.added',
    data: { role: 'user', parts, trusted: false, ...(isSynthetic ? { synthetic: true as const } : {}) },
    attachments,
  });
}

/** Older versions do not say where a prompt came from. */
export function isInjected({ provenance }: JsonObject): boolean {
  return typeof provenance === 'string' && provenance !== 'real_user';
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

function endTurn(given: Given, status: EventData<'turn.ended'>['status']): void {
  const { state } = given;
  if (!state.isTurnOpen) return;
  state.isTurnOpen = false;
  given.add({ type: 'turn.ended', data: { status, steps: state.steps } });
}

function readAnswer(record: JsonObject, given: Given): void {
  const { state } = given;
  const model = nonEmpty(record.model);
  if (model !== undefined && model !== state.model) {
    state.model = shortened(model, MAX_NAME);
    given.add({ type: 'model.changed', data: { provider: PROVIDER, model: state.model } });
  }
  const id = nonEmpty(record.uuid);
  const ofMessage = id === undefined ? {} : { message: shortened(id, MAX_NAME) };
  const blocks = partsOf(record);
  const { parts, attachments } = readParts(blocks, given);
  state.steps += 1;
  if (parts.length > 0) {
    given.add({
      type: 'message.added',
      data: {
        role: 'assistant',
        parts,
        trusted: false,
        provider: PROVIDER,
        ...(model === undefined ? {} : { model }),
        ...ofMessage,
      },
      attachments,
    });
  }
  const calls = objectsIn(blocks.map(({ functionCall }) => functionCall));
  for (const call of calls) readCall(call, ofMessage, given);
  const usage = objectIn(record.usageMetadata);
  // An answer that was interrupted is kept as far as it had come, without its usage.
  const isWhole = usage !== undefined || state.inputTokens === 0;
  state.isAnswered = isWhole && calls.length === 0 && parts.some(({ type }) => type === 'text');
  reportUsage(usage, ofMessage, given);
}

function readCall({ id, name, args }: JsonObject, ofMessage: { message?: string }, given: Given): void {
  const callId = nonEmpty(id);
  const tool = nonEmpty(name);
  if (callId === undefined || tool === undefined) given.left.push('message.parts[functionCall]');
  else given.add({ type: 'tool.requested', data: { callId, name: tool, args: argumentsIn(args), ...ofMessage } });
}

/** Candidates hold what was thought. */
function reportUsage(usage: JsonObject | undefined, ofMessage: { message?: string }, given: Given): void {
  const inputTokens = countIn(usage?.promptTokenCount);
  const outputTokens = countIn(usage?.candidatesTokenCount);
  if (inputTokens === undefined || outputTokens === undefined) return;
  const cachedTokens = countIn(usage?.cachedContentTokenCount) ?? 0;
  const reasoningTokens = countIn(usage?.thoughtsTokenCount) ?? 0;
  given.state.inputTokens = inputTokens;
  given.add({
    type: 'usage.reported',
    data: {
      inputTokens,
      outputTokens,
      ...(cachedTokens === 0 ? {} : { cachedTokens }),
      ...(reasoningTokens === 0 ? {} : { reasoningTokens }),
      source: 'provider',
      model: given.state.model,
      provider: PROVIDER,
      ...ofMessage,
    },
  });
}

const STATUSES: Readonly<Record<string, EventData<'tool.finished'>['status']>> = {
  success: 'ok',
  error: 'error',
  cancelled: 'cancelled',
};

function readResults(record: JsonObject, given: Given): void {
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
  given: Given,
): void {
  const { output, error, ...more } = objectIn(answer.response) ?? {};
  const said = textIn(output) ?? textIn(error);
  const rest = output ?? (Object.keys(more).length > 0 ? more : undefined);
  const llmContent = said ?? (rest === undefined ? '' : JSON.stringify(rest));
  const { parts, attachments } = readParts(objectsIn(answer.parts), given);
  const images = parts.filter((part): part is ImagePart => part.type === 'image');
  const shown = nonEmpty(about?.resultDisplay);
  if (objectIn(about?.resultDisplay) !== undefined) given.left.push('toolCallResult.resultDisplay');
  const durationMs = takeDuration(given.state, callId);
  given.add({
    type: 'tool.finished',
    data: {
      callId,
      status: STATUSES[textIn(about?.status) ?? ''] ?? (error === undefined ? 'ok' : 'error'),
      result: {
        llmContent,
        ...(shown === undefined || shown === llmContent ? {} : { returnDisplay: shown }),
        ...(images.length === 0 ? {} : { images }),
      },
      trusted: false,
      ...(durationMs === undefined ? {} : { durationMs }),
    },
    attachments,
  });
}

function readSystem(record: JsonObject, given: Given): void {
  const payload = objectIn(record.systemPayload) ?? {};
  switch (record.subtype) {
    case 'ui_telemetry':
      readTelemetry(objectIn(payload.uiEvent) ?? {}, given);
      break;
    case 'chat_compression':
      readCompression(payload, given);
      break;
    case 'custom_title':
      readTitle(payload.customTitle, given);
      break;
  }
}

/** What was decided of a call, and how long it took. The rest of it is said by other records. */
function readTelemetry(event: JsonObject, given: Given): void {
  const callId = nonEmpty(event.call_id);
  const { decision } = event;
  if (event['event.name'] !== 'qwen-code.tool_call' || callId === undefined) return;
  const durationMs = countIn(event.duration_ms);
  if (durationMs !== undefined) rememberDuration(given.state, shortened(callId, MAX_NAME), durationMs);
  if (typeof decision !== 'string') return;
  const isDenied = decision === 'reject';
  const by = decision === 'auto_accept' ? 'agent' : 'user';
  given.add({ type: 'tool.decided', data: { callId, decision: isDenied ? 'deny' : 'allow', by } });
}

/** Its messages replace everything before. */
function readCompression({ compressedHistory }: JsonObject, given: Given): void {
  const { state, seq } = given;
  const messages = objectsIn(compressedHistory).flatMap(({ role, parts }): ReplacingMessage[] => {
    const own = objectsIn(parts).flatMap(({ text, thought }): Part[] =>
      typeof text === 'string' && saysSomething(text) && thought !== true ? [{ type: 'text', text }] : [],
    );
    return own.length === 0 ? [] : [{ role: role === 'model' ? 'assistant' : 'user', parts: own }];
  });
  if (seq < 2 || messages.length === 0) return;
  given.add({
    type: 'compaction.completed',
    data: {
      strategy: 'summarize',
      covers: { from: 1, to: seq - 1 },
      keptFrom: seq,
      messages,
      tokensBefore: state.inputTokens,
      tokensAfter: Math.ceil(JSON.stringify(messages).length / CHARACTERS_PER_TOKEN),
      by: 'auto',
    },
  });
}

function readTitle(customTitle: unknown, given: Given): void {
  const title = textIn(customTitle);
  if (!saysSomething(title) || title === given.state.title) return;
  given.state.title = shortened(title, MAX_NAME);
  if (given.seq > 1) given.add({ type: 'session.titled', data: { title: given.state.title, by: 'user' } });
}

interface Content {
  readonly parts: Part[];
  readonly attachments: readonly Attachment[] | undefined;
}

function partsOf({ message }: JsonObject): readonly JsonObject[] {
  return objectsIn(objectIn(message)?.parts);
}

/** Calls and results are not parts. */
function readParts(blocks: readonly JsonObject[], given: Given): Content {
  const parts: Part[] = [];
  const attachments: Attachment[] = [];
  for (const block of blocks) {
    const text = textIn(block.text);
    const inline = objectIn(block.inlineData);
    const image = imageOf(inline?.mimeType, inline?.data);
    if (image !== undefined) {
      parts.push(image.part);
      attachments.push(image.attachment);
    } else if (saysSomething(text)) {
      parts.push(block.thought === true ? { type: 'reasoning', text, provider: PROVIDER } : { type: 'text', text });
    } else if (text === undefined && block.functionCall === undefined && block.functionResponse === undefined) {
      given.left.push(`message.parts[${Object.keys(block)[0] ?? ''}]`);
    }
  }
  return { parts, attachments: attachments.length === 0 ? undefined : attachments };
}

export function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
