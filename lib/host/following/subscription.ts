// What one subscriber is sent, pulled piece by piece: first what it has missed, from the ring or from the file, then
// the message under way and how the session is, then all that comes. It misses no event and sees none twice.
import type { Delivery, HostSignal, SubscribeOptions } from '../types.ts';
import { BEGINNING, type Past, type Place } from './followed.ts';
import { type Follower, resetItem, signalItem, type Waiter } from './follower.ts';
import type { EventItem } from './ring.ts';

export interface SubscriptionOptions extends SubscribeOptions {
  readonly sliceBytes: number;
  /** How the session is at this moment. */
  readonly now: () => readonly HostSignal[];
  /** Called when the subscriber is further behind than the ring. */
  readonly onBehind: () => void;
}

export async function* subscription(
  follower: Follower,
  options: SubscriptionOptions,
): AsyncGenerator<readonly Delivery[], void, void> {
  const { signal, sliceBytes, now, onBehind } = options;
  const { followed, ring } = follower;
  const { id } = followed;
  const waiter: Waiter = {};
  const stop = () => waiter.wake?.();
  follower.waiters.add(waiter);
  signal.addEventListener('abort', stop);
  try {
    yield [hello(follower)];
    for await (const batch of missed(follower, options)) {
      yield batch;
      if (signal.aborted) return;
    }
    // From here to the first item that comes nothing is waited for.
    let next = ring.end;
    const partial = follower.text.read(id);
    const state: Delivery[] = [
      ...(partial === undefined ? [] : [{ kind: 'partial', data: partial } as const]),
      ...now().map((each) => signalItem(id, each)),
    ];
    if (state.length > 0) yield state;
    while (!signal.aborted) {
      if (next < ring.start) {
        onBehind();
        yield [{ kind: 'end', reason: 'behind', data: JSON.stringify({ sessionId: id }) }];
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
    signal.removeEventListener('abort', stop);
    follower.waiters.delete(waiter);
  }
}

function hello({ followed, head }: Follower): Delivery {
  const name = head && followed.nameOf(head);
  return { kind: 'hello', head: name, data: JSON.stringify({ sessionId: followed.id, head: name }) };
}

function woken(waiter: Waiter): Promise<void> {
  return new Promise((resolve) => {
    waiter.wake = () => {
      waiter.wake = undefined;
      resolve();
    };
  });
}

/** The events behind the place of the subscriber, up to the last one that the follower has. */
async function* missed(
  follower: Follower,
  { after, sliceBytes }: SubscriptionOptions,
): AsyncGenerator<readonly Delivery[], void, void> {
  if (after === undefined) return;
  const { followed, ring } = follower;
  let generation = follower.generation;
  let place = after === 'start' ? BEGINNING : followed.placeOf(after, follower.head);
  if (place === undefined) {
    yield [resetItem(followed.id, 'What this id names is no longer there.')];
    place = BEGINNING;
  }
  let past: Past | undefined;
  try {
    for (;;) {
      if (generation !== follower.generation) {
        generation = follower.generation;
        yield [resetItem(followed.id, 'It was written again from its beginning.')];
        place = BEGINNING;
        await past?.close();
        past = undefined;
        continue;
      }
      if (place.seq >= (follower.head?.seq ?? -1)) return;
      let entries = ring.eventsBehind(place.seq, sliceBytes);
      if (entries === undefined) {
        past ??= followed.past(place);
        entries = upTo(follower.head?.seq ?? -1, await past.next(sliceBytes));
        if (generation !== follower.generation) continue;
      }
      if (entries.length === 0) return;
      place = placeOf(entries.at(-1)!);
      yield entries.map(({ item }) => item);
    }
  } finally {
    await past?.close();
  }
}

/** What the follower does not have yet comes by the follower. */
function upTo(seq: number, entries: readonly EventItem[]): EventItem[] {
  return entries.filter((entry) => entry.seq <= seq);
}

function placeOf({ seq, position }: EventItem): Place {
  return { seq, position };
}
