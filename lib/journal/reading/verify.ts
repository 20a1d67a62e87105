// Checks a whole journal on its bytes: as long as lines hold, nothing is parsed and nothing allocated per line.
import { toHex } from '../line/checksum.ts';
import type { Damage, Verification } from '../types.ts';
import { Examiner } from './examine.ts';
import { ForwardLines } from './lines.ts';
import { JournalReading } from './reading.ts';
import { isInFlight, type JournalSource } from './scan.ts';

/** Checks every line; makes no event of any. Memory does not grow with the journal. */
export function verifyLines(
  source: JournalSource,
  options: { readonly isBeingWritten: () => boolean; readonly onDamage?: ((damage: Damage) => void) | undefined },
): Verification {
  const size = source.stat().size;
  const lines = new ForwardLines(source, 0, size, { reuse: true });
  const examiner = new Examiner();
  const reading = new JournalReading(lines, examiner);
  let events = 0;
  let damaged = 0;
  let headEnd = 0;
  for (let step = reading.pass(); step !== 'end'; step = reading.pass()) {
    if (typeof step === 'number') {
      events += step;
      headEnd = lines.end;
      continue;
    }
    if (!lines.terminated && isInFlight(source, size, options.isBeingWritten)) break;
    for (const outcome of examiner.examine(lines, step, lines.count)) {
      if (outcome.kind === 'event') {
        events += 1;
        headEnd = outcome.event.end;
      } else {
        damaged += 1;
        options.onDamage?.(outcome.damage);
      }
    }
  }
  const { seq, hash } = examiner.tip;
  const head = events === 0 ? undefined : { seq, offset: headEnd, xxh64: toHex(hash) };
  return { lines: lines.count, events, bytes: size, damaged, head };
}
