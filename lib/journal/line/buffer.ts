// Events → lines, with their chain and checksums, in one buffer that goes to the file in one write. codec.ts does the
// reverse.
import { LINE_FEED, LINE_TAIL_BYTES } from '../format.ts';
import type { SessionEvent } from '../types.ts';
import { checksum } from './checksum.ts';

/** A line to write; its data is already JSON. */
export interface NewLine extends Omit<SessionEvent, 'data' | 'position'> {
  readonly json: string;
}

/** Bytes of the line with its LF. */
export function lineBytes(line: NewLine): number {
  return Buffer.byteLength(headOf(line)) + Buffer.byteLength(line.json) + LINE_TAIL_BYTES + 1;
}

/** Data with fewer characters is joined to its head before it is written; longer data is not copied. */
const JOINED_LENGTH = 2048;

const SMALLEST_BYTES = 64 * 1024;

export class LineBuffer {
  #bytes = Buffer.allocUnsafeSlow(SMALLEST_BYTES);
  #used = 0;

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#used);
  }

  get length(): number {
    return this.#used;
  }

  /** Empties the buffer, and releases the memory that a big batch took. */
  clear(): void {
    this.#used = 0;
    if (this.#bytes.length > 1024 * 1024) this.#bytes = Buffer.allocUnsafeSlow(SMALLEST_BYTES);
  }

  /** Adds a line and its LF, and returns the line's checksum. */
  add(line: NewLine, prev: string): string {
    const start = this.#used;
    const head = headOf(line);
    if (line.json.length < JOINED_LENGTH) this.#write(`${head}${line.json},"prev":"${prev}"`);
    else for (const part of [head, line.json, `,"prev":"${prev}"`]) this.#write(part);
    return this.#finish(start);
  }

  /** Adds a line that was read under a new seq and prev, given as the bytes between those. */
  addRenumbered(between: Buffer, seq: number, prev: string): string {
    const start = this.#used;
    this.#write(`{"seq":${seq}`);
    this.#reserve(between.length);
    this.#used += between.copy(this.#bytes, this.#used);
    this.#write(`,"prev":"${prev}"`);
    return this.#finish(start);
  }

  /** Adds a line with members in another order: they are put in order, unknown ones before `data`. */
  addMembers(line: Readonly<Record<string, unknown>>, seq: number, prev: string): string {
    const { seq: _seq, prev: _prev, xxh64: _xxh64, ts, type, turn, id, ignorable, data, ...unknown } = line;
    const start = this.#used;
    this.#write(toJson({ seq, ts, type, turn, id, ignorable, ...unknown, data, prev }).slice(0, -1));
    return this.#finish(start);
  }

  /** Adds bytes as they are, and an LF. */
  addRaw(bytes: Uint8Array): void {
    this.#reserve(bytes.length + 1);
    this.#bytes.set(bytes, this.#used);
    this.#used += bytes.length;
    this.#bytes[this.#used++] = LINE_FEED;
  }

  #finish(start: number): string {
    const xxh64 = checksum(this.#bytes.subarray(start, this.#used));
    this.#write(`,"xxh64":"${xxh64}"}\n`);
    return xxh64;
  }

  #write(text: string): void {
    // Counting the bytes takes longer than writing them, so it is left for text that would not fit at three a
    // character.
    const most = text.length * 3;
    this.#reserve(most < SMALLEST_BYTES ? most : Buffer.byteLength(text));
    this.#used += this.#bytes.write(text, this.#used);
  }

  #reserve(bytes: number): void {
    const needed = this.#used + bytes;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#used);
    this.#bytes = grown;
  }
}

/** JSON as a line holds it: U+2028 and U+2029, at which many readers end a line, are escaped. */
export function toJson(data: unknown): string {
  const json = JSON.stringify(data);
  if (!json.includes('\u2028') && !json.includes('\u2029')) return json;
  return json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

/** What a line has before its data. */
export function headOf(line: Omit<NewLine, 'json'>): string {
  const turn = line.turn === undefined ? '' : `,"turn":${line.turn}`;
  const id = line.id === undefined ? '' : `,"id":${toJson(line.id)}`;
  const ignorable = line.ignorable ? ',"ignorable":true' : '';
  return `{"seq":${line.seq},"ts":"${line.ts}","type":"${line.type}"${turn}${id}${ignorable},"data":`;
}
