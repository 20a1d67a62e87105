// Calls and their results as texts of the one and the other, for a vendor that takes no calls at that moment: its
// package would leave them out, or it refuses them. What tools answered is between delimiters already.
import { delimit } from '../messages/untrusted.ts';
import type { ModelMessage } from './provider.ts';

const MAX_NAME_CHARACTERS = 64;

export function callsInWords(message: ModelMessage): ModelMessage {
  if (message.role === 'user' || message.role === 'context') return message;
  if (message.role === 'tool') {
    const parts = message.results.flatMap(({ name, content, images = [] }) => [
      { type: 'text' as const, text: `Result of ${plainName(name)}:\n\n${content}`, isQuoted: true as const },
      ...images,
    ]);
    return { role: 'user', parts };
  }
  const calls = message.toolCalls.map(({ name, args }) => {
    const called = delimit(JSON.stringify(args ?? {}), { what: 'arguments' });
    return { type: 'text' as const, text: `I called the tool ${plainName(name)} with:\n\n${called}` };
  });
  return { ...message, parts: [...message.parts, ...calls], toolCalls: [] };
}

/** Tool names of other programs can be any text. */
function plainName(name: string): string {
  return name.replace(/[^\w-]/g, '_').slice(0, MAX_NAME_CHARACTERS);
}
