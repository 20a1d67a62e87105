// Adds one message to a subject, fenced: the server stores it only if the last message there is the expected one. When
// an answer does not come, or is a refusal, the subject is looked at: the message is there, or it is not and goes
// again, or another one is in its place. The outcome is looked up and never guessed. A server shows what a majority
// agreed on, so that a leader which is cut off from the others shows too little and never too much.
import { setTimeout as sleep } from 'node:timers/promises';
import { OllmError } from '../errors/index.ts';
import type { JournalFile } from '../journal/refusals.ts';
import type { NatsSession } from './connection.ts';
import { isFull, isRefusal, isWrongLastSequence, storeError } from './errors.ts';
import { HEADER, type JournalMessage, lastMessage, messageFrom } from './messages.ts';

interface NewMessage {
  readonly subject: string;
  /** The sequence of the last message of the subject; 0 if there is none. */
  readonly expected: number;
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** The seq of its first event, if it begins with one. */
  readonly firstSeq?: number | undefined;
  /** Not given to any other message. */
  readonly id: string;
}

/** A different message is where this one should be: it is not stored, and never will be. */
export class Fenced extends Error {}
/** The patience is over, and whether the message is stored is not known. */
export class Unsettled extends Error {}

/** Between two attempts, while a cluster elects a leader. */
const PAUSE_MS = 100;
/** After this many refusals without a visible reason, the server is taken to be behind. */
const CONTRADICTIONS = 20;

/**
 * The sequence that the message got.
 * @throws Fenced, Unsettled; OllmError JOURNAL_FULL: not stored, and may be tried again
 */
export async function publish(session: NatsSession, message: NewMessage): Promise<number> {
  // The client may send the buffer after this has ended, and the caller reuses it, so it is copied.
  const bytes = new Uint8Array(message.bytes);
  const deadline = performance.now() + session.patienceMs;
  let contradictions = 0;
  for (;;) {
    const attempt = await settled(session, message, bytes);
    if ('sequence' in attempt) return attempt.sequence;
    const { error } = attempt;
    const there = await lookUp(session, message, deadline, error);
    if (there === 'absent') {
      if (isFull(error)) throw storeError('Cannot append', error);
      if (isWrongLastSequence(error)) {
        contradictions += 1;
        const isSure = contradictions > CONTRADICTIONS && (await isGone(session, message));
        // Not fenced for sure: an earlier attempt may have been there.
        if (isSure) throw new Unsettled('its messages were removed from the stream', { cause: error });
      }
    } else {
      if (isSame(there, message)) return there.sequence;
      throw new Fenced();
    }
    if (performance.now() > deadline) throw new Unsettled(reasonOf(error), { cause: error });
    await sleep(PAUSE_MS);
  }
}

async function settled(
  session: NatsSession,
  { subject, expected, offset, firstSeq, id }: NewMessage,
  bytes: Uint8Array,
): Promise<{ readonly sequence: number } | { readonly error: unknown }> {
  const headers = session.headers();
  headers.set(HEADER.expected, String(expected));
  headers.set(HEADER.offset, String(offset));
  if (firstSeq !== undefined) headers.set(HEADER.seq, String(firstSeq));
  try {
    const options = { headers, msgID: id, timeout: session.requestMs, retries: 1 };
    const { seq } = await session.js.publish(subject, bytes, options);
    // A server that answers for an earlier attempt names its sequence. 2.10 answers with 0 while that attempt is only
    // proposed: a leader that is cut off from the others will never store it.
    if (seq > expected) return { sequence: seq };
    return { error: new Error(`the server answered with the sequence ${seq}`) };
  } catch (error) {
    return { error };
  }
}

/** What follows the expected message on the subject, asked until there is an answer. */
async function lookUp(
  session: NatsSession,
  { subject, expected }: NewMessage,
  deadline: number,
  first: unknown,
): Promise<JournalMessage | 'absent'> {
  for (;;) {
    try {
      return (await messageFrom(session, subject, expected + 1)) ?? 'absent';
    } catch (error) {
      if (session.connection.isClosed() || performance.now() > deadline) {
        throw new Unsettled(reasonOf(first), { cause: error });
      }
      await sleep(PAUSE_MS);
    }
  }
}

/** Whether the messages of the subject were removed: the session was purged. */
async function isGone(session: NatsSession, { subject, expected }: NewMessage): Promise<boolean> {
  if (expected === 0) return false;
  return ((await lastMessage(session, subject))?.sequence ?? 0) < expected;
}

function isSame(there: JournalMessage, { id, bytes }: NewMessage): boolean {
  return there.id === id && Buffer.compare(there.bytes, bytes) === 0;
}

function reasonOf(error: unknown): string {
  const { message } = error as Error;
  return isRefusal(error) ? `the server refused (${message})` : `the server did not answer (${message})`;
}

/** The error of a writer that cannot continue. */
export function poisonOf(error: unknown, { id, path }: JournalFile): OllmError {
  if (error instanceof Fenced) {
    return new OllmError(
      'JOURNAL_LOCKED',
      `Journal ${id} was taken over by another writer: this one has ended. ${path}`,
      {
        hint: 'Nothing of the last append was stored. Open the session again: what the other one wrote is read first.',
        data: { id, path },
        cause: error,
      },
    );
  }
  return new OllmError(
    'JOURNAL_POISONED',
    `Journal ${id} cannot be written any more: ${error instanceof Error ? error.message : String(error)}. ${path}`,
    {
      hint: 'Whether the last append is stored is not known. Once the server answers, open the session again: the same id appends nothing twice.',
      data: { id, path },
      cause: error,
    },
  );
}
