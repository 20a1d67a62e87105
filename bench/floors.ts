// The least that reads the lines of a file: plain code, but not slow on purpose. Files are read in blocks that fit into
// the processor's cache, lines are found on bytes.
import { closeSync, openSync, readSync } from 'node:fs';

const LINE_FEED = 0x0a;
/** As much as ollm reads at once. */
const BLOCK_BYTES = 1 << 18;

/** Each whole line, parsed. */
export function* parsedLines(path: string): Generator<unknown> {
  const file = openSync(path, 'r');
  let block: Buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  let kept = 0;
  for (;;) {
    // A block that grew for a long line is not read full again.
    const read = readSync(file, block, kept, Math.min(BLOCK_BYTES, block.length - kept), null);
    if (read === 0) break;
    const filled = kept + read;
    let start = 0;
    for (let end = block.indexOf(LINE_FEED); end !== -1 && end < filled; end = block.indexOf(LINE_FEED, start)) {
      yield JSON.parse(block.toString('utf8', start, end));
      start = end + 1;
    }
    kept = filled - start;
    if (kept === block.length) block = Buffer.concat([block], block.length * 2);
    else block.copyWithin(0, start, filled);
  }
  closeSync(file);
}

/** JSON.parse of each line, and nothing else. */
export function parseLines(path: string): void {
  for (const value of parsedLines(path)) void value;
}
