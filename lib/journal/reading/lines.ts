// Cuts a file into lines at the byte 0x0A and at nothing else, forwards or backwards, in chunks of 256 KiB. A line that
// is over the limit is skipped without being held in memory. The content of lines does not matter here.
import type { FileHandle } from '../../platform/files/file-system.ts';
import { LINE_FEED, MAX_READ_LINE_BYTES } from '../format.ts';
import type { Span } from '../line/codec.ts';

/** Fits into the cache of a processor. */
const CHUNK_BYTES = 256 * 1024;

/** Where bytes come from: an open file, or a replacement for one. */
export interface ByteSource extends Pick<FileHandle, 'read'> {
  /**
   * Only of a source that fetches its bytes: whether these can be read now. If not, it notes that they are wanted, and
   * the reading pauses until they were fetched.
   */
  isHere?(position: number, bytes: number): boolean;
}

/**
 * What `step` found: a line in `buffer`, a chunk of one that is too long to hold, all of that, or the end. `passing` is
 * also what it answers when bytes must be fetched first.
 */
export type LineStep = 'line' | 'passing' | 'oversize' | 'end';

/** A line as ForwardLines and BackwardLines leave it. */
export interface FoundLine extends Span {
  /** Bytes without the LF; also of a line that is too long to hold. */
  readonly length: number;
  readonly terminated: boolean;
}

export interface LineLimits {
  /** Bytes of file that a buffer holds at least, when there are so many. */
  readonly chunkBytes?: number;
  readonly maxLineBytes?: number;
}

/**
 * The lines from one place of a file to another. After `step` answered `line`, the line is in `buffer` from `start` to
 * `stop`. With `reuse` the next line overwrites it, for readers that keep nothing; otherwise it stays as it is.
 */
export class ForwardLines implements FoundLine {
  buffer: Buffer = Buffer.alloc(0);
  start = 0;
  stop = 0;
  /** Whether the line ends with an LF. False only for the last one. */
  terminated = true;
  /** Number of the line, counted from the first that was read here. */
  count = 0;
  /** Bytes of the line without its LF; also of one that was skipped. */
  length = 0;
  /** Where the line begins in the file. */
  offset: number;

  readonly #source: ByteSource;
  readonly #reuse: boolean;
  readonly #chunkBytes: number;
  readonly #maxLineBytes: number;
  #to: number;
  #storage: Buffer = Buffer.alloc(0);
  /** Where buffer[0] is in the file. */
  #base: number;
  #cursor = 0;
  /** Where the passing over of a line that is too long continues; undefined outside of one. */
  #passing: number | undefined;

  constructor(source: ByteSource, from: number, to: number, options: LineLimits & { readonly reuse?: boolean } = {}) {
    this.#source = source;
    this.#base = from;
    this.#to = to;
    this.offset = from;
    this.#reuse = options.reuse ?? false;
    this.#chunkBytes = options.chunkBytes ?? CHUNK_BYTES;
    this.#maxLineBytes = options.maxLineBytes ?? MAX_READ_LINE_BYTES;
  }

  /** Where the next line begins in the file. */
  get end(): number {
    return this.offset + this.length + (this.terminated ? 1 : 0);
  }

  /** Goes to the next line, or one chunk further in a line that is too long to hold: `end` is then inside of it. */
  step(): LineStep {
    if (this.#passing !== undefined) return this.#passOver(this.#passing);
    let searched = this.#cursor;
    for (;;) {
      const lineFeed = this.buffer.indexOf(LINE_FEED, searched);
      if (lineFeed >= 0) return this.#found(lineFeed, true);
      searched = this.buffer.length - this.#cursor;
      if (searched > this.#maxLineBytes) return this.#beginToPassOver();
      const more = this.#readMore();
      if (more === 'passing') return more;
      if (!more) return searched === 0 ? 'end' : this.#found(this.buffer.length, false);
    }
  }

  #found(stop: number, terminated: boolean): LineStep {
    this.start = this.#cursor;
    this.stop = stop;
    this.terminated = terminated;
    this.offset = this.#base + this.#cursor;
    this.length = stop - this.#cursor;
    this.count += 1;
    this.#cursor = terminated ? stop + 1 : stop;
    return this.length > this.#maxLineBytes ? 'oversize' : 'line';
  }

  /** Moves the rest of the buffer to the front of another and fills that up. False at the end. */
  #readMore(): boolean | 'passing' {
    const rest = this.buffer.subarray(this.#cursor);
    const position = this.#base + this.buffer.length;
    const room = Math.min(Math.max(this.#chunkBytes, rest.length * 2), this.#maxLineBytes + this.#chunkBytes);
    const wanted = Math.min(room, rest.length + this.#to - position);
    if (wanted <= rest.length) return false;
    if (this.#source.isHere?.(position, wanted - rest.length) === false) return 'passing';
    const target = this.#storageFor(wanted);
    target.set(rest);
    this.#base += this.#cursor;
    this.#cursor = 0;
    const filled = rest.length + fill(this.#source, target.subarray(rest.length, wanted), position);
    this.buffer = target.subarray(0, filled);
    if (filled < wanted) this.#to = position + filled - rest.length;
    return filled > rest.length;
  }

  #storageFor(bytes: number): Buffer {
    if (!this.#reuse) return Buffer.allocUnsafeSlow(bytes);
    if (this.#storage.length < bytes) this.#storage = Buffer.allocUnsafeSlow(bytes);
    return this.#storage;
  }

  /** Keeps the beginning of a line that is too long in `buffer` from `start` to `stop`. */
  #beginToPassOver(): 'passing' {
    const position = this.#base + this.buffer.length;
    this.offset = this.#base + this.#cursor;
    this.buffer = Buffer.from(this.buffer.subarray(this.#cursor, this.#cursor + 64));
    this.start = 0;
    this.stop = this.buffer.length;
    this.#cursor = this.stop;
    this.#passing = position;
    this.length = position - this.offset;
    this.terminated = false;
    return 'passing';
  }

  /** Reads one more chunk of it. */
  #passOver(from: number): 'oversize' | 'passing' {
    const bytes = Math.min(this.#chunkBytes, this.#to - from);
    if (this.#source.isHere?.(from, bytes) === false) return 'passing';
    if (this.#storage.length < this.#chunkBytes) this.#storage = Buffer.allocUnsafeSlow(this.#chunkBytes);
    const chunk = this.#storage.subarray(0, bytes);
    const filled = fill(this.#source, chunk, from);
    if (filled === 0) this.#to = from;
    const lineFeed = chunk.subarray(0, filled).indexOf(LINE_FEED);
    const position = from + (lineFeed < 0 ? filled : lineFeed);
    this.terminated = lineFeed >= 0;
    this.length = position - this.offset;
    if (!this.terminated && position < this.#to) {
      this.#passing = position;
      return 'passing';
    }
    this.#passing = undefined;
    this.count += 1;
    this.#base = position + (this.terminated ? 1 : 0) - this.stop;
    return 'oversize';
  }
}

/** A line that is too long, while it is passed over backwards. */
interface PassedOver {
  /** Where it ends. */
  readonly end: number;
  /** What was read of it begins here. */
  position: number;
  readonly chunk: Buffer;
}

/** The lines before a place of a file, the last one first. Their bytes stay as they are. */
export class BackwardLines implements FoundLine {
  buffer: Buffer = Buffer.alloc(0);
  start = 0;
  stop = 0;
  terminated = false;
  length = 0;
  offset: number;

  readonly #source: ByteSource;
  readonly #chunkBytes: number;
  readonly #maxLineBytes: number;
  /** Where buffer[0] is in the file. */
  #base: number;
  /** After the last byte in the buffer that was not handed out yet. */
  #cursor = 0;
  #isFirst = true;
  #passing: PassedOver | undefined;

  constructor(source: ByteSource, end: number, options: LineLimits = {}) {
    this.#source = source;
    this.#base = end;
    this.offset = end;
    this.#chunkBytes = options.chunkBytes ?? CHUNK_BYTES;
    this.#maxLineBytes = options.maxLineBytes ?? MAX_READ_LINE_BYTES;
  }

  /** Where the next line begins in the file. */
  get end(): number {
    return this.offset + this.length + (this.terminated ? 1 : 0);
  }

  /** Goes to the line before, or one chunk further in a line that is too long to hold. */
  step(): LineStep {
    if (this.#passing !== undefined) return this.#passOver(this.#passing);
    if (this.#cursor === 0) {
      const more = this.#readMore();
      if (more === 'passing') return more;
      if (!more) return 'end';
    }
    // A line ends with an LF, which belongs to it; only the last one may be without.
    this.terminated = this.buffer[this.#cursor - 1] === LINE_FEED;
    if (!this.terminated && !this.#isFirst) throw new RangeError('A place inside a line.');
    const tail = this.terminated ? 1 : 0;
    for (;;) {
      const stop = this.#cursor - tail;
      const lineFeed = stop === 0 ? -1 : this.buffer.lastIndexOf(LINE_FEED, stop - 1);
      if (lineFeed >= 0 || this.#base === 0) return this.#found(lineFeed + 1, stop);
      if (stop > this.#maxLineBytes) {
        const chunk = Buffer.allocUnsafeSlow(this.#chunkBytes);
        this.#isFirst = false;
        this.#passing = { end: this.#base + stop, position: this.#base, chunk };
        // What was read of it is not needed while the rest is read.
        this.buffer = Buffer.alloc(0);
        return 'passing';
      }
      const more = this.#readMore();
      if (more === 'passing') return more;
      if (!more) return this.#found(0, stop);
    }
  }

  #found(start: number, stop: number): LineStep {
    this.#isFirst = false;
    this.start = start;
    this.stop = stop;
    this.offset = this.#base + start;
    this.length = stop - start;
    this.#cursor = start;
    return this.length > this.#maxLineBytes ? 'oversize' : 'line';
  }

  #readMore(): boolean | 'passing' {
    const rest = this.buffer.subarray(0, this.#cursor);
    const wanted = Math.min(this.#base, Math.max(this.#chunkBytes, rest.length));
    if (wanted === 0) return false;
    if (this.#source.isHere?.(this.#base - wanted, wanted) === false) return 'passing';
    const target = Buffer.allocUnsafeSlow(wanted + rest.length);
    const filled = fill(this.#source, target.subarray(0, wanted), this.#base - wanted);
    if (filled < wanted) return false;
    target.set(rest, wanted);
    this.#base -= wanted;
    this.#cursor += wanted;
    this.buffer = target;
    return true;
  }

  #passOver(passing: PassedOver): 'oversize' | 'passing' {
    const { end, chunk } = passing;
    const wanted = Math.min(chunk.length, passing.position);
    if (this.#source.isHere?.(passing.position - wanted, wanted) === false) return 'passing';
    const filled = fill(this.#source, chunk.subarray(0, wanted), passing.position - wanted);
    passing.position -= wanted;
    const lineFeed = chunk.subarray(0, filled).lastIndexOf(LINE_FEED);
    if (lineFeed < 0 && passing.position > 0) return 'passing';
    this.#passing = undefined;
    this.offset = passing.position + lineFeed + 1;
    this.length = end - this.offset;
    this.start = 0;
    this.stop = 0;
    this.#cursor = 0;
    this.#base = this.offset;
    return 'oversize';
  }
}

/** Reads until the target is full or the file ends. Returns how many bytes came. */
export function fill(source: ByteSource, target: Uint8Array, position: number): number {
  let filled = 0;
  while (filled < target.length) {
    const count = source.read(filled === 0 ? target : target.subarray(filled), position + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled;
}
