// Bytes of a journal on the server, a window at a time: what an open file is to every reading on a disk. Fetches those
// that are asked for and not here. Where a byte is in the stream is found by the headers of messages.
import { setTimeout as sleep } from 'node:timers/promises';
import { isOllmError, OllmError } from '../errors/index.ts';
import type { JournalSource } from '../journal/reading/scan.ts';
import type { NatsSession } from './connection.ts';
import { endOf, lastMessage, messageFrom, offsetIn } from './messages.ts';
import { Pull, type PulledMessage } from './pull.ts';

/** Fetched ahead of the reader, so that batches of a reading are as long as on a disk. */
const AHEAD_BYTES = 1024 * 1024;
/** More than that is dropped, unless the reader needs it. */
const WINDOW_BYTES = 4 * 1024 * 1024;
/** Within this many messages, a reading begins at the earlier one without a search for the exact one. */
const NEAR_MESSAGES = 64;
/** A consumer that sends nothing for this time is given up. */
const STALLED_AFTER_MS = 3_000;

interface SourcePiece {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

interface Known {
  readonly offset: number;
  readonly sequence: number;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

interface StreamSourcePlace {
  readonly subject: string;
  /** Bytes of the journal. */
  readonly size: number;
  /** The sequence of its last message. */
  readonly last: number;
  /** That message, if it is here. */
  readonly tail?: { readonly offset: number; readonly bytes: Uint8Array } | undefined;
}

export class StreamSource implements JournalSource {
  readonly #session: NatsSession;
  readonly #subject: string;
  readonly #size: number;
  /** In order, without a gap between neighbours. */
  #pieces: SourcePiece[] = [];
  #lastFrom = 0;
  /** Where messages begin, in order; the first and the last one are always known. */
  #known: Known[];
  #pull: Pull | undefined;
  /** Where a consumer continues; 0 before the first one. */
  #nextSequence = 0;

  constructor(session: NatsSession, { subject, size, last, tail }: StreamSourcePlace) {
    this.#session = session;
    this.#subject = subject;
    this.#size = size;
    if (tail && tail.bytes.length > 0) this.#pieces.push(tail);
    this.#known = [
      { offset: 0, sequence: 0 },
      { offset: size, sequence: last + 1 },
    ];
  }

  stat(): { readonly size: number } {
    return { size: this.#size };
  }

  /** @throws OllmError STORE_UNREACHABLE, JOURNAL_DAMAGED (messages are missing) */
  async read(target: Uint8Array, position: number): Promise<number> {
    await this.#bring({ from: position, to: Math.min(position + target.length, this.#size) });
    let filled = 0;
    for (let index = this.#indexAt(position); index < this.#pieces.length && filled < target.length; index += 1) {
      const { offset, bytes } = this.#pieces[index]!;
      const from = position + filled - offset;
      if (from < 0) break;
      const part = bytes.subarray(from, from + target.length - filled);
      target.set(part, filled);
      filled += part.length;
    }
    return filled;
  }

  async #bring(wanted: Span): Promise<void> {
    if (wanted.to <= wanted.from) return;
    const first = this.#pieces[0];
    if (first && first.offset <= wanted.from && this.#endOfPieces() >= wanted.to) return;
    const { from, to } = this.#withMore(wanted);
    await this.#begin(from);
    while (this.#endOfPieces() < to) {
      const { headers, sequence, data } = this.#pull?.take() ?? (await this.#next());
      this.#nextSequence = sequence + 1;
      const offset = offsetIn(headers);
      this.#learn({ offset, sequence });
      const needed = this.#pieces.length === 0 ? from : this.#endOfPieces();
      if (offset + data.length <= needed) continue;
      const isNext = this.#pieces.length === 0 ? offset <= needed : offset === needed;
      if (!isNext) throw this.#missing(needed, offset);
      this.#pieces.push({ offset, bytes: data });
    }
    this.#letGo(from);
  }

  /** The next message. A consumer that is silent, because its server went away, is replaced by another one. */
  async #next(): Promise<PulledMessage> {
    const { patienceMs } = this.#session;
    for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += STALLED_AFTER_MS) {
      if (await this.#pull?.arrival(STALLED_AFTER_MS)) return this.#pull!.take()!;
      this.#pull?.end();
      this.#pull = undefined;
      try {
        this.#pull = await Pull.begin(this.#session, this.#subject, this.#nextSequence);
      } catch (error) {
        if (!isOllmError(error, 'STORE_UNREACHABLE')) throw error;
        await sleep(STALLED_AFTER_MS);
      }
    }
    throw new OllmError('STORE_UNREACHABLE', 'The server stopped sending a journal before its end.', {
      hint: 'Check that the servers of "store" are up, and read again.',
    });
  }

  /** Extends the span by the bytes that will be read next, judged by the last reading. */
  #withMore({ from, to }: Span): Span {
    const isBackward = from < this.#lastFrom;
    this.#lastFrom = from;
    if (isBackward) return { from: Math.max(from - AHEAD_BYTES, 0), to };
    return { from, to: Math.min(to + AHEAD_BYTES, this.#size) };
  }

  close(): void {
    this.#pull?.end();
    this.#pull = undefined;
    this.#pieces = [];
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #endOfPieces(): number {
    const last = this.#pieces.at(-1);
    return last ? last.offset + last.bytes.length : 0;
  }

  /** The piece with this byte, or the first one after it. */
  #indexAt(position: number): number {
    let low = 0;
    let high = this.#pieces.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const { offset, bytes } = this.#pieces[middle]!;
      if (offset + bytes.length <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Goes on with the reading that is under way, if that will come by there; else begins another one. */
  async #begin(from: number): Promise<void> {
    const end = this.#endOfPieces();
    const first = this.#pieces[0];
    if (this.#nextSequence > 0 && first && first.offset <= from && from <= end) return;
    this.#pull?.end();
    this.#pull = undefined;
    this.#pieces = [];
    const sequence = await this.#sequenceAt(from);
    this.#nextSequence = sequence;
  }

  /** The sequence of a message that begins at this byte or not far before it. */
  async #sequenceAt(position: number): Promise<number> {
    if (position === 0) return 1;
    for (;;) {
      const index = this.#known.findLastIndex(({ offset }) => offset <= position);
      const [low, high] = [this.#known[index]!, this.#known[index + 1] ?? this.#known.at(-1)!];
      if (low.offset === position || high.sequence - low.sequence <= NEAR_MESSAGES) return Math.max(low.sequence, 1);
      const middle = Math.floor((low.sequence + high.sequence) / 2);
      const message = await messageFrom(this.#session, this.#subject, middle);
      if (!message) return Math.max(low.sequence, 1);
      const { offset, sequence } = message;
      if (offset <= position && position < offset + message.bytes.length) return sequence;
      if (offset > position) {
        // Nothing of this subject is between the middle and that message.
        this.#known.splice(index + 1, 0, { offset, sequence: middle });
      } else this.#known.splice(index + 1, 0, { offset, sequence });
    }
  }

  /** Remembers where a message is, at some distance from the others. */
  #learn(place: Known): void {
    const before = this.#known.at(-2)!;
    if (place.offset > before.offset + AHEAD_BYTES) this.#known.splice(-1, 0, place);
  }

  #letGo(from: number): void {
    let bytes = this.#endOfPieces() - (this.#pieces[0]?.offset ?? 0);
    while (bytes > WINDOW_BYTES) {
      const first = this.#pieces[0]!;
      if (first.offset + first.bytes.length > from) break;
      this.#pieces.shift();
      bytes -= first.bytes.length;
    }
  }

  #missing(from: number, to: number): OllmError {
    return new OllmError('JOURNAL_DAMAGED', `Messages of ${this.#subject} are missing: bytes ${from} to ${to}.`, {
      hint: 'Something removed them from the stream. Bring the session back from a copy.',
      data: { subject: this.#subject, from, to },
    });
  }
}

/** The source of a journal as it is now; undefined if the subject has no message. */
export async function sourceOf(session: NatsSession, subject: string): Promise<StreamSource | undefined> {
  const tail = await lastMessage(session, subject);
  return tail && new StreamSource(session, { subject, size: endOf(tail), last: tail.sequence, tail });
}
