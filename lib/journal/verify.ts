// Checks a whole journal on its bytes: nothing is parsed as long as lines hold.
import type { Damage, JournalReader, Verification } from './types.ts';

/** Verifies everything, with each finding as it is met. Memory does not grow with the journal. */
export function verifyJournal(reader: JournalReader, onDamage?: (damage: Damage) => void): Verification {
  return reader.verify(onDamage);
}
