// Finds the members of a line by position, without looking into `data`: for lines as this program writes them, with the
// members in order and no others. codec.ts parses any other line as a whole.

import { CHECKSUM_TAIL_BYTES } from '../format.ts';

/** The bytes of a line, without its LF. */
export interface Bytes {
  readonly buffer: Buffer;
  readonly start: number;
  readonly stop: number;
}

/** Positions in the buffer, and the two numbers. */
export interface Envelope {
  readonly seq: number;
  /** Of the comma after seq. */
  readonly afterSeq: number;
  readonly time: number;
  readonly type: number;
  readonly typeStop: number;
  readonly turn: number | undefined;
  /** Of the string with its quotes; 0 if there is none. */
  readonly id: number;
  readonly idStop: number;
  readonly isIgnorable: boolean;
  /** Of the `{`; `dataStop` is after the `}`. */
  readonly data: number;
  readonly dataStop: number;
  /** Of the digits of prev. */
  readonly prev: number;
}

export const SEQ_NAME = Buffer.from('{"seq":');
export const TIME_NAME = Buffer.from(',"ts":"');
const TYPE_NAME = Buffer.from('","type":"');
const TURN_NAME = Buffer.from(',"turn":');
const ID_NAME = Buffer.from(',"id":"');
const IGNORABLE = Buffer.from(',"ignorable":true');
const DATA_NAME = Buffer.from(',"data":{');
const PREV_NAME = Buffer.from('},"prev":"');
export const CHECKSUM_NAME = Buffer.from(',"xxh64":"');

/** `2026-11-21T20:49:00.123Z` */
export const TIME_BYTES = 24;
export const HASH_DIGITS = 16;
/** `,"prev":"<16 hex>","xxh64":"<16 hex>"}` */
const TAIL_BYTES = 54;
const SHORTEST_LINE_BYTES = 118;
const MAX_NUMBER_DIGITS = 15;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACE_CLOSE = 0x7d;
const ZERO = 0x30;
const LETTER_Z = 0x5a;

/** Undefined for other members or another order: the bytes may still be a line. The checksum is not checked. */
export function envelopeOf({ buffer, start, stop }: Bytes): Envelope | undefined {
  const dataStop = stop - TAIL_BYTES;
  const prev = dataStop - 1 + PREV_NAME.length;
  if (stop - start < SHORTEST_LINE_BYTES || !isAt(PREV_NAME, buffer, dataStop - 1) || !isAt(SEQ_NAME, buffer, start)) {
    return undefined;
  }
  const seqStart = start + SEQ_NAME.length;
  const afterSeq = digitsStop(buffer, seqStart);
  const time = afterSeq + TIME_NAME.length;
  const type = time + TIME_BYTES + TYPE_NAME.length;
  if (afterSeq === seqStart || (buffer[seqStart] === ZERO && afterSeq > seqStart + 1)) return undefined;
  if (!isAt(TIME_NAME, buffer, afterSeq) || buffer[time + TIME_BYTES - 1] !== LETTER_Z) return undefined;
  if (!isAt(TYPE_NAME, buffer, time + TIME_BYTES) || !areHexDigits(buffer, prev)) return undefined;
  if (buffer[prev + HASH_DIGITS] !== QUOTE) return undefined;
  let typeStop = type;
  while (isOfType(buffer[typeStop]!)) typeStop += 1;
  if (typeStop === type || buffer[typeStop] !== QUOTE) return undefined;

  let at = typeStop + 1;
  let turn: number | undefined;
  if (isAt(TURN_NAME, buffer, at)) {
    const digits = at + TURN_NAME.length;
    at = digitsStop(buffer, digits);
    if (at === digits || buffer[digits] === ZERO) return undefined;
    turn = numberAt(buffer, digits, at);
  }
  let id = 0;
  if (isAt(ID_NAME, buffer, at)) {
    id = at + ID_NAME.length - 1;
    at = stringStop(buffer, id, dataStop);
  }
  const idStop = at;
  const isIgnorable = isAt(IGNORABLE, buffer, at);
  if (isIgnorable) at += IGNORABLE.length;
  const data = at + DATA_NAME.length - 1;
  if (!isAt(DATA_NAME, buffer, at) || data >= dataStop - 1) return undefined;
  const seq = numberAt(buffer, seqStart, afterSeq);
  return { seq, afterSeq, time, type, typeStop, turn, id, idStop, isIgnorable, data, dataStop, prev };
}

/** The seq at the beginning of bytes that may be a part of a line; undefined if it cannot be read. */
export function readableSeq({ buffer, start, stop }: Bytes): number | undefined {
  const digits = start + SEQ_NAME.length;
  if (!isAt(SEQ_NAME, buffer, start)) return undefined;
  const at = digitsStop(buffer, digits);
  const isWhole = at > digits && at + TIME_NAME.length <= stop && isAt(TIME_NAME, buffer, at);
  return isWhole ? numberAt(buffer, digits, at) : undefined;
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
  return endsLikeLine(bytes) && areHexDigits(bytes.buffer, bytes.stop - 2 - HASH_DIGITS);
}

function isAt(piece: Buffer, buffer: Buffer, at: number): boolean {
  for (let index = 0; index < piece.length; index += 1) if (buffer[at + index] !== piece[index]) return false;
  return true;
}

function digitsStop(buffer: Buffer, start: number): number {
  let at = start;
  while (at < start + MAX_NUMBER_DIGITS && isDigit(buffer[at]!)) at += 1;
  return at;
}

function numberAt(buffer: Buffer, start: number, stop: number): number {
  let number = 0;
  for (let at = start; at < stop; at += 1) number = number * 10 + buffer[at]! - ZERO;
  return number;
}

/** The place after a JSON string that begins at `start`. */
function stringStop(buffer: Buffer, start: number, limit: number): number {
  let at = start + 1;
  while (at < limit && buffer[at] !== QUOTE) at += buffer[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

function areHexDigits(buffer: Buffer, start: number): boolean {
  for (let at = start; at < start + HASH_DIGITS; at += 1) {
    const byte = buffer[at]!;
    if (!isDigit(byte) && !(byte >= 0x61 && byte <= 0x66)) return false;
  }
  return true;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= 0x39;
}

/** Lower-case letters, dots and hyphens. */
function isOfType(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || byte === 0x2e || byte === 0x2d;
}
