// The entries of a view as JSON. What was said does not change any more, so that its bytes are kept as long as it is
// there: a state file is written again and again with nearly the same entries, and only the new ones are to be encoded.

interface Encoded {
  readonly bytes: Uint8Array;
  /** What may still change of an entry: a call gets its result, and the tokens of that, once. */
  readonly tokens: unknown;
  readonly result: unknown;
}

const encoded = new WeakMap<object, Encoded>();

const OPENING = Buffer.from('[');
const COMMA = Buffer.from(',');
const CLOSING = Buffer.from(']');

/** A JSON array, in UTF-8. */
export function encodeEntries(entries: readonly unknown[]): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (const entry of entries) pieces.push(pieces.length === 0 ? OPENING : COMMA, bytesOf(entry as Entry));
  return Buffer.concat(pieces.length === 0 ? [OPENING, CLOSING] : [...pieces, CLOSING]);
}

interface Entry {
  readonly tokens?: unknown;
  readonly result?: unknown;
}

function bytesOf(entry: Entry): Uint8Array {
  const { tokens, result } = entry;
  const known = encoded.get(entry);
  if (known !== undefined && known.tokens === tokens && known.result === result) return known.bytes;
  const bytes = Buffer.from(JSON.stringify(entry));
  encoded.set(entry, { bytes, tokens, result });
  return bytes;
}
