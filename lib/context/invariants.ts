// Checks the invariants of every request against its view, whatever the history of the session. Returns violations as
// sentences. Pure.
import { delimit } from '../messages/untrusted.ts';
import { counts } from '../projections/timeline.ts';
import type { ViewMessage, ViewState } from '../projections/view.ts';
import type { ModelMessage } from '../providers/provider.ts';
import type { Assembled } from './assembled.ts';

/** Empty if all of them hold. */
export function violations(view: ViewState, request: Assembled): readonly string[] {
  return [
    ...callsHaveResults(view, request),
    ...nothingCoveredAppears(view, request),
    ...systemPromptFirst(view, request),
  ];
}

/**
 * A call and its result stay together: an answer with calls is followed by exactly their results, in the same order,
 * and results are nowhere else. Providers permanently refuse a conversation that breaks this rule.
 */
function callsHaveResults(_: ViewState, { messages }: Assembled): readonly string[] {
  return messages.flatMap((message, index) => {
    const asked = callIds(messages[index - 1]);
    const answered = message.role === 'tool' ? message.results.map(({ callId }) => callId) : [];
    if (asked.join('\n') !== answered.join('\n') || asked.length !== answered.length)
      return [`Message ${index} answers the calls [${answered}] where [${asked}] were asked.`];
    const open = index === messages.length - 1 ? callIds(message) : [];
    return open.length === 0 ? [] : [`The calls [${open}] at the end have no result.`];
  });
}

function callIds(message: ModelMessage | undefined): readonly string[] {
  return message?.role === 'assistant' ? message.toolCalls.map(({ callId }) => callId) : [];
}

/**
 * Nothing that a compaction covers, and nothing that was undone, is sent; items are in the order of their events. The
 * messages that a compaction put in place of others are of one event.
 */
function nothingCoveredAppears({ timeline }: ViewState, { items }: Assembled): readonly string[] {
  return items.flatMap((item, index) => {
    const previous = items[index - 1];
    if (!counts(timeline, item)) return [`Event ${item.seq} is covered or undone, but sent.`];
    if (previous === undefined || previous.seq < item.seq) return [];
    const isOneEvent = previous.seq === item.seq && previous.replaces === true && item.replaces === true;
    return isOneEvent ? [] : [`Event ${item.seq} is sent after event ${previous.seq}.`];
  });
}

/** The system prompt is there, whole, and before everything else. */
function systemPromptFirst({ timeline }: ViewState, { system }: Assembled): readonly string[] {
  let rest: string = system;
  const missing: string[] = [];
  for (const item of timeline.entries) {
    if (item.kind !== 'message' || !item.pinned) continue;
    const text = textOf(item);
    if (text.trim() === '') continue;
    // Only what joins two sections is passed over: a prompt may itself begin with white space.
    if (rest.startsWith(text)) rest = rest.slice(text.length).replace(/^\n\n/, '');
    else missing.push(`The system message ${item.seq} is not at the beginning.`);
  }
  return missing;
}

function textOf({ parts, trusted }: ViewMessage): string {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return trusted ? text : delimit(text, { what: 'system message' });
}
