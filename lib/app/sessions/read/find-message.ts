// `/history N`: one message of the open session, whole, by its number in the journal.
import { eachEvent } from '../../../journal/reading/outcomes.ts';
import type { JournalReader, JournalStore } from '../../../journal/types.ts';
import type { Part, Role } from '../../../messages/index.ts';
import { isPrompt } from '../../../projections/message-pieces.ts';
import { addToMessages, type WholeMessage } from '../../../projections/whole-messages.ts';
import { readJournal } from '../../journals/read-journal.ts';
import { conversationItems } from './conversation-items.ts';

interface FoundMessage {
  readonly role: Role;
  readonly text: string;
}

/**
 * The message that the event is a piece of, in its newest form. Undefined where that event is not a message. A text
 * that was too long for a line of the journal is read from its file.
 *
 * @example
 * const message = await findMessage(store, session.id, 42);
 */
export async function findMessage(
  store: JournalStore,
  id: string,
  wanted: number,
  signal?: AbortSignal,
): Promise<FoundMessage | undefined> {
  const message = await readJournal(store, id, (reader) => messageWith(reader, wanted, signal));
  if (message === undefined) return undefined;
  const texts = await Promise.all(message.parts.map((part) => textOf(store, part)));
  return { role: message.role, text: texts.filter((text) => text !== '').join('\n') };
}

async function messageWith(
  reader: JournalReader,
  wanted: number,
  signal: AbortSignal | undefined,
): Promise<WholeMessage | undefined> {
  const from = await beginningOf(reader, wanted, signal);
  if (from === undefined) return undefined;
  const messages: WholeMessage[] = [];
  for await (const items of conversationItems(reader, { after: await reader.placeBefore(from), signal })) {
    for (const item of items) {
      const begun = item.kind === 'message' ? item.continues : item.kind === 'replaced' ? item.of : undefined;
      if ((begun ?? item.seq) <= wanted) addToMessages(messages, item);
    }
  }
  return messages.find(({ events }) => events.includes(wanted));
}

/** seq from which on all pieces of the message with this event are: those of one are after the prompt before it. */
async function beginningOf(
  reader: JournalReader,
  wanted: number,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  let id: unknown;
  for await (const { seq, type, data } of eachEvent(reader.backwards({ signal }))) {
    if (seq > wanted) continue;
    if (seq === wanted) {
      if (type !== 'message.added') return undefined;
      id = data.message;
    } else if (id === undefined) return wanted;
    const { role, synthetic, message } = data as { role: Role; synthetic?: true; message?: unknown };
    if (type === 'message.added' && isPrompt({ role, synthetic }) && message !== id) return seq;
  }
  return id === undefined ? undefined : 0;
}

async function textOf(store: Pick<JournalStore, 'readBlob'>, part: Part): Promise<string> {
  if (part.type === 'text') return part.text;
  if (part.type !== 'file') return '';
  const bytes = part.mediaType.startsWith('text/') ? await store.readBlob(part.blob) : undefined;
  return bytes === undefined ? `[${part.name}]` : Buffer.from(bytes).toString('utf8');
}
