// Gathers the pieces of an export into blocks that are worth a system call. A piece is copied at once: where it comes
// from may be used for the next one by then. A long piece is cut, so that no block is larger than the others.

const BLOCK_BYTES = 64 * 1024;

interface GatherOptions {
  /** Each block is good until the next one is pulled: all of them lie in the same memory. */
  readonly transient?: boolean | undefined;
}

export async function* gather(
  groups: AsyncIterable<Iterable<string | Uint8Array>> | Iterable<Iterable<string | Uint8Array>>,
  { transient = false }: GatherOptions = {},
): AsyncGenerator<Uint8Array, void, void> {
  const encoder = new TextEncoder();
  // A block of its own for each takes memory that waits for the collector, which sees little reason to come for it.
  let block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  let used = 0;
  for await (const group of groups) {
    for (const piece of group) {
      for (let rest = piece; rest.length > 0; ) {
        const room = block.subarray(used);
        const { taken, written } = typeof rest === 'string' ? putText(rest, room, encoder) : putBytes(rest, room);
        used += written;
        if (taken === rest.length) break;
        yield block.subarray(0, used);
        if (!transient) block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
        used = 0;
        rest = typeof rest === 'string' ? rest.slice(taken) : rest.subarray(taken);
      }
    }
  }
  if (used > 0) yield block.subarray(0, used);
}

interface Put {
  /** Size of the piece: code units, or bytes. */
  readonly taken: number;
  /** Bytes. */
  readonly written: number;
}

/** Never a part of a character. */
function putText(text: string, room: Uint8Array, encoder: InstanceType<typeof TextEncoder>): Put {
  const { read, written } = encoder.encodeInto(text, room);
  return { taken: read, written };
}

function putBytes(bytes: Uint8Array, room: Uint8Array): Put {
  const length = Math.min(bytes.length, room.length);
  room.set(length === bytes.length ? bytes : bytes.subarray(0, length));
  return { taken: length, written: length };
}
