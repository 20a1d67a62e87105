// Takes secrets out of a conversation while it is read: for one that was stored by another program, as it was.
import { redactValue } from '../environment/redact-value.ts';
import type { Batches, EventReader, JsonObject, Outcome, SessionEvent } from '../journal/types.ts';

/** Wraps a reader: each event and each reason of damage is redacted. Closing it closes the reader. */
export function redactingReader<Event extends SessionEvent>(
  reader: EventReader<Event>,
  redact: (text: string) => string,
): EventReader<Event> {
  const clean = (event: Event): Event => {
    const data = redactValue(event.data, redact) as JsonObject;
    return data === event.data ? event : { ...event, data };
  };
  const cleanOutcome = (outcome: Outcome<Event>): Outcome<Event> =>
    outcome.kind === 'event'
      ? { kind: 'event', event: clean(outcome.event) }
      : { kind: 'damage', damage: { ...outcome.damage, reason: redact(outcome.damage.reason) } };
  async function* cleanBatches(batches: Batches<Event>): AsyncGenerator<readonly Outcome<Event>[], void, void> {
    for await (const batch of batches) yield batch.map(cleanOutcome);
  }
  return {
    id: reader.id,
    async first() {
      const event = await reader.first();
      return event && clean(event);
    },
    outcomes: (options) => cleanBatches(reader.outcomes(options)),
    follow: (options) => cleanBatches(reader.follow(options)),
    close: () => reader.close(),
    [Symbol.dispose]: () => reader.close(),
  };
}
