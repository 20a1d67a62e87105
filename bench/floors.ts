// The least that could do each job: what a program would be without checksums, checks, chain and recovery. Plain code
// on purpose, but not slow on purpose: files are read in blocks that fit into the processor's cache, lines are found on
// bytes.
import { closeSync, constants, fdatasyncSync, openSync, readSync, writeSync } from 'node:fs';
import type { NewEvent } from '../lib/journal/types.ts';

const LINE_FEED = 0x0a;
/** As much as ollm reads at once. */
const BLOCK_BYTES = 1 << 18;

/** A file opened as a log is: appended to, made if it is not there. */
export function openLog(path: string): number {
  return openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600);
}

/** JSON.stringify of what a journal line says, without checksum and chain. */
export function plainLine(event: NewEvent, seq: number): string {
  const ts = new Date().toISOString();
  return `${JSON.stringify({ seq, ts, type: event.type, turn: event.turn, data: event.data })}\n`;
}

/** One string and one write for all. */
export function writePlainBatch(descriptor: number, events: readonly NewEvent[], firstSeq: number): void {
  let text = '';
  for (let index = 0; index < events.length; index++) text += plainLine(events[index]!, firstSeq + index);
  writeSync(descriptor, text);
}

export function writePlainAndSync(descriptor: number, event: NewEvent, seq: number): void {
  writeSync(descriptor, plainLine(event, seq));
  fdatasyncSync(descriptor);
}

/** Calls back with each whole line, where it lies in the block. Returns the number of lines. */
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
