// The session JSON of a journal of any length: of an outline of the session, and of messages and calls that are read
// from the journal while they are written.

import { OllmError } from '../errors/index.ts';
import type { OllmEvent } from '../events/index.ts';
import type { Part } from '../messages/index.ts';
import { placesOf } from '../projections/outline.ts';
import {
  type ReadingCounts,
  type SessionItem,
  type SessionJson,
  type SessionMessage,
  type SessionState,
  type SessionToolCall,
  sessionJson,
} from '../projections/session.ts';
import { countedEntries } from '../projections/timeline.ts';

type MessageItem = Extract<SessionItem, { kind: 'message' }>;
type CallItem = Extract<SessionItem, { kind: 'call' }>;

/** The session JSON, with lists that can be gone through once, each behind the other. */
export interface SessionDocument extends Omit<SessionJson, 'messages' | 'toolCalls'> {
  readonly messages: AsyncIterable<SessionMessage>;
  readonly toolCalls: AsyncIterable<SessionToolCall>;
}

/** Goes through a journal from its beginning, and yields of the events that are asked for those that it can read. */
export type EventsOf = (isWanted: (seq: number) => boolean) => AsyncIterable<OllmEvent>;

/**
 * The document of an outline (`outlineFold`). The journal is gone through once for each list.
 *
 * @throws OllmError JOURNAL_DAMAGED, while a list is gone through, where an event cannot be read any more
 */
export function sessionDocument(outline: SessionState, events: EventsOf, counts: ReadingCounts): SessionDocument {
  const items = countedEntries(outline.timeline);
  return {
    ...sessionJson(outline, counts),
    messages: messagesOf(
      items.filter((item) => item.kind === 'message'),
      events,
    ),
    toolCalls: callsOf(
      items.filter((item) => item.kind === 'call'),
      events,
    ),
  };
}

/** Messages in the order in which they began: one whose parts came in several events waits for the last of them. */
async function* messagesOf(
  items: readonly MessageItem[],
  events: EventsOf,
): AsyncGenerator<SessionMessage, void, void> {
  const messages = items.map(({ content }) => {
    const places = placesOf(content.parts);
    return { content, parts: places.map((): readonly Part[] => []), missing: places.length };
  });
  const owners = new Map(
    items.flatMap(({ content }, owner) =>
      placesOf(content.parts).map((seq, index) => [seq, { owner, index }] as const),
    ),
  );
  let next = 0;
  for await (const event of items.length > 0 ? events((seq) => owners.has(seq)) : []) {
    const place = owners.get(event.seq);
    if (place === undefined || (event.type !== 'message.added' && event.type !== 'message.replaced')) continue;
    const message = messages[place.owner]!;
    message.parts[place.index] = event.data.parts;
    message.missing -= 1;
    for (; messages[next]?.missing === 0; next += 1) {
      const { content, parts } = messages[next]!;
      yield { ...content, parts: parts.flat() };
      // What was handed out is not needed any more.
      messages[next]!.parts.length = 0;
    }
    if (next === items.length) return;
  }
  if (next < items.length) throw gone(items[next]!.seq);
}

/** Calls in the order in which they were asked for: one that is answered early waits for those before it. */
async function* callsOf(items: readonly CallItem[], events: EventsOf): AsyncGenerator<SessionToolCall, void, void> {
  const waiting: { call: SessionToolCall; resultSeq: number | undefined }[] = [];
  const open = new Map<number, (typeof waiting)[number]>();
  let next = 0;
  for await (const event of items.length > 0 ? events((seq) => seq === items[next]?.seq || open.has(seq)) : []) {
    if (event.seq === items[next]?.seq) {
      const { call } = items[next]!;
      const place = call.result.llmContent;
      const asked = event.type === 'tool.requested' ? { ...call, args: event.data.args } : call;
      const entry = { call: asked, resultSeq: place === '' ? undefined : Number(place) };
      waiting.push(entry);
      if (entry.resultSeq !== undefined) open.set(entry.resultSeq, entry);
      next += 1;
    }
    const answered = open.get(event.seq);
    if (answered !== undefined && event.type === 'tool.finished') {
      answered.call = { ...answered.call, result: event.data.result };
      answered.resultSeq = undefined;
      open.delete(event.seq);
    }
    while (waiting.length > 0 && waiting[0]!.resultSeq === undefined) yield waiting.shift()!.call;
    if (next === items.length && waiting.length === 0) return;
  }
  if (next < items.length) throw gone(items[next]!.seq);
  if (waiting.length > 0) throw gone(waiting[0]!.resultSeq!);
}

function gone(seq: number): OllmError {
  return new OllmError('JOURNAL_DAMAGED', `Event ${seq} was there a moment ago and cannot be read any more.`, {
    hint: '"ollm verify" shows what became of the journal.',
  });
}
