// Loads parts that the first turn of a conversation needs and its prompt does not: the package of the provider, and the
// tokenizer of the model. Contacts no server. A part that cannot be loaded fails where it is needed.
import { counterFor } from '../../tokens/counter-for.ts';
import type { Conversation } from '../conversation.ts';

export async function loadForTurn({ choice: { provider, model } }: Pick<Conversation, 'choice'>): Promise<void> {
  await Promise.allSettled([
    provider.load?.(model),
    // The first text that is counted builds the tables.
    counterFor({ provider: provider.name, model }).then((counter) => counter.count('tokens')),
  ]);
}
