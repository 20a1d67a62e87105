// Cuts a file into lines at the byte 0x0A and at nothing else, forwards or backwards, in chunks of 256 KiB. Reads
// nothing itself: `step` says when bytes are missing, and goes on when it has them. A line that is over the limit is
// passed over without being held in memory. The content of lines does not matter here.
import type { FileHandle } from '../../platform/files/file-system.ts';
import { readInto } from '../../platform/files/io.ts';
import { LINE_FEED, MAX_READ_LINE_BYTES } from '../format.ts';
import type { LineSpan } from '../line/codec.ts';

/** Fits into the cache of a processor. */
const CHUNK_BYTES = 256 * 1024;
/** Bytes kept of a skipped line: enough for its seq. */
const HEAD_BYTES = 64;
const NO_BYTES = Buffer.alloc(0);

/** Where bytes come from, at once or later. */
export interface ByteSource {
  /** Reads into the target. Returns how many bytes came: 0 at the end. */
  read(target: Uint8Array, position: number): number | Promise<number>;
}

/**
 * What `step` found: a line, one that is too long to hold, the end, or nothing yet. `more`: bytes are missing.
 * `passing`: a chunk of a line that is too long was passed over.
 */
export type LineStep = 'line' | 'oversize' | 'end' | 'more' | 'passing';

/** A line as it was found. */
export interface FoundLine extends LineSpan {
  /** Bytes without the LF; also of a line that is too long to hold. */
  readonly length: number;
  readonly terminated: boolean;
}

interface LineLimits {
  /** Bytes of the file that a buffer holds at least, if there are as many. */
  readonly chunkBytes?: number | undefined;
  readonly maxLineBytes?: number | undefined;
}

/** Lines in one direction. After `step` answered `line`, the line is in `buffer` from `start` to `stop`. */
export abstract class Lines implements FoundLine {
  buffer: Buffer = NO_BYTES;
  start = 0;
  stop = 0;
  /** Whether the line ends with an LF. False only for the last one of the file. */
  terminated = true;
  length = 0;
  /** Where the line begins in the file. */
  offset: number;
  protected readonly chunkBytes: number;
  protected readonly maxLineBytes: number;

  constructor(offset: number, { chunkBytes = CHUNK_BYTES, maxLineBytes = MAX_READ_LINE_BYTES }: LineLimits) {
    this.offset = offset;
    this.chunkBytes = chunkBytes;
    this.maxLineBytes = maxLineBytes;
  }

  /** Where the next line begins in the file. */
  get end(): number {
    return this.offset + this.length + (this.terminated ? 1 : 0);
  }

  /** Goes to the next line in this direction. */
  abstract step(): LineStep;
  /** Room for the bytes that are missing, and where they are in the file. `took` must follow. */
  abstract more(): { readonly target: Buffer; readonly position: number };
  /** Says how many of them came. If the room is not full, the file has no others. */
  abstract took(bytes: number): void;
}

/** Lines from one place of a file to another. With `reuse` later lines overwrite the buffer once bytes are missing. */
export class ForwardLines extends Lines {
  /** Number of the line, counted from the first that was read here. */
  count = 0;

  readonly #reuse: boolean;
  #to: number;
  #storage = NO_BYTES;
  /** The part of the storage that has come. */
  #window = NO_BYTES;
  /** Where the window is in the file. */
  #base: number;
  /** In the window: where the next line begins, and up to where it has no LF. */
  #cursor = 0;
  #searched = 0;
  /** The beginning of the line that is being passed over. */
  #head: Buffer | undefined;

  constructor(from: number, to: number, options: LineLimits & { readonly reuse?: boolean } = {}) {
    super(from, options);
    this.#base = from;
    this.#to = to;
    this.#reuse = options.reuse ?? false;
  }

  step(): LineStep {
    const lineFeed = this.#window.indexOf(LINE_FEED, this.#searched);
    if (lineFeed >= 0) return this.#found(lineFeed, true);
    this.#searched = this.#window.length;
    const unread = this.#window.length - this.#cursor;
    if (unread > (this.#head ? 0 : this.maxLineBytes)) return this.#passOver();
    if (this.#base + this.#window.length < this.#to) return 'more';
    return unread === 0 && !this.#head ? 'end' : this.#found(this.#window.length, false);
  }

  #found(stop: number, terminated: boolean): 'line' | 'oversize' {
    if (this.#head) {
      this.buffer = this.#head;
      this.start = 0;
      this.stop = this.#head.length;
      this.#head = undefined;
    } else {
      this.buffer = this.#window;
      this.start = this.#cursor;
      this.stop = stop;
      this.offset = this.#base + this.#cursor;
    }
    this.length = this.#base + stop - this.offset;
    this.terminated = terminated;
    this.count += 1;
    this.#cursor = terminated ? stop + 1 : stop;
    this.#searched = this.#cursor;
    return this.length > this.maxLineBytes ? 'oversize' : 'line';
  }

  #passOver(): 'passing' {
    if (!this.#head) {
      this.#head = Buffer.from(this.#window.subarray(this.#cursor, this.#cursor + HEAD_BYTES));
      this.offset = this.#base + this.#cursor;
    }
    this.#base += this.#window.length;
    this.#window = NO_BYTES;
    this.#cursor = 0;
    this.#searched = 0;
    return 'passing';
  }

  /** The rest of the window moves to the front. */
  more(): { readonly target: Buffer; readonly position: number } {
    const position = this.#base + this.#window.length;
    const rest = this.#window.subarray(this.#cursor);
    const room = Math.min(Math.max(this.chunkBytes, rest.length * 2), this.maxLineBytes + this.chunkBytes);
    const wanted = Math.min(room, rest.length + this.#to - position);
    if (!this.#reuse || this.#storage.length < wanted) this.#storage = Buffer.allocUnsafeSlow(wanted);
    this.#storage.set(rest);
    this.#window = this.#storage.subarray(0, rest.length);
    this.#base += this.#cursor;
    this.#cursor = 0;
    this.#searched = rest.length;
    return { target: this.#storage.subarray(rest.length, wanted), position };
  }

  took(bytes: number): void {
    this.#window = this.#storage.subarray(0, this.#window.length + bytes);
    if (bytes === 0) this.#to = this.#base + this.#window.length;
  }
}

/** The lines before a place of a file, the last one first. Their bytes stay as they are. */
export class BackwardLines extends Lines {
  /** The bytes that have come and belong to no line yet, up to `#cursor`. */
  #window = NO_BYTES;
  /** Where the window is in the file. */
  #base: number;
  #cursor = 0;
  /** Where the file begins, as far as it can be read. */
  #from = 0;
  /** How many bytes are missing. */
  #wanted = 0;
  #isFirst = true;
  /** Where the line ends that is being passed over. */
  #passedFrom: number | undefined;

  constructor(end: number, options: LineLimits = {}) {
    super(end, options);
    this.#base = end;
  }

  step(): LineStep {
    const isPassing = this.#passedFrom !== undefined;
    if (this.#cursor === 0 && this.#base > this.#from) return 'more';
    if (this.#cursor === 0 && !isPassing) return 'end';
    // A line ends with an LF, which belongs to it; only the last one may be without.
    if (!isPassing) this.terminated = this.#window[this.#cursor - 1] === LINE_FEED;
    if (!this.terminated && !this.#isFirst && !isPassing) throw new RangeError('A place inside a line.');
    const stop = this.#cursor - (this.terminated && !isPassing ? 1 : 0);
    const lineFeed = stop === 0 ? -1 : this.#window.lastIndexOf(LINE_FEED, stop - 1);
    if (lineFeed >= 0 || this.#base === this.#from) return this.#found(lineFeed + 1, stop);
    if (!isPassing && stop <= this.maxLineBytes) return 'more';
    this.#passedFrom ??= this.#base + stop;
    this.#window = NO_BYTES;
    this.#cursor = 0;
    return 'passing';
  }

  #found(start: number, stop: number): 'line' | 'oversize' {
    const end = this.#passedFrom ?? this.#base + stop;
    const isHeld = this.#passedFrom === undefined;
    this.buffer = isHeld ? this.#window : NO_BYTES;
    this.start = isHeld ? start : 0;
    this.stop = isHeld ? stop : 0;
    this.offset = this.#base + start;
    this.length = end - this.offset;
    this.#cursor = start;
    this.#passedFrom = undefined;
    this.#isFirst = false;
    return this.length > this.maxLineBytes ? 'oversize' : 'line';
  }

  more(): { readonly target: Buffer; readonly position: number } {
    const rest = this.#window.subarray(0, this.#cursor);
    this.#wanted = Math.min(this.#base - this.#from, Math.max(this.chunkBytes, rest.length));
    this.#window = Buffer.allocUnsafeSlow(this.#wanted + rest.length);
    this.#window.set(rest, this.#wanted);
    return { target: this.#window.subarray(0, this.#wanted), position: this.#base - this.#wanted };
  }

  took(bytes: number): void {
    if (bytes === this.#wanted) {
      this.#base -= bytes;
      this.#cursor += bytes;
    } else {
      this.#from = this.#base;
      this.#window = this.#window.subarray(this.#wanted);
    }
  }
}

/** The next step of lines whose missing bytes come from a source. */
export async function nextStep(lines: Lines, source: ByteSource): Promise<Exclude<LineStep, 'more'>> {
  for (let step = lines.step(); ; step = lines.step()) {
    if (step !== 'more') return step;
    await readMore(lines, source);
  }
}

/** Steps through a file synchronously. */
export function stepAtOnce(lines: Lines, file: Pick<FileHandle, 'read'>): Exclude<LineStep, 'more'> {
  for (let step = lines.step(); ; step = lines.step()) {
    if (step !== 'more') return step;
    const { target, position } = lines.more();
    lines.took(readInto(file, target, position));
  }
}

/** Gets the bytes that are missing. */
export async function readMore(lines: Lines, source: ByteSource): Promise<void> {
  const { target, position } = lines.more();
  let filled = 0;
  while (filled < target.length) {
    const count = await source.read(filled === 0 ? target : target.subarray(filled), position + filled);
    if (count === 0) break;
    filled += count;
  }
  lines.took(filled);
}
