// Gathers the small pieces of an export into blocks that are worth a system call. A piece is copied at once: where it
// comes from may be used for the next one by then.

const BLOCK_BYTES = 64 * 1024;

export function* gather(chunks: Iterable<string | Uint8Array>): Generator<Uint8Array, void, void> {
  let block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  let used = 0;
  for (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.length;
    if (used > 0 && used + bytes > BLOCK_BYTES) {
      yield block.subarray(0, used);
      block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
      used = 0;
    }
    if (bytes > BLOCK_BYTES) yield typeof chunk === 'string' ? Buffer.from(chunk) : new Uint8Array(chunk);
    else if (typeof chunk === 'string') used += block.write(chunk, used);
    else {
      block.set(chunk, used);
      used += bytes;
    }
  }
  if (used > 0) yield block.subarray(0, used);
}
