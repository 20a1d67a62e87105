// Outcomes in batches, as a reader hands them out.
import type { Outcome } from '../types.ts';

const MAX_OUTCOMES = 256;
const MAX_BYTES = 256 * 1024;

/** Cuts outcomes into batches. One that is longer than a batch may be is a batch of its own. */
export function* inBatches(outcomes: Iterable<Outcome>): Generator<Outcome[], void, void> {
  let batch: Outcome[] = [];
  let bytes = 0;
  for (const outcome of outcomes) {
    const length = lengthOf(outcome);
    if (batch.length === MAX_OUTCOMES || (batch.length > 0 && bytes + length > MAX_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(outcome);
    bytes += length;
  }
  if (batch.length > 0) yield batch;
}

function lengthOf(outcome: Outcome): number {
  return outcome.kind === 'event' ? outcome.event.end - outcome.event.offset : outcome.damage.length;
}
