// Checks a whole journal and keeps nothing of it: the same findings in the same order as a reading, without parsing
// data.
import type { Damage, Verification } from '../types.ts';
import { ForwardReading, type JournalSource } from './scan.ts';

export interface VerifyJournalOptions {
  readonly isBeingWritten: () => boolean;
  readonly onDamage?: ((damage: Damage) => void) | undefined;
}

/** Bytes between two pauses. */
const STEP_BYTES = 256 * 1024;

export function verifyJournal(source: JournalSource, options: VerifyJournalOptions): Verification {
  const steps = verifyInSteps(source, options);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** The same with pauses, in which other work may run. */
export function* verifyInSteps(
  source: JournalSource,
  options: VerifyJournalOptions,
): Generator<void, Verification, void> {
  const { isBeingWritten, onDamage } = options;
  const reading = new ForwardReading(source, { isBeingWritten, transient: true });
  let events = 0;
  let damaged = 0;
  let headEnd = 0;
  let stepEnd = STEP_BYTES;
  for (let outcomes = reading.next(); outcomes !== undefined; outcomes = reading.next()) {
    if (reading.lines.end >= stepEnd) {
      stepEnd = reading.lines.end + STEP_BYTES;
      yield;
    }
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
