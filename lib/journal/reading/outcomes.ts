// The one loop over the outcomes of a reading, and the events without the damage.
import type { Batches, Outcome, SessionEvent } from '../types.ts';

export function* eventsOf<Event extends SessionEvent>(batch: readonly Outcome<Event>[]): Generator<Event, void, void> {
  for (const outcome of batch) if (outcome.kind === 'event') yield outcome.event;
}

/**
 * Shows each outcome to `see` until it returns false. True if it saw all. Waits for no single outcome, so that a whole
 * journal is read fast; `eachEvent` is for work that waits itself.
 *
 * @example
 * await everyOutcome(reader.outcomes({ signal }), (outcome) => { if (outcome.kind === 'damage') damaged += 1; });
 */
export async function everyOutcome<Event extends SessionEvent>(
  batches: Batches<Event>,
  see: (outcome: Outcome<Event>) => unknown,
): Promise<boolean> {
  for await (const batch of batches) {
    if (!batch.every((outcome) => see(outcome) !== false)) return false;
  }
  return true;
}

/** Shows only the events, in the same way. */
export function everyEvent<Event extends SessionEvent>(
  batches: Batches<Event>,
  see: (event: Event) => unknown,
): Promise<boolean> {
  return everyOutcome(batches, (outcome) => outcome.kind !== 'event' || see(outcome.event));
}

/** The events of many batches, one by one. */
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
