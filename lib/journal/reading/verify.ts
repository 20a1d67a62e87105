// Checks a whole journal and keeps nothing of it: the same findings in the same order as a reading, without parsing data.
import type { Damage, Verification } from '../types.ts';
import { ForwardReading, type JournalSource } from './scan.ts';

export function verifyJournal(
  source: JournalSource,
  options: { readonly isBeingWritten: () => boolean; readonly onDamage?: ((damage: Damage) => void) | undefined },
): Verification {
  const { isBeingWritten, onDamage } = options;
  const reading = new ForwardReading(source, { isBeingWritten, transient: true });
  let events = 0;
  let damaged = 0;
  let headEnd = 0;
  for (let outcomes = reading.next(); outcomes !== undefined; outcomes = reading.next()) {
    for (const outcome of outcomes) {
      if (outcome.kind === 'event') {
        headEnd = outcome.event.end;
        events += 1;
      } else {
        onDamage?.(outcome.damage);
        damaged += 1;
      }
    }
  }
  const { seq, xxh64 } = reading.examiner.tip;
  const head = events === 0 ? undefined : { seq, offset: headEnd, xxh64 };
  return { lines: reading.lines.count, events, bytes: reading.size, damaged, head };
}
