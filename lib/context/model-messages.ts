// Steps as messages for a model. User and assistant take turns, every call is followed by its result, and text from
// outside is delimited. A missing result is reported as missing: a model cannot continue without one.
import type { Part } from '../messages/index.ts';
import { delimit, joined, ownText, type RequestText, textOf } from '../messages/untrusted.ts';
import type { ViewCall, ViewItem, ViewMessage, ViewResult, ViewRetrieval } from '../projections/view.ts';
import type { HistoryForm } from '../providers/refused-history.ts';
import type { RequestMessage, RequestPart, RequestResult } from './assembled.ts';
import { inForm } from './history-form.ts';
import type { ContextNote } from './placed.ts';
import type { ViewStep } from './steps.ts';

/** The text of a result where a tool returned none. */
const WITHOUT_OUTPUT: Readonly<Record<ViewResult['status'] | 'missing', string>> = {
  ok: 'The call succeeded and has no output.',
  error: 'The call failed and said nothing about it.',
  denied: 'The call was not allowed and did not run.',
  timeout: 'The call took too long and was stopped.',
  cancelled: 'The user stopped the call.',
  unknown: 'The program ended while the call ran. Whether it had an effect is not known.',
  missing: 'No result of this call was recorded. Whether it ran is not known.',
};

const EMPTY_QUESTION = ownText('[an empty message]');

interface MessageOptions {
  /** The provider that reads the messages: reasoning of another one is left out. */
  readonly provider: string;
  /** What changed in the context, between the steps. */
  readonly notes?: readonly ContextNote[] | undefined;
  /** Default: as they came. */
  readonly form?: HistoryForm | undefined;
}

export function modelMessages(
  steps: readonly ViewStep[],
  { provider, notes = [], form = {} }: MessageOptions,
): readonly RequestMessage[] {
  const messages: RequestMessage[] = [];
  const noteBefore = new Map(notes.map((note) => [note.before, note.messages]));
  const newest = steps.findLastIndex(({ startsTurn }) => startsTurn);
  for (const [index, { items }] of steps.entries()) {
    const before = items[0]?.seq;
    messages.push(...(noteBefore.get(before) ?? []));
    // Messages that a compaction put in place of others are of one event.
    noteBefore.delete(before);
    const place = { isEarlier: index < newest, provider };
    for (const message of stepMessages(items, provider)) push(messages, inForm(message, form, place));
  }
  // A question has to come last, also where it says nothing.
  if (steps.at(-1)?.startsTurn && messages.at(-1)?.role !== 'user') push(messages, userSays(EMPTY_QUESTION));
  messages.push(...(noteBefore.get(undefined) ?? []));
  return messages;
}

/** The text of a result as the model gets it. */
function resultText({ name, result }: ViewCall): RequestText {
  if (result === undefined) return ownText(WITHOUT_OUTPUT.missing);
  if (result.binary) return ownText(`The output is binary: ${Math.floor((result.content.length * 3) / 4)} bytes.`);
  if (result.content === '') return ownText(WITHOUT_OUTPUT[result.status]);
  return delimit(result.content, { what: `output of ${name}` });
}

/** The text of a retrieval as the model gets it. */
function retrievalText({ query, chunks }: ViewRetrieval): RequestText {
  const found = chunks.map(({ source, text }) => delimit(text, { what: `found in ${source}` }));
  return joined([ownText(`Found for ${JSON.stringify(query)}:`), ...found]);
}

function stepMessages(items: readonly ViewItem[], provider: string): readonly RequestMessage[] {
  const calls = items.filter((item) => item.kind === 'call');
  const [first] = items;
  switch (first?.kind) {
    case undefined:
      return [];
    case 'retrieval':
      return [{ role: 'user', parts: [{ type: 'text', text: retrievalText(first), isQuoted: true }] }];
    case 'message':
      if (first.role !== 'assistant') return [{ role: 'user', parts: userParts(first) }];
      return [answer(ownParts(first, provider), calls), ...results(calls)];
    case 'call':
      return [answer([], calls), ...results(calls)];
  }
}

function userSays(text: RequestText): RequestMessage {
  return { role: 'user', parts: [{ type: 'text', text }] };
}

/** Providers refuse text of only white space, and every later request would include it. */
function isBlank(part: Part): boolean {
  return part.type === 'text' && part.text.trim() === '';
}

/** Two messages of one role in a row become one, and an empty one none. */
function push(messages: RequestMessage[], message: RequestMessage): void {
  if (message.role === 'user' && message.parts.length === 0) return;
  if (message.role === 'assistant' && message.parts.length === 0 && message.toolCalls.length === 0) return;
  const last = messages.at(-1);
  if (message.role === 'user' && last?.role === 'user') {
    messages[messages.length - 1] = { role: 'user', parts: [...last.parts, ...message.parts] };
  } else if (message.role === 'assistant' && last?.role === 'assistant' && last.toolCalls.length === 0) {
    messages[messages.length - 1] = { ...message, parts: [...last.parts, ...message.parts] };
  } else messages.push(message);
}

function answer(parts: AssistantParts, calls: readonly ViewCall[]): RequestMessage {
  return { role: 'assistant', parts, toolCalls: calls.map(({ callId, name, args }) => ({ callId, name, args })) };
}

function results(calls: readonly ViewCall[]): readonly RequestMessage[] {
  return calls.length === 0 ? [] : [{ role: 'tool', results: calls.map(resultOf) }];
}

function resultOf(call: ViewCall): RequestResult {
  const { callId, name, result } = call;
  const images = result?.images ?? [];
  const content = resultText(call);
  return { callId, name, content, isError: result?.status !== 'ok', ...(images.length === 0 ? {} : { images }) };
}

/**
 * A system message in the middle of a conversation reaches the model as a note: its system prompt stays unchanged.
 * Attached files are data. A file at the front is the message itself, if that was too long for a line of the journal.
 */
function userParts({ role, parts, trusted }: ViewMessage): readonly RequestPart[] {
  return parts.flatMap((part, index) => {
    if (isBlank(part)) return [];
    if (part.type === 'file' && (index > 0 || !trusted)) return { ...part, isQuoted: true };
    if (part.type !== 'text') return part;
    const text = trusted && role === 'system' ? `System note: ${part.text}` : part.text;
    return { ...part, text: textOf(text, { trusted, what: `${role} message` }) };
  });
}

type AssistantParts = Extract<RequestMessage, { role: 'assistant' }>['parts'];

/** The model's own parts are never delimited. */
function ownParts({ parts, provider: maker }: ViewMessage, provider: string): AssistantParts {
  return parts.flatMap((part): AssistantParts[number][] => {
    if (part.type === 'reasoning') return (part.provider ?? maker) === provider ? [part] : [];
    if (part.type !== 'text') return [part];
    return isBlank(part) ? [] : [{ ...part, text: ownText(part.text) }];
  });
}
