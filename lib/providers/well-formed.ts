// A conversation as each vendor takes it: a user speaks first, every call has its result right after it, and every
// result has its call. The core ensures that already; here it holds for any input. Pure.
import type { ModelMessage, ModelToolCall, ModelToolResult } from './provider.ts';

const NO_RESULT = 'No result of this call was recorded. Whether it ran is not known.';
const BEGINNING = 'The conversation continues from here.';

export function wellFormed(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const result: ModelMessage[] = [];
  let index = 0;
  while (index < messages.length) {
    const message = messages[index]!;
    index += 1;
    if (message.role === 'user' || message.role === 'context') result.push(message);
    if (message.role !== 'assistant') continue;
    const found: ModelToolResult[] = [];
    for (let next = messages[index]; next?.role === 'tool'; next = messages[index]) {
      found.push(...next.results);
      index += 1;
    }
    if (message.parts.length === 0 && message.toolCalls.length === 0) continue;
    result.push(message);
    if (message.toolCalls.length > 0) result.push({ role: 'tool', results: resultsOf(message.toolCalls, found) });
  }
  const first = result.find(({ role }) => role !== 'context');
  if (first !== undefined && first.role !== 'user')
    result.unshift({ role: 'user', parts: [{ type: 'text', text: BEGINNING }] });
  return result;
}

/** In the order of the calls; of calls that share an id, each takes the next result of it. */
function resultsOf(calls: readonly ModelToolCall[], found: readonly ModelToolResult[]): readonly ModelToolResult[] {
  const left = [...found];
  return calls.map(({ callId, name }) => {
    const at = left.findIndex((result) => result.callId === callId);
    if (at === -1) return { callId, name, content: NO_RESULT, isError: true };
    return left.splice(at, 1)[0]!;
  });
}
