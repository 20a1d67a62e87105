// The messages of one journal: one subject, whose payloads joined in order are the journal, byte for byte. Each says in
// its headers where its bytes begin and which message came before it on the subject. An empty message is a fence: it
// adds no byte, and makes a writer that expects the message before it fail.
import type { NatsSession } from './connection.ts';
import { asked } from './errors.ts';

export const HEADER = {
  /** Where the bytes of the message begin in the journal. */
  offset: 'Ollm-Offset',
  /** The seq of its first event, for people who look at the stream. */
  seq: 'Ollm-Seq',
  /** The sequence of the message before on this subject; the server checks it and keeps it. */
  expected: 'Nats-Expected-Last-Subject-Sequence',
  id: 'Nats-Msg-Id',
} as const;

/** A message without the classes of the client. */
export interface JournalMessage {
  /** The sequence in the stream. */
  readonly sequence: number;
  readonly offset: number;
  readonly bytes: Uint8Array;
  readonly id: string;
  /** Milliseconds since 1970, by the clock of the server. */
  readonly storedMs: number;
}

/** The last message of a subject, as the leader of the stream knows it; undefined if there is none. */
export function lastMessage(session: NatsSession, subject: string): Promise<JournalMessage | undefined> {
  return found(session, { last_by_subj: subject });
}

/** The first message of a subject at this sequence or after it. */
export function messageFrom(
  session: NatsSession,
  subject: string,
  sequence: number,
): Promise<JournalMessage | undefined> {
  return found(session, { seq: Math.max(sequence, 1), next_by_subj: subject });
}

async function found(session: NatsSession, query: object): Promise<JournalMessage | undefined> {
  const stored = await asked('Cannot read a journal', () => session.streams.getMessage(session.layout.stream, query));
  if (stored === null) return undefined;
  const { seq, data, header, time } = stored;
  return {
    sequence: seq,
    offset: offsetIn(header),
    bytes: data,
    id: header?.get(HEADER.id) ?? '',
    storedMs: time.getTime(),
  };
}

export function offsetIn(header: { get(name: string): string } | undefined): number {
  const offset = Number(header?.get(HEADER.offset) || Number.NaN);
  return Number.isSafeInteger(offset) ? offset : 0;
}

export function endOf({ offset, bytes }: Pick<JournalMessage, 'offset' | 'bytes'>): number {
  return offset + bytes.length;
}
