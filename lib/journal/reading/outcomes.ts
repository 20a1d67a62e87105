// The events of a reading, without its damage.
import type { Batches, Outcome, SessionEvent } from '../types.ts';

export function* eventsOf<Event extends SessionEvent>(batch: readonly Outcome<Event>[]): Generator<Event, void, void> {
  for (const outcome of batch) if (outcome.kind === 'event') yield outcome.event;
}

/** The events of many batches, one by one. Readings of whole journals that have to be fast take the batches. */
export async function* eachEvent<Event extends SessionEvent>(
  batches: Batches<Event>,
): AsyncGenerator<Event, void, void> {
  for await (const batch of batches) yield* eventsOf(batch);
}

/** The first event of a reading; of one that goes backwards this is the newest. */
export async function firstEvent<Event extends SessionEvent>(batches: Batches<Event>): Promise<Event | undefined> {
  for await (const event of eachEvent(batches)) return event;
  return undefined;
}
