// The places of a text in a session: the events that hold it, in their order, in upper or lower case.
import type { EventReader } from '../../../journal/types.ts';
import type { Part } from '../../../messages/index.ts';
import type { ConversationItem } from '../../../projections/conversation.ts';
import type { App } from '../../app.ts';
import { findConversation } from '../../find/find-session.ts';
import { conversationItems } from './conversation-items.ts';

export interface FoundPlaces {
  /** seq of each event that holds the text; of a call that of its request, whatever part of it does. */
  readonly places: readonly number[];
  /** There are more. */
  readonly isCut: boolean;
}

const MOST_PLACES = 2000;

/**
 * @example
 * const { places } = await findInSession(app, 'claude:5f3c', { text: 'deadlock' });
 * @throws OllmError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, JOURNAL_EMPTY, JOURNAL_UNREADABLE
 */
export async function findInSession(
  app: App,
  reference: string,
  { text, signal }: { readonly text: string; readonly signal?: AbortSignal | undefined },
): Promise<FoundPlaces> {
  const { read } = await findConversation(app, reference);
  return read((reader) => placesIn(reader, text, signal));
}

async function placesIn(
  reader: Pick<EventReader, 'outcomes'>,
  text: string,
  signal: AbortSignal | undefined,
): Promise<FoundPlaces> {
  const wanted = text.toLowerCase();
  const places = new Set<number>();
  for await (const items of conversationItems(reader, { signal })) {
    for (const one of items.flatMap(textsOf)) if (one.text.toLowerCase().includes(wanted)) places.add(one.seq);
    if (places.size > MOST_PLACES) return { places: inOrder(places).slice(0, MOST_PLACES), isCut: true };
  }
  return { places: inOrder(places), isCut: false };
}

function inOrder(places: ReadonlySet<number>): number[] {
  return [...places].sort((a, b) => a - b);
}

/** What a reader sees of an item. */
function textsOf(item: ConversationItem): readonly { readonly seq: number; readonly text: string }[] {
  const { seq } = item;
  switch (item.kind) {
    case 'message':
      return item.pieces.map((piece) => ({ seq: piece.seq, text: piece.parts.map(textOfPart).join('\n') }));
    case 'call': {
      const { request, end } = item;
      const asked = request === undefined ? [] : [request.name, ...stringsIn(request.args)];
      return [asked.join('\n'), end?.result.llmContent ?? ''].map((text) => ({ seq, text }));
    }
    case 'compaction':
      return [{ seq, text: item.data.summary ?? '' }];
    default:
      return [];
  }
}

function textOfPart(part: Part): string {
  return part.type === 'text' || part.type === 'reasoning' ? (part.text ?? '') : part.type === 'file' ? part.name : '';
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
