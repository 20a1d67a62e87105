// Events → lines: written one behind the other into memory, with their chain and checksums, until the whole of them goes
// to the file in one write. The way back is codec.ts.
import { checksum, toHex } from './checksum.ts';
import { bytesBetweenSeqAndPrev } from './codec.ts';
import { type LinePositions, TAIL_BYTES } from './line-positions.ts';

/** A line to be written; its data is JSON already. */
export interface NewLine {
  readonly seq: number;
  readonly ts: string;
  readonly type: string;
  readonly turn?: number | undefined;
  readonly id?: string | undefined;
  readonly ignorable?: true | undefined;
  readonly json: string | Buffer;
}

/** How many bytes the line takes, LF included. */
export function lineBytes(line: NewLine): number {
  return Buffer.byteLength(headOf(line)) + Buffer.byteLength(line.json) + TAIL_BYTES + 1;
}

/** Data of this many characters is joined to its head before it is written to the buffer; longer data is not copied. */
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

  /** Forgets what is in it, and memory that one big batch took. */
  clear(): void {
    this.#used = 0;
    if (this.#bytes.length > 1024 * 1024) this.#bytes = Buffer.allocUnsafeSlow(SMALLEST_BYTES);
  }

  /** Writes a line and its LF behind the others and returns its checksum. */
  add(line: NewLine, prev: string): string {
    const head = headOf(line);
    const { json } = line;
    const start = this.#used;
    if (typeof json === 'string' && json.length < JOINED_LENGTH) {
      const text = `${head}${json},"prev":"${prev}"`;
      this.#reserve(text.length * 3 + 32);
      this.#used += this.#bytes.write(text, this.#used);
    } else {
      this.#reserve(head.length * 3 + mostBytes(json) + 64);
      this.#used += this.#bytes.write(head, this.#used);
      this.#used += typeof json === 'string' ? this.#bytes.write(json, this.#used) : json.copy(this.#bytes, this.#used);
      this.#used += this.#bytes.write(`,"prev":"${prev}"`, this.#used, 'latin1');
    }
    return this.#finish(start);
  }

  /** Writes another line's bytes anew, with a seq and a chain of its own. Members that nobody knows stay as they are. */
  addRenumbered(buffer: Buffer, found: LinePositions, seq: number, prev: string): string {
    const start = this.#used;
    const kept = bytesBetweenSeqAndPrev(buffer, found);
    this.#reserve(kept.length + 128);
    this.#used += this.#bytes.write(`{"seq":${seq}`, this.#used, 'latin1');
    this.#used += kept.copy(this.#bytes, this.#used);
    this.#used += this.#bytes.write(`,"prev":"${prev}"`, this.#used, 'latin1');
    return this.#finish(start);
  }

  /** The same for a line whose members stand in another order: they are put in order, those unknown before `data`. */
  addMembers(line: Readonly<Record<string, unknown>>, seq: number, prev: string): string {
    const { seq: _seq, prev: _prev, xxh64: _xxh64, ts, type, turn, id, ignorable, data, ...unknown } = line;
    const start = this.#used;
    const text = toJson({ seq, ts, type, turn, id, ignorable, ...unknown, data, prev }).slice(0, -1);
    this.#reserve(text.length * 3 + 64);
    this.#used += this.#bytes.write(text, this.#used);
    return this.#finish(start);
  }

  /** Writes bytes as they are, and an LF. */
  addRaw(bytes: Uint8Array): void {
    this.#reserve(bytes.length + 1);
    this.#bytes.set(bytes, this.#used);
    this.#used += bytes.length;
    this.#bytes[this.#used++] = 0x0a;
  }

  #finish(start: number): string {
    const xxh64 = toHex(checksum(this.#bytes.subarray(start, this.#used)));
    this.#used += this.#bytes.write(`,"xxh64":"${xxh64}"}\n`, this.#used, 'latin1');
    return xxh64;
  }

  #reserve(bytes: number): void {
    const needed = this.#used + bytes;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#used);
    this.#bytes = grown;
  }
}

/** JSON of `data` as a line holds it: also without the two line ends that JSON allows and many readers stumble over. */
export function toJson(data: unknown): string {
  const json = JSON.stringify(data);
  if (!json.includes('\u2028') && !json.includes('\u2029')) return json;
  return json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

/** Counting takes longer than writing, so it is left for what would not fit anyway. */
function mostBytes(json: string | Buffer): number {
  if (typeof json !== 'string') return json.length;
  const most = json.length * 3;
  return most < SMALLEST_BYTES ? most : Buffer.byteLength(json);
}

function headOf(line: NewLine): string {
  const turn = line.turn === undefined ? '' : `,"turn":${line.turn}`;
  const id = line.id === undefined ? '' : `,"id":${toJson(line.id)}`;
  const ignorable = line.ignorable ? ',"ignorable":true' : '';
  return `{"seq":${line.seq},"ts":"${line.ts}","type":"${line.type}"${turn}${id}${ignorable},"data":`;
}
