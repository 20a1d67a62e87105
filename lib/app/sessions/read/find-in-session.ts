// The places of a text in a session: the events that hold it, in their order, in upper or lower case.
import { decodeEvent } from '../../../events/decode.ts';
import type { OllmEvent } from '../../../events/index.ts';
import type { EventReader } from '../../../journal/types.ts';
import type { Part } from '../../../messages/index.ts';
import type { App } from '../../app.ts';
import { findConversation } from '../find/find-session.ts';

export interface FoundPlaces {
  /** seq of each event that holds the text; of a call that of its request, whatever part of it does. */
  readonly places: readonly number[];
  /** There are more. */
  readonly isCut: boolean;
}

const MOST_PLACES = 2000;

/**
 * @example
 * const { places } = await findInSession(app, 'claude:5f3c', 'deadlock');
 * @throws OllmError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, JOURNAL_EMPTY, JOURNAL_UNREADABLE
 */
export async function findInSession(
  app: App,
  reference: string,
  text: string,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<FoundPlaces> {
  const { read } = await findConversation(app, reference);
  return read((reader) => placesIn(reader, text, { signal }));
}

/** The places in any conversation. */
export async function placesIn(
  reader: Pick<EventReader, 'outcomes'>,
  text: string,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<FoundPlaces> {
  const wanted = text.toLowerCase();
  const places = new Set<number>();
  const requests = new Map<string, number>();
  for await (const batch of reader.outcomes({ signal })) {
    for (const outcome of batch) {
      if (outcome.kind === 'damage') continue;
      const decoded = decodeEvent(outcome.event);
      if (decoded.kind !== 'known') continue;
      const { event } = decoded;
      if (event.type === 'tool.requested') requests.set(event.data.callId, event.seq);
      if (!textOf(event).toLowerCase().includes(wanted)) continue;
      const place = event.type === 'tool.finished' ? requests.get(event.data.callId) : undefined;
      places.add(place ?? event.seq);
      if (places.size > MOST_PLACES) return { places: inOrder(places).slice(0, MOST_PLACES), isCut: true };
    }
  }
  return { places: inOrder(places), isCut: false };
}

function inOrder(places: ReadonlySet<number>): number[] {
  return [...places].sort((a, b) => a - b);
}

/** What a reader sees of an event. */
function textOf(event: OllmEvent): string {
  switch (event.type) {
    case 'message.added':
      return event.data.parts.map(textOfPart).join('\n');
    case 'tool.requested':
      return [event.data.name, ...stringsIn(event.data.args)].join('\n');
    case 'tool.finished':
      return event.data.result.llmContent;
    case 'compaction.completed':
      return event.data.summary ?? '';
    default:
      return '';
  }
}

function textOfPart(part: Part): string {
  return part.type === 'text' || part.type === 'reasoning' ? (part.text ?? '') : part.type === 'file' ? part.name : '';
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
