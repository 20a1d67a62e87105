// Reads the members of a line without looking into `data`: for lines as this program writes them, with the members in
// order and no others. codec.ts parses any other line as a whole.
import { CHECKSUM_TAIL_BYTES, LINE_TAIL_BYTES } from '../format.ts';

/** The bytes of a line, without its LF. */
export interface Bytes {
  readonly buffer: Buffer;
  readonly start: number;
  readonly stop: number;
}

export const SEQ_NAME = Buffer.from('{"seq":');
const CHECKSUM_NAME = ',"xxh64":"';
export const CHECKSUM_BYTES = Buffer.from(CHECKSUM_NAME);

const HEAD =
  /^\{"seq":(0|[1-9]\d{0,14}),"ts":"(.{23}Z)","type":"([a-z.-]+)"(?:,"turn":([1-9]\d{0,14}))?(?:,"id":("(?:[^"\\]|\\.)*"))?(,"ignorable":true)?,"data":\{/s;
const TAIL = /^\},"prev":"[0-9a-f]{16}"/;
const BEGINNING = /^\{"seq":(\d{1,15}),"ts":"/;
const CHECKSUM = /^,"xxh64":"[0-9a-f]{16}"\}$/;

/** A line whose `data` begins later is parsed as a whole. */
const MAX_HEAD_BYTES = 512;
const SHORTEST_LINE_BYTES = 118;
const MAX_BEGINNING_BYTES = 29;

/**
 * The members before `data`, up to and with its `{`: all of it, seq, ts, type, turn, id with its quotes, ignorable; in
 * Latin-1. Nothing for other members or another order: the bytes may still be a line. The checksum is not checked.
 */
export function headOf(bytes: Bytes, tail = tailOf(bytes)): RegExpExecArray | null {
  const { buffer, start, stop } = bytes;
  if (stop - start < SHORTEST_LINE_BYTES || !TAIL.test(tail)) return null;
  return HEAD.exec(buffer.toString('latin1', start, Math.min(start + MAX_HEAD_BYTES, stop - LINE_TAIL_BYTES)));
}

/** The end of a line in Latin-1, from the `}` of its data on: `},"prev":"<16 hex>","xxh64":"<16 hex>"}`. */
export function tailOf({ buffer, start, stop }: Bytes): string {
  return buffer.toString('latin1', Math.max(start, stop - LINE_TAIL_BYTES - 1), stop);
}

/** Whether it ends with `,"xxh64":"`, 16 characters and `"}`. */
export function statesChecksum(tail: string): boolean {
  return tail.endsWith('"}') && tail.startsWith(CHECKSUM_NAME, tail.length - CHECKSUM_TAIL_BYTES);
}

export function checksumIn(tail: string): string {
  return tail.slice(-18, -2);
}

export function prevIn(tail: string): string {
  return tail.slice(10, 26);
}

/** The seq at the beginning of bytes that may be a part of a line; undefined if it cannot be read. */
export function readableSeq({ buffer, start, stop }: Bytes): number | undefined {
  const seq = BEGINNING.exec(buffer.toString('latin1', start, Math.min(start + MAX_BEGINNING_BYTES, stop)))?.[1];
  return seq === undefined ? undefined : Number(seq);
}

/** Whether the bytes end with a checksum, right or wrong. */
export function hasChecksum({ buffer, start, stop }: Bytes): boolean {
  const tail = stop - CHECKSUM_TAIL_BYTES;
  return tail > start && CHECKSUM.test(buffer.toString('latin1', tail, stop));
}
