// The least that reads the lines of a file: plain code, but not slow on purpose. Files are read in blocks that fit into
// the processor's cache, lines are found on bytes.
import { closeSync, openSync, readSync } from 'node:fs';

const LINE_FEED = 0x0a;
/** As much as ollm reads at once. */
const BLOCK_BYTES = 1 << 18;

/** Calls back with each whole line, where it is in the block. Returns the number of lines. */
export function eachLine(path: string, onLine: (block: Buffer, start: number, end: number) => void): number {
  const descriptor = openSync(path, 'r');
  let block: Buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  let kept = 0;
  let lines = 0;
  try {
    for (;;) {
      // A block that grew for a long line is not read full again.
      const read = readSync(descriptor, block, kept, Math.min(BLOCK_BYTES, block.length - kept), null);
      if (read === 0) return lines;
      const filled = kept + read;
      const bytes = block.subarray(0, filled);
      let start = 0;
      for (;;) {
        const end = bytes.indexOf(LINE_FEED, start);
        if (end === -1) break;
        onLine(block, start, end);
        lines++;
        start = end + 1;
      }
      kept = filled - start;
      if (kept === block.length) block = Buffer.concat([block], block.length * 2);
      else block.copyWithin(0, start, filled);
    }
  } finally {
    closeSync(descriptor);
  }
}

export function parseEachLine(path: string): number {
  return eachLine(path, (block, start, end) => {
    JSON.parse(block.toString('utf8', start, end));
  });
}
