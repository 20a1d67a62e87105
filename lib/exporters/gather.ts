// Gathers the small pieces of an export into blocks that are worth a system call.

const BLOCK_BYTES = 64 * 1024;

export function* gather(chunks: Iterable<string | Uint8Array>): Generator<Uint8Array, void, void> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  for (const chunk of chunks) {
    const piece = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    pieces.push(piece);
    bytes += piece.length;
    if (bytes < BLOCK_BYTES) continue;
    yield Buffer.concat(pieces, bytes);
    pieces = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(pieces, bytes);
}
