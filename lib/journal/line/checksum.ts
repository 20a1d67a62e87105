// The checksum of a line: XXH64 with seed 0, as sixteen hex digits, the way `xxh64sum` prints it. It finds accidents,
// not attackers. xxhash-wasm copies its input into memory that never shrinks, so long input is hashed slice by slice.
import xxhash from 'xxhash-wasm';

const { h64Raw, create64 } = await xxhash();

const SLICE_BYTES = 1024 * 1024;

/** Sixteen lower-case hex digits. */
export function checksum(bytes: Uint8Array): string {
  return bytes.length <= SLICE_BYTES ? toHex(h64Raw(bytes)) : new RunningChecksum().add(bytes).digits;
}

/** A checksum of bytes that are added piece by piece. */
export class RunningChecksum {
  readonly #state = create64();

  add(bytes: Uint8Array): this {
    for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
      this.#state.update(bytes.subarray(start, start + SLICE_BYTES));
    }
    return this;
  }

  /** The checksum of all bytes that were added so far. */
  get digits(): string {
    return toHex(this.#state.digest());
  }
}

function toHex(hash: bigint): string {
  return hash.toString(16).padStart(16, '0');
}
