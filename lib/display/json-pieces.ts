// The text of a JSON document in pieces: a string has 512 MB at most, and the state of a long session is more than
// that.

/** Lists and objects that lie deeper are written whole: one message, one call. */
const DEPTH = 3;
const PIECE_CHARACTERS = 64 * 1024;

/**
 * What `JSON.stringify(value, null, 2)` would say, piece by piece.
 *
 * @example
 * for (const piece of jsonPieces({ items })) await write(piece);
 */
export function* jsonPieces(value: unknown): Generator<string, void, void> {
  let piece = '';
  for (const part of partsOf(value, '', 0)) {
    piece += part;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

function* partsOf(value: unknown, indent: string, depth: number): Generator<string, void, void> {
  if (depth === DEPTH || !isPlainContainer(value)) {
    // No string in JSON holds a line end as it is.
    yield (JSON.stringify(value, null, 2) ?? 'null').replaceAll('\n', `\n${indent}`);
    return;
  }
  const isList = Array.isArray(value);
  const members = isList ? value.keys() : Object.keys(value).filter((name) => isStored(value[name]));
  const inner = `${indent}  `;
  let before = isList ? '[' : '{';
  for (const name of members) {
    yield `${before}\n${inner}${isList ? '' : `${JSON.stringify(name)}: `}`;
    yield* partsOf((value as Record<string | number, unknown>)[name], inner, depth + 1);
    before = ',';
  }
  if (before === ',') yield `\n${indent}${isList ? ']' : '}'}`;
  else yield isList ? '[]' : '{}';
}

function isPlainContainer(value: unknown): value is Record<string, unknown> | unknown[] {
  return typeof value === 'object' && value !== null && typeof (value as { toJSON?: unknown }).toJSON !== 'function';
}

/** Members of which JSON says nothing. */
function isStored(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
}
