// Collects what a program prints, up to a number of bytes; counts the rest. Grows by doubling, so that a program that
// prints a byte at a time costs no more than one that prints in blocks.

export interface OutputBuffer {
  /** Whether everything so far has fitted. */
  add(chunk: Uint8Array): boolean;
  /** A copy of what was kept. */
  bytes(): Uint8Array;
  readonly omittedBytes: number;
}

const FIRST_BYTES = 4096;

export function createOutputBuffer(maxBytes: number): OutputBuffer {
  let kept = new Uint8Array(Math.min(FIRST_BYTES, maxBytes));
  let length = 0;
  let omittedBytes = 0;
  return {
    add(chunk) {
      const fitting = chunk.subarray(0, maxBytes - length);
      if (length + fitting.length > kept.length) {
        const larger = new Uint8Array(Math.min(maxBytes, Math.max(2 * kept.length, length + fitting.length)));
        larger.set(kept.subarray(0, length));
        kept = larger;
      }
      kept.set(fitting, length);
      length += fitting.length;
      omittedBytes += chunk.length - fitting.length;
      return omittedBytes === 0;
    },
    bytes: () => kept.slice(0, length),
    get omittedBytes() {
      return omittedBytes;
    },
  };
}
