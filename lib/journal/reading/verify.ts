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

/** Pauses after each 256 KiB or so, for other work. */
export function* verifyInSteps(
  source: JournalSource,
  { isBeingWritten, onDamage }: VerifyJournalOptions,
): Generator<void, Verification, void> {
  const reading = new ForwardReading(source, { isBeingWritten, transient: true });
  const { lines, examiner, size } = reading;
  let events = 0;
  let damaged = 0;
  let headEnd = 0;
  let stepEnd = STEP_BYTES;
  for (const outcomes of reading) {
    if (outcomes.length === 0 || lines.end >= stepEnd) {
      stepEnd = lines.end + STEP_BYTES;
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
  const { seq, xxh64 } = examiner.tip;
  const head = events === 0 ? undefined : { seq, offset: headEnd, xxh64 };
  return { lines: lines.count, events, bytes: size, damaged, head };
}
