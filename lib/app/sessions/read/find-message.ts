// `/history N`: one message of the open session, whole, by its number in the journal.
import type { JournalStore } from '../../../journal/types.ts';
import type { Part, Role } from '../../../messages/index.ts';
import { newestEvents } from '../../read-journal.ts';

interface FoundMessage {
  readonly role: Role;
  readonly text: string;
}

/**
 * Undefined where that event is not a message. A text that was too long for a line of the journal is read from its
 * file.
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
  for await (const { seq, type, data } of newestEvents(store, id, { maxBytes: Number.POSITIVE_INFINITY, signal })) {
    if (seq > wanted) continue;
    if (seq < wanted || type !== 'message.added') return undefined;
    const texts = await Promise.all((data.parts as unknown as readonly Part[]).map((part) => textOf(store, part)));
    return { role: data.role as Role, text: texts.filter((text) => text !== '').join('\n') };
  }
  return undefined;
}

async function textOf(store: Pick<JournalStore, 'readBlob'>, part: Part): Promise<string> {
  if (part.type === 'text') return part.text;
  if (part.type !== 'file') return '';
  const bytes = part.mediaType.startsWith('text/') ? await store.readBlob(part.blob) : undefined;
  return bytes === undefined ? `[${part.name}]` : Buffer.from(bytes).toString('utf8');
}
