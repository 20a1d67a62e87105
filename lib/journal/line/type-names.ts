// The names of event types as strings, without making one for each line: a journal holds few types and many lines.
// One that is known is found by its bytes; no more are kept than a catalogue has, whatever a journal names.

const MAX_NAMES = 256;

interface KnownName {
  readonly text: string;
  readonly bytes: Uint8Array;
}

/** By a hash of their bytes. Of two with the same hash, the first stays. */
const known = new Map<number, KnownName>();

/** The text of these bytes, which are lower-case letters, dots and hyphens. */
export function typeNameAt(buffer: Buffer, start: number, stop: number): string {
  const hash = hashOf(buffer, start, stop);
  const candidate = known.get(hash);
  if (candidate !== undefined && standsAt(candidate.bytes, buffer, start, stop)) return candidate.text;
  const text = buffer.toString('latin1', start, stop);
  if (candidate === undefined && known.size < MAX_NAMES) known.set(hash, { text, bytes: Buffer.from(text, 'latin1') });
  return text;
}

/** FNV-1a. */
function hashOf(buffer: Buffer, start: number, stop: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < stop; at += 1) hash = Math.imul(hash ^ buffer[at]!, 0x01000193);
  return hash;
}

function standsAt(bytes: Uint8Array, buffer: Buffer, start: number, stop: number): boolean {
  if (bytes.length !== stop - start) return false;
  for (let index = 0; index < bytes.length; index += 1) if (bytes[index] !== buffer[start + index]) return false;
  return true;
}
