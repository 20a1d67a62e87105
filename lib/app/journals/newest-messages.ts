// The messages of the newest stretch of a journal, oldest first, each whole.
import { decodeEvent } from '../../events/decode.ts';
import type { JournalStore, StoredEvent } from '../../journal/types.ts';
import { addEvent, emptyConversation } from '../../projections/conversation.ts';
import { addToMessages, type WholeMessage } from '../../projections/whole-messages.ts';
import { newestEvents } from './read-journal.ts';

/** Types of the events that make messages. */
const MAKING: readonly string[] = ['message.added', 'message.replaced', 'branch.moved'];

/** `maxBytes` of the journal are read, from its end. */
export async function newestMessages(
  store: Pick<JournalStore, 'openReader'>,
  id: string,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal?: AbortSignal | undefined },
): Promise<WholeMessage[]> {
  const events: StoredEvent[] = [];
  for await (const event of newestEvents(store, id, { maxBytes, signal })) {
    if (MAKING.includes(event.type)) events.push(event);
  }
  const conversation = emptyConversation();
  for (const event of events.reverse()) {
    const decoded = decodeEvent(event);
    if (decoded.kind === 'known') addEvent(conversation, decoded.event);
  }
  const messages: WholeMessage[] = [];
  for (const item of conversation.items) addToMessages(messages, item);
  return messages;
}
