// Keeps what a program prints, up to a number of bytes; counts the rest. In blocks, so that a program that prints a
// byte at a time costs no more than one that prints much at once, and nothing that is kept is ever moved.

export interface OutputBuffer {
  /** Whether everything has fitted until now. */
  add(chunk: Uint8Array): boolean;
  /** A copy of the kept bytes. */
  bytes(): Uint8Array;
  readonly omittedBytes: number;
}

const FIRST_BYTES = 4096;
const MAX_BLOCK_BYTES = 1024 * 1024;

export function createOutputBuffer(maxBytes: number): OutputBuffer {
  const full: Uint8Array[] = [];
  let block = new Uint8Array(Math.min(FIRST_BYTES, maxBytes));
  let used = 0;
  let length = 0;
  let omittedBytes = 0;
  return {
    add(chunk) {
      const fitting = chunk.subarray(0, maxBytes - length);
      for (let at = 0; at < fitting.length; ) {
        if (used === block.length) {
          full.push(block);
          block = new Uint8Array(Math.min(maxBytes - length, MAX_BLOCK_BYTES, 2 * block.length));
          used = 0;
        }
        const part = fitting.subarray(at, at + block.length - used);
        block.set(part, used);
        used += part.length;
        length += part.length;
        at += part.length;
      }
      omittedBytes += chunk.length - fitting.length;
      return omittedBytes === 0;
    },
    bytes: () => Buffer.concat([...full, block.subarray(0, used)], length),
    get omittedBytes() {
      return omittedBytes;
    },
  };
}
