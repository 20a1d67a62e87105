// What a module remembers of a record's id: short, whatever the id is, and different for ids that begin or end alike,
// as those do that are made of the time.
import { hash } from 'node:crypto';

/** 72 bits. */
const KEY_CHARACTERS = 12;

export function keyOf(id: string): string {
  return hash('sha256', id, 'base64url').slice(0, KEY_CHARACTERS);
}
