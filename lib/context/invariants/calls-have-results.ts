// A call and its result stay together: behind an answer with calls stand exactly their results, in the same order, and
// results stand nowhere else. Providers refuse a conversation for which this does not hold, from then on for ever.
import type { ModelMessage } from '../../providers/provider.ts';
import type { Invariant } from './invariant.ts';

export const callsHaveResults: Invariant = (_, { messages }) =>
  messages.flatMap((message, index) => {
    const asked = callIds(messages[index - 1]);
    const answered = message.role === 'tool' ? message.results.map(({ callId }) => callId) : [];
    if (asked.join('\n') === answered.join('\n') && asked.length === answered.length)
      return unanswered(messages, index);
    return [`Message ${index} answers the calls [${answered}] where [${asked}] were asked.`];
  });

function unanswered(messages: readonly ModelMessage[], index: number): readonly string[] {
  const open = index === messages.length - 1 ? callIds(messages[index]) : [];
  return open.length === 0 ? [] : [`The calls [${open}] at the end have no result.`];
}

function callIds(message: ModelMessage | undefined): readonly string[] {
  return message?.role === 'assistant' ? message.toolCalls.map(({ callId }) => callId) : [];
}
