// Reads the members of a line without looking into `data`: for lines as this program writes them, with the members in
// order and no others. codec.ts parses any other line as a whole.
import { CHECKSUM_TAIL_BYTES, LINE_TAIL_BYTES } from '../format.ts';

/** The bytes of a line, without its LF. */
export interface Bytes {
  readonly buffer: Buffer;
  readonly start: number;
  readonly stop: number;
}

/** The members of a line. Texts are Latin-1, as they are between their quotes; `data` is a place in the buffer. */
export interface Envelope {
  readonly seq: number;
  readonly ts: string;
  readonly type: string;
  readonly turn: number | undefined;
  /** With its quotes and escapes. */
  readonly id: string | undefined;
  readonly isIgnorable: boolean;
  /** Where the comma after seq is. */
  readonly afterSeq: number;
  /** Where the `{` is; `dataStop` is after the `}`. */
  readonly data: number;
  readonly dataStop: number;
  readonly prev: string;
}

export const SEQ_NAME = Buffer.from('{"seq":');
const TIME_NAME = Buffer.from(',"ts":"');
export const CHECKSUM_NAME = Buffer.from(',"xxh64":"');

const HEAD =
  /^\{"seq":(0|[1-9]\d{0,14}),"ts":"(.{23}Z)","type":"([a-z.-]+)"(?:,"turn":([1-9]\d{0,14}))?(?:,"id":("(?:[^"\\]|\\.)*"))?(,"ignorable":true)?,"data":\{/s;
const TAIL = /^\},"prev":"([0-9a-f]{16})"/;

/** A line whose `data` begins later is parsed as a whole. */
const MAX_HEAD_BYTES = 512;
const SHORTEST_LINE_BYTES = 118;
const HASH_DIGITS = 16;
const MAX_NUMBER_DIGITS = 15;

const QUOTE = 0x22;
const BRACE_CLOSE = 0x7d;
const ZERO = 0x30;

/** Undefined for other members or another order: the bytes may still be a line. The checksum is not checked. */
export function envelopeOf({ buffer, start, stop }: Bytes): Envelope | undefined {
  if (stop - start < SHORTEST_LINE_BYTES) return undefined;
  const dataStop = stop - LINE_TAIL_BYTES;
  const tail = TAIL.exec(buffer.toString('latin1', dataStop - 1, stop - CHECKSUM_TAIL_BYTES));
  const head = HEAD.exec(buffer.toString('latin1', start, Math.min(start + MAX_HEAD_BYTES, dataStop)));
  if (tail === null || head === null) return undefined;
  const [whole, seq = '', ts = '', type = '', turn, id, ignorable] = head;
  return {
    seq: Number(seq),
    ts,
    type,
    turn: turn === undefined ? undefined : Number(turn),
    id,
    isIgnorable: ignorable !== undefined,
    afterSeq: start + SEQ_NAME.length + seq.length,
    data: start + whole.length - 1,
    dataStop,
    prev: tail[1]!,
  };
}

/** The seq at the beginning of bytes that may be a part of a line; undefined if it cannot be read. */
export function readableSeq({ buffer, start, stop }: Bytes): number | undefined {
  const digits = start + SEQ_NAME.length;
  if (!isAt(SEQ_NAME, buffer, start)) return undefined;
  let seq = 0;
  let at = digits;
  for (; at < digits + MAX_NUMBER_DIGITS && isDigit(buffer[at]!); at += 1) seq = seq * 10 + buffer[at]! - ZERO;
  return at > digits && at + TIME_NAME.length <= stop && isAt(TIME_NAME, buffer, at) ? seq : undefined;
}

/** Whether the bytes end as a line does: with `,"xxh64":"`, 16 characters and `"}`. */
export function endsLikeLine({ buffer, start, stop }: Bytes): boolean {
  const tail = stop - CHECKSUM_TAIL_BYTES;
  return (
    tail > start && buffer[stop - 1] === BRACE_CLOSE && buffer[stop - 2] === QUOTE && isAt(CHECKSUM_NAME, buffer, tail)
  );
}

/** Also that the 16 characters are hex digits, whether the checksum is right or wrong. */
export function hasChecksum(bytes: Bytes): boolean {
  if (!endsLikeLine(bytes)) return false;
  const stop = bytes.stop - 2;
  for (let at = stop - HASH_DIGITS; at < stop; at += 1) {
    const byte = bytes.buffer[at]!;
    if (!isDigit(byte) && !(byte >= 0x61 && byte <= 0x66)) return false;
  }
  return true;
}

function isAt(piece: Buffer, buffer: Buffer, at: number): boolean {
  for (let index = 0; index < piece.length; index += 1) if (buffer[at + index] !== piece[index]) return false;
  return true;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= 0x39;
}
