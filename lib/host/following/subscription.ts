// The deliveries to a subscriber, pulled piece by piece: first missed events, from the ring or from the file, then the
// message under way and the state of the session, then everything new. It misses no event and sees none twice.
import { onAbort } from '../../platform/waiting.ts';
import type { Delivery, HostSignal, SubscribeOptions } from '../port/followers.ts';
import { BEGINNING, type FollowedPlace, type Past } from './followed.ts';
import { endItem, type Follower, problemOf, resetItem, signalItem, type Waiter } from './follower.ts';

interface SubscriptionOptions extends SubscribeOptions {
  readonly sliceBytes: number;
  /** How the session is at this moment. */
  readonly now: () => Promise<readonly HostSignal[]>;
  /** Called when the subscriber needs events older than the ring. */
  readonly onBehind: () => void;
}

export async function* subscription(
  follower: Follower,
  options: SubscriptionOptions,
): AsyncGenerator<readonly Delivery[], void, void> {
  const { signal, sliceBytes, now, onBehind } = options;
  const { followed, ring } = follower;
  const { id } = followed;
  // Refuses an invalid id of an event before it takes any resource.
  const missed = new Missed(follower, options);
  const waiter: Waiter = {};
  follower.waiters.add(waiter);
  const stopListening = onAbort(signal, () => waiter.wake?.());
  try {
    yield [hello(follower)];
    // Once it has nothing more, nothing is waited for until the place in the ring is taken.
    for (;;) {
      const batch = await missed.next().catch((error: unknown) => [unreadable(follower, error)]);
      if (signal.aborted) return;
      if (batch.at(-1)?.kind === 'end') {
        yield batch;
        return;
      }
      if (batch.length > 0) yield batch;
      else if (missed.isOver) break;
    }
    let next = ring.end;
    const partial = follower.text.read(id);
    // Signals that come meanwhile are sent after it.
    const state: Delivery[] = [
      ...(partial === undefined ? [] : [{ kind: 'partial', data: partial } as const]),
      ...(await now()).map((each) => signalItem(id, each)),
    ];
    if (state.length > 0) yield state;
    while (!signal.aborted) {
      if (next < ring.start) {
        onBehind();
        yield [endItem(id, 'behind')];
        return;
      }
      const items = ring.from(next, sliceBytes);
      next += items.length;
      if (items.length > 0) yield items;
      else if (follower.end !== undefined) {
        yield [follower.end];
        return;
      } else await woken(waiter);
    }
  } finally {
    stopListening();
    follower.waiters.delete(waiter);
    await missed.close();
  }
}

function hello({ followed, head }: Follower): Delivery {
  const name = head && followed.nameOf(head);
  return { kind: 'hello', head: name, data: JSON.stringify({ sessionId: followed.id, head: name }) };
}

/** Missed events cannot be read any more: another process took the session away, or its file is broken. */
function unreadable({ followed, end }: Follower, error: unknown): Delivery {
  return end ?? endItem(followed.id, 'failed', problemOf(error));
}

function woken(waiter: Waiter): Promise<void> {
  return new Promise((resolve) => {
    waiter.wake = () => {
      waiter.wake = undefined;
      resolve();
    };
  });
}

/** The events between the place of the subscriber and the last one that the follower has. */
class Missed {
  readonly #follower: Follower;
  readonly #sliceBytes: number;
  #place: FollowedPlace | undefined;
  #generation: number;
  #past: Past | undefined;

  constructor(follower: Follower, { after, sliceBytes }: SubscriptionOptions) {
    const { followed, head } = follower;
    this.#follower = follower;
    this.#sliceBytes = sliceBytes;
    this.#generation = follower.generation;
    if (after === undefined) this.#place = { seq: head?.seq ?? -1, position: head?.position };
    else this.#place = after === 'start' ? BEGINNING : followed.placeOf(after, head);
  }

  /** Whether the subscriber has all that the follower has. To be asked right after `next`. */
  get isOver(): boolean {
    const { generation, head } = this.#follower;
    return generation === this.#generation && this.#place !== undefined && this.#place.seq >= (head?.seq ?? -1);
  }

  /** The next items; none where there is nothing more. */
  async next(): Promise<readonly Delivery[]> {
    if (this.isOver) return [];
    const { followed, ring, generation, head } = this.#follower;
    if (this.#place === undefined || generation !== this.#generation) {
      const reason = this.#place === undefined ? 'What this id names is no longer there.' : WRITTEN_AGAIN;
      await this.close();
      this.#generation = generation;
      this.#place = BEGINNING;
      return [resetItem(followed.id, reason)];
    }
    let entries = ring.eventsBehind(this.#place.seq, this.#sliceBytes);
    if (entries === undefined) {
      this.#past ??= followed.past(this.#place);
      const read = await this.#past.next(this.#sliceBytes);
      if (this.#follower.generation !== this.#generation) return [];
      // Events that the follower does not have yet will come from it.
      const last = head?.seq ?? -1;
      entries = read.filter(({ seq }) => seq <= last);
      // Damage at the end: there is nothing to wait for.
      if (entries.length === 0) this.#place = { seq: last, position: head?.position };
    }
    const newest = entries.at(-1);
    if (newest !== undefined) this.#place = { seq: newest.seq, position: newest.position };
    return entries.map(({ item }) => item);
  }

  async close(): Promise<void> {
    await this.#past?.close();
    this.#past = undefined;
  }
}

const WRITTEN_AGAIN = 'It was written again from its beginning.';
