// Steps as messages for a model. User and assistant take turns, every call is followed by its result, and what came from
// outside is delimited. A result that is missing is said to be missing: a model that was not answered cannot go on.
import type { Part } from '../messages/index.ts';
import { delimit } from '../messages/untrusted.ts';
import type { ViewCall, ViewItem, ViewMessage, ViewResult, ViewRetrieval } from '../projections/view.ts';
import type { ModelMessage, ModelToolResult, QuotedFile } from '../providers/provider.ts';
import type { Step } from './steps.ts';

/** What the model is told where a tool gave back nothing. */
const WITHOUT_OUTPUT: Readonly<Record<ViewResult['status'] | 'missing', string>> = {
  ok: 'The call succeeded and has no output.',
  error: 'The call failed and said nothing about it.',
  denied: 'The call was not allowed and did not run.',
  timeout: 'The call took too long and was stopped.',
  cancelled: 'The user stopped the call.',
  unknown: 'The program ended while the call ran. Whether it had an effect is not known.',
  missing: 'No result of this call was recorded. Whether it ran is not known.',
};

const EMPTY_QUESTION = '[an empty message]';

/** `provider`: who will read it. The reasoning of another one is left out. */
export function modelMessages(steps: readonly Step[], { provider }: { provider: string }): readonly ModelMessage[] {
  const messages: ModelMessage[] = [];
  for (const { items } of steps) for (const message of stepMessages(items, provider)) push(messages, message);
  // A question has to come last, also where it says nothing.
  if (steps.at(-1)?.startsTurn && messages.at(-1)?.role !== 'user') push(messages, userSays(EMPTY_QUESTION));
  return messages;
}

/** The text of a result as the model gets it. */
function resultText({ name, result }: ViewCall): string {
  if (result === undefined) return WITHOUT_OUTPUT.missing;
  if (result.binary) return `The output is binary: ${Math.floor((result.content.length * 3) / 4)} bytes.`;
  if (result.content === '') return WITHOUT_OUTPUT[result.status];
  return delimit(result.content, { what: `output of ${name}` });
}

/** The text of a retrieval as the model gets it. */
function retrievalText({ query, chunks }: ViewRetrieval): string {
  const found = chunks.map(({ source, text }) => delimit(text, { what: `found in ${source}` }));
  return [`Found for ${JSON.stringify(query)}:`, ...found].join('\n\n');
}

function stepMessages(items: readonly ViewItem[], provider: string): readonly ModelMessage[] {
  const calls = items.filter((item) => item.kind === 'call');
  const [first] = items;
  switch (first?.kind) {
    case undefined:
      return [];
    case 'retrieval':
      return [userSays(retrievalText(first))];
    case 'message':
      if (first.role !== 'assistant') return [{ role: 'user', parts: userParts(first) }];
      return [answer(ownParts(first, provider), calls), ...results(calls)];
    case 'call':
      return [answer([], calls), ...results(calls)];
  }
}

function userSays(text: string): ModelMessage {
  return { role: 'user', parts: [{ type: 'text', text }] };
}

/** Providers refuse text of white space alone, and every request after it would hold it. */
function isBlank(part: Part): boolean {
  return part.type === 'text' && part.text.trim() === '';
}

/** Two messages of one role in a row become one, and an empty one none. */
function push(messages: ModelMessage[], message: ModelMessage): void {
  if (message.role === 'user' && message.parts.length === 0) return;
  if (message.role === 'assistant' && message.parts.length === 0 && message.toolCalls.length === 0) return;
  const last = messages.at(-1);
  if (message.role === 'user' && last?.role === 'user') {
    messages[messages.length - 1] = { role: 'user', parts: [...last.parts, ...message.parts] };
  } else if (message.role === 'assistant' && last?.role === 'assistant' && last.toolCalls.length === 0) {
    messages[messages.length - 1] = { ...message, parts: [...last.parts, ...message.parts] };
  } else messages.push(message);
}

function answer(parts: readonly Part[], calls: readonly ViewCall[]): ModelMessage {
  return { role: 'assistant', parts, toolCalls: calls.map(({ callId, name, args }) => ({ callId, name, args })) };
}

function results(calls: readonly ViewCall[]): readonly ModelMessage[] {
  return calls.length === 0 ? [] : [{ role: 'tool', results: calls.map(resultOf) }];
}

function resultOf(call: ViewCall): ModelToolResult {
  const { callId, name, result } = call;
  const images = result?.images ?? [];
  const content = resultText(call);
  return { callId, name, content, isError: result?.status !== 'ok', ...(images.length === 0 ? {} : { images }) };
}

/**
 * A system message in the middle of a conversation reaches the model as a note: its system prompt stays as it was. Files that
 * go along are data. One in front is what was said, where that was too long for a line of the journal.
 */
function userParts({ role, parts, trusted }: ViewMessage): readonly (Part | QuotedFile)[] {
  return parts.flatMap((part, index) => {
    if (isBlank(part)) return [];
    if (part.type === 'file' && (index > 0 || !trusted)) return { ...part, isQuoted: true };
    if (part.type !== 'text') return part;
    if (!trusted) return { ...part, text: delimit(part.text, { what: `${role} message` }) };
    return role === 'system' ? { ...part, text: `System note: ${part.text}` } : part;
  });
}

/** What the model said is its own, and never delimited. */
function ownParts({ parts, provider: maker }: ViewMessage, provider: string): readonly Part[] {
  return parts.filter((part) => (part.type === 'reasoning' ? (part.provider ?? maker) === provider : !isBlank(part)));
}
