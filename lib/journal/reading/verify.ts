// Checks a whole journal and keeps nothing of it: the same findings in the same order as a reading, without parsing
// data.
import type { Damage, Verification } from '../types.ts';
import { ForwardReading, type JournalSource, withPauses } from './scan.ts';

interface VerifyJournalOptions {
  readonly isBeingWritten: () => boolean;
  readonly onDamage?: ((damage: Damage) => void) | undefined;
  /** Lets other work run. */
  readonly pause: () => Promise<void>;
}

export async function verifyJournal(
  source: JournalSource,
  { isBeingWritten, onDamage, pause }: VerifyJournalOptions,
): Promise<Verification> {
  const reading = new ForwardReading(source, { isBeingWritten, transient: true });
  const { lines, examiner, size } = reading;
  let events = 0;
  let damaged = 0;
  let headEnd = 0;
  for await (const batch of withPauses(reading.batches(), pause)) {
    for (const outcome of batch) {
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
