// From one line of a journal to the next. Lines that hold and follow each other, which nearly all of nearly every journal
// do, are found many at once and gone through one by one; any other is handed out alone, for the examiner to tell of it.

import { LinePositions } from '../line/line-positions.ts';
import { Scanner } from '../line/scanner.ts';
import type { LoadedData } from '../types.ts';
import { Examiner } from './examine.ts';
import { ForwardLines, type LineStep } from './lines.ts';

/** A line that is longer is handed out alone. What is never touched of so much memory takes nothing. */
const CAPACITY_BYTES = 4 * 1024 * 1024;

/** Shared by all readings: what one has found is its own before another comes. */
const scanner = new Scanner(CAPACITY_BYTES);
/** What is in the scanner: a piece of a chunk, from one place of its buffer to another. */
let loaded = { chunk: {}, start: 0, stop: 0 };

export class JournalReading {
  /** As `Examiner.held`. */
  static readonly held = new JournalReading(new ForwardLines({ read: () => 0 }, 0, 0), new Examiner());
  readonly lines: ForwardLines;
  readonly examiner: Examiner;
  /** Of the line that `next` came to, if it holds. */
  readonly positions = new LinePositions();
  /** How many lines were found at once, and how many of them were handed out. */
  #found = 0;
  #taken = 0;

  constructor(lines: ForwardLines, examiner: Examiner) {
    this.lines = lines;
    this.examiner = examiner;
  }

  /** Goes on to the next line, which is in `lines` then. */
  next(): 'holds' | LineStep {
    const { lines, positions } = this;
    if (this.#taken === this.#found && !this.#find()) return lines.next();
    positions.moveTo(this.#taken);
    this.#taken += 1;
    lines.take(positions.stop);
    return 'holds';
  }

  /** The data of the line that `next` came to. */
  data(): LoadedData {
    const { lines, positions } = this;
    // Another reading may have been at it since. This line alone: where two take turns, each would bring all of its rest.
    const isThere = lines.chunk === loaded.chunk && positions.start >= loaded.start && positions.stop <= loaded.stop;
    if (!isThere) bring(lines, positions.start, positions.stop);
    return { bytes: lines.buffer, start: positions.data, stop: positions.dataStop, scanner, origin: loaded.start };
  }

  /** Goes over all that hold, as far as they were read, without a look at each: how many there were. Else, as `next`. */
  pass(): number | LineStep {
    const { lines } = this;
    const { chain } = this.examiner;
    do {
      const first = load(lines, chain);
      const count = scanner.pass(first, loaded.stop - loaded.start);
      if (count === 0) continue;
      lines.takeMany(count, loaded.start + scanner.passedTo);
      chain.advance(scanner.seq, scanner.hash);
      return count;
    } while (lines.readOn());
    return lines.next();
  }

  /** All that it finds are in the chain at once. */
  #find(): boolean {
    const { lines, positions } = this;
    const { chain } = this.examiner;
    do {
      const first = load(lines, chain);
      this.#found = scanner.find(first, loaded.stop - loaded.start);
      this.#taken = 0;
      if (this.#found === 0) continue;
      positions.take(scanner, this.#found, loaded.start);
      chain.advance(scanner.seq, scanner.hash);
      return true;
    } while (lines.readOn());
    return false;
  }
}

/** Brings what was not handed out yet to the scanner, and says where it begins there. */
function load(lines: ForwardLines, { seq, hash }: Examiner['chain']): number {
  const { buffer, chunk, unread } = lines;
  const isThere = chunk === loaded.chunk && unread >= loaded.start;
  if (!isThere || (unread >= loaded.stop && loaded.stop < buffer.length)) bring(lines, unread, buffer.length);
  scanner.follow(seq, hash);
  return unread - loaded.start;
}

/** As much of it as there is room for. */
function bring({ buffer, chunk }: ForwardLines, start: number, end: number): void {
  const stop = Math.min(end, start + CAPACITY_BYTES);
  scanner.load(buffer, start, stop);
  loaded = { chunk, start, stop };
}
