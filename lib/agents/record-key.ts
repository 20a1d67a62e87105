// The key by which a module remembers a record's id: short for any id, and different for ids with the same beginning or
// end, such as those made of the time.
import { hash } from 'node:crypto';

/** 72 bits. */
const KEY_CHARACTERS = 12;

export function keyOf(id: string): string {
  return hash('sha256', id, 'base64url').slice(0, KEY_CHARACTERS);
}
