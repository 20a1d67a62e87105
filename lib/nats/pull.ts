// Messages in their order, from a consumer that goes forward: of one subject, or the headers of all. They are asked for
// in portions, and more only as those that came are taken, so that a reader that is slow keeps little in memory. The
// client's own `consume` is not used: asked for bytes, it is silent for half a minute where the next message does not
// fit into the rest.
import { waitFor } from '../platform/waiting.ts';
import type { Headers, ReceivedMessage } from './client.ts';
import { HEADER_BYTES, type NatsSession } from './connection.ts';
import { asked } from './errors.ts';

const PORTION_BYTES = 1024 * 1024;
const PORTION_MESSAGES = 1000;
/** Under way at a time: one is sent while the server looks for the next. */
const PORTIONS = 2;
/** No more are requested while this many wait: messages without a payload have no bytes that count. */
const MOST_HERE = 4 * PORTION_MESSAGES;
/** A consumer without requests for this time is removed. */
const FORGOTTEN_AFTER_NS = 5 * 60 * 1e9;

/** The code with which a server ends a portion and keeps the consumer. */
const CONFLICT = 409;

/** A request, and how much of it is still to come. */
interface Portion {
  readonly reply: string;
  messages: number;
}

export interface PulledMessage {
  /** In the stream. */
  readonly sequence: number;
  readonly subject: string;
  readonly headers: Headers | undefined;
  readonly data: Uint8Array;
  /** Where the server says more of it: `pendingIn`, `storedNsIn`. */
  readonly reply: string;
}

export class Pull {
  readonly #session: NatsSession;
  readonly #name: string;
  /** Whether there was nothing to send when it began. */
  readonly isEmpty: boolean;
  readonly #inbox: string;
  readonly #subscription: { unsubscribe(): void };
  /** Came and were not taken, from `#taken` on. */
  #here: ReceivedMessage[] = [];
  #taken = 0;
  #bytesHere = 0;
  #portions: Portion[] = [];
  #portionBytes: number;
  #asked = 0;
  #wake = () => {};
  #isOver = false;

  private constructor(
    session: NatsSession,
    { name, num_pending: pending }: { readonly name: string; readonly num_pending: number },
  ) {
    this.#session = session;
    this.#name = name;
    this.isEmpty = pending === 0;
    this.#inbox = session.inbox();
    this.#portionBytes = Math.min(PORTION_BYTES, mostBytes(session));
    this.#subscription = session.connection.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => this.#receive(error, message),
    });
    this.#ask();
  }

  /** Begins with the first message of the subject at this sequence or after it. */
  static begin(session: NatsSession, subject: string, sequence: number): Promise<Pull> {
    const from = { filter_subject: subject, deliver_policy: 'by_start_sequence', opt_start_seq: sequence };
    return Pull.#begin(session, 'Cannot read a journal', from);
  }

  /** The headers of all messages from a sequence on; from 0, of the last one of each subject. */
  static beginHeaders(session: NatsSession, sequence: number): Promise<Pull> {
    const from =
      sequence === 0
        ? { deliver_policy: 'last_per_subject' }
        : { deliver_policy: 'by_start_sequence', opt_start_seq: sequence };
    const what = { ...from, filter_subject: session.layout.allSubjects, headers_only: true };
    return Pull.#begin(session, 'Cannot list the sessions', what);
  }

  static #begin(session: NatsSession, failure: string, what: object): Promise<Pull> {
    return asked(failure, async () => {
      const info = await session.consumers.add(session.layout.stream, {
        ...what,
        ack_policy: 'none',
        mem_storage: true,
        num_replicas: 1,
        inactive_threshold: FORGOTTEN_AFTER_NS,
      });
      return new Pull(session, info);
    });
  }

  /** The next message, if it is here. */
  take(): PulledMessage | undefined {
    const message = this.#here[this.#taken];
    if (message === undefined) return undefined;
    this.#taken += 1;
    if (this.#taken === this.#here.length) {
      this.#here = [];
      this.#taken = 0;
    }
    this.#bytesHere -= message.data.length;
    this.#ask();
    const { reply = '', subject, headers, data } = message;
    return { sequence: sequenceIn(reply), subject, headers, data, reply };
  }

  /** Whether a message is here, at the latest after this time. */
  async arrival(timeoutMs: number): Promise<boolean> {
    if (this.#here.length === 0 && !this.#isOver) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await waitFor(promise, { timeoutMs });
    }
    return this.#here.length > 0;
  }

  end(): void {
    this.#isOver = true;
    this.#subscription.unsubscribe();
    // It would go away by itself a while later.
    void this.#session.consumers.delete(this.#session.layout.stream, this.#name).catch(() => undefined);
  }

  #receive(error: Error | null, message: ReceivedMessage): void {
    if (error) this.#isOver = true;
    else if (message.subject.startsWith(this.#inbox)) this.#endPortion(message);
    else {
      const [portion] = this.#portions;
      if (portion) {
        portion.messages -= 1;
        if (portion.messages === 0) this.#portions.shift();
      }
      this.#here.push(message);
      this.#bytesHere += message.data.length;
    }
    this.#ask();
    if (this.#here.length > 0 || this.#isOver) this.#wake();
  }

  /** The server says why no more of a portion comes. */
  #endPortion({ subject, headers }: ReceivedMessage): void {
    const index = this.#portions.findIndex(({ reply }) => reply === subject);
    const [portion] = index < 0 ? [] : this.#portions.splice(index, 1);
    if (headers?.code !== CONFLICT) this.#isOver = true;
    // Not one message fitted: the next one is larger than all of a portion.
    else if (portion?.messages === PORTION_MESSAGES) this.#portionBytes = mostBytes(this.#session);
  }

  #mayAsk(): boolean {
    if (this.#isOver || this.#session.connection.isClosed()) return false;
    return this.#bytesHere < this.#portionBytes && this.#here.length - this.#taken < MOST_HERE;
  }

  #ask(): void {
    while (this.#portions.length < PORTIONS && this.#mayAsk()) {
      this.#asked += 1;
      const portion = { reply: `${this.#inbox}.${this.#asked}`, messages: PORTION_MESSAGES };
      this.#portions.push(portion);
      const subject = `$JS.API.CONSUMER.MSG.NEXT.${this.#session.layout.stream}.${this.#name}`;
      const request = JSON.stringify({ batch: PORTION_MESSAGES, max_bytes: this.#portionBytes });
      this.#session.connection.publish(subject, request, { reply: portion.reply });
    }
  }
}

/** What one message may have, with its subject and headers. */
function mostBytes({ maxPayload }: NatsSession): number {
  return maxPayload + HEADER_BYTES;
}

function sequenceIn(reply: string): number {
  return Number(partFromPlace(reply, 5));
}

/** When the message was stored, in nanoseconds since 1970, by the clock of the server. */
export function storedNsIn({ reply }: PulledMessage): bigint {
  return BigInt(partFromPlace(reply, 7));
}

/** The number of messages after this one. */
export function pendingIn({ reply }: PulledMessage): number {
  return Number(partFromPlace(reply, 8));
}

/** `$JS.ACK.STREAM.CONSUMER.DELIVERIES.SEQUENCE.…`; servers of accounts with a domain name two more in front. */
function partFromPlace(reply: string, place: number): string {
  const parts = reply.split('.');
  return parts[parts.length === 9 ? place : place + 2] ?? '0';
}
