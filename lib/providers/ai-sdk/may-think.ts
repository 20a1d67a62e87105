// Whether a model of Anthropic's may think in a request.
import type { LanguageModelV4Prompt } from '@ai-sdk/provider';

/**
 * A model that thinks must have thought before the calls that it now gets the results of, also where a message of the
 * user's comes right after them: the two are one message for the vendor. Where that thinking is not at hand (another
 * model made the calls, or a secret was taken out of it), this one request goes without.
 */
export function mayThink(prompt: LanguageModelV4Prompt): boolean {
  const at = prompt.findLastIndex(({ role }) => role === 'assistant');
  if (prompt[at + 1]?.role !== 'tool') return true;
  const asked = prompt[at];
  return asked?.role === 'assistant' && asked.content[0]?.type === 'reasoning';
}
