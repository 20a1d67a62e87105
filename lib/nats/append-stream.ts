// The end of one journal on the server: what `AppendFile` is on a disk. One message is under way at a time, and one
// append is never in two messages, unless it fills a journal that has no name yet.
import { isOllmError, OllmError } from '../errors/index.ts';
import { LINE_FEED } from '../journal/format.ts';
import { lineBefore } from '../journal/reading/scan.ts';
import { type KnownEvent, readIds } from '../journal/reading/survey.ts';
import type { JournalFile } from '../journal/refusals.ts';
import type { DurabilityLevel, StoredEvent } from '../journal/types.ts';
import type { Committer } from '../journal/writing/append-file.ts';
import { HEADER_BYTES, type NatsSession } from './connection.ts';
import { Fenced, poisonOf, publish, Unsettled } from './publish.ts';
import { StreamSource } from './stream-source.ts';

interface AppendStreamStart extends JournalFile {
  readonly subject: string;
  /** Bytes that are there. */
  readonly length: number;
  /** The sequence of the last message; 0 if there is none. */
  readonly last: number;
  /** Whether an append may be cut at the ends of its lines, because no reader finds the journal before it is whole. */
  readonly isUnnamed?: boolean | undefined;
  /** For the ids of messages. */
  readonly token: string;
  /** Whether another process is known to have the session now. */
  readonly isLost?: (() => boolean) | undefined;
}

const SEQ = /^\{"seq":(\d+)/;

export class AppendStream implements Committer {
  failure: OllmError | undefined;
  length: number;
  readonly limit: Committer['limit'];

  readonly #session: NatsSession;
  readonly #start: AppendStreamStart;
  readonly #mostInMessage: number;
  #last: number;
  #messages = 0;

  constructor(session: NatsSession, start: AppendStreamStart) {
    this.#session = session;
    this.#start = start;
    this.#last = start.last;
    this.length = start.length;
    this.#mostInMessage = session.maxPayload - HEADER_BYTES;
    this.limit = start.isUnnamed ? undefined : messageLimit(this.#mostInMessage);
  }

  /** The sequence of the last message. */
  get last(): number {
    return this.#last;
  }

  /**
   * Appends all of the bytes, or throws.
   * @throws OllmError JOURNAL_FULL (the rest was not stored, may be tried again), JOURNAL_LOCKED, JOURNAL_POISONED
   */
  async write(bytes: Uint8Array, ends: readonly number[]): Promise<DurabilityLevel> {
    if (!this.failure && this.#start.isLost?.()) this.failure = poisonOf(new Fenced(), this.#start);
    if (this.failure) throw this.failure;
    const places = this.#start.isUnnamed ? lineEnds(bytes) : ends;
    let isFirst = true;
    for (const part of parts(bytes, places, this.#mostInMessage)) {
      await this.#publish(part, isFirst);
      isFirst = false;
    }
    return 'disk';
  }

  async #publish(part: Uint8Array, isFirst: boolean): Promise<void> {
    const { subject, token } = this.#start;
    this.#messages += 1;
    const seq = SEQ.exec(Buffer.from(part.subarray(0, 32)).toString('latin1'))?.[1];
    try {
      this.#last = await publish(this.#session, {
        subject,
        expected: this.#last,
        offset: this.length,
        bytes: part,
        firstSeq: seq === undefined ? undefined : Number(seq),
        id: `${token}.${this.#messages}`,
      });
      this.length += part.length;
    } catch (error) {
      // If some of several messages are stored, only the first one can be tried again.
      if (isFirst && isOllmError(error, 'JOURNAL_FULL')) throw error;
      const reason = isFirst ? error : new Unsettled('a part of the last appends was stored', { cause: error });
      this.failure ??= poisonOf(reason, this.#start);
      throw this.failure;
    }
  }

  /** Acknowledged messages are as safe as they get. */
  async sync(): Promise<void> {
    if (this.failure) throw this.failure;
  }

  knownIds(): Promise<Map<string, KnownEvent>> {
    const source = this.#source();
    return readIds(source).finally(() => source.close());
  }

  storedAt(end: number): Promise<StoredEvent | undefined> {
    const source = this.#source();
    return lineBefore(source, end).finally(() => source.close());
  }

  #source(): StreamSource {
    const { subject } = this.#start;
    return new StreamSource(this.#session, { subject, size: this.length, last: this.#last });
  }

  close(): void {}
}

/** An append is stored whole or not at all, so it must fit into one message. */
function messageLimit(most: number): Committer['limit'] {
  return {
    bytes: most,
    refusal: (type, bytes) =>
      new OllmError('EVENT_TOO_LARGE', `An append of ${bytes} bytes is over what one message holds, ${most}.`, {
        hint: 'Nothing was written. Put a large payload into a blob, append fewer events together, or raise max_payload.',
        data: { type, bytes },
      }),
  };
}

/** Bytes in parts of at most `most`, each up to one of the places where they may be cut. */
export function* parts(bytes: Uint8Array, places: Iterable<number>, most: number): Generator<Uint8Array> {
  let start = 0;
  let end = 0;
  for (const place of places) {
    if (place - start > most && end > start) {
      yield bytes.subarray(start, end);
      start = end;
    }
    end = place;
    // Longer than a message may be, and may not be cut: only in a journal that is copied as it is.
    while (end - start > most) {
      yield bytes.subarray(start, start + most);
      start += most;
    }
  }
  if (bytes.length > start) yield bytes.subarray(start);
}

export function* lineEnds(bytes: Uint8Array): Generator<number> {
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) yield at + 1;
  yield bytes.length;
}
