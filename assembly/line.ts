// One line of a journal, on its bytes: whether its checksum holds, and where its members stand if they are in their order.
// docs/journal-format.md says what a line is. Nothing is read of what stands in `data`.
import { hashOf } from './xxh64';

/** `,"xxh64":"<16 hex>"}` */
const CHECKSUM_TAIL: usize = 28;
/** `,"prev":"<16 hex>"` and the checksum's tail. */
const TAIL: usize = 54;
/** `{"seq":0,"ts":"…","type":"a.b","data":{}` */
const SHORTEST_HEAD: usize = 64;
/** `2026-11-21T20:49:00.123Z` */
const TIME: usize = 24;
const MAX_DIGITS: usize = 15;

const QUOTE: u8 = 0x22;
const BACKSLASH: u8 = 0x5c;
const BRACE_CLOSE: u8 = 0x7d;
const LETTER_Z: u8 = 0x5a;
const DOT: u8 = 0x2e;
const HYPHEN: u8 = 0x2d;

// What is known of a line, as 32-bit words in this order; lib/journal/line/line-positions.ts reads them. Places are addresses.
const START: usize = 0;
const STOP: usize = 4;
const TIME_AT: usize = 8;
const TYPE_AT: usize = 12;
const TYPE_STOP: usize = 16;
const ID_AT: usize = 20;
const ID_STOP: usize = 24;
const DATA_AT: usize = 28;
const IS_IGNORABLE: usize = 32;
// 8 bytes each.
const SEQ: usize = 40;
/** 0 if there is none. */
const TURN: usize = 48;
const HASH: usize = 56;
export const RECORD_BYTES: usize = 64;

/** The digits of a hash, as they stand in a line. */
export function digitsOf(hash: u64): v128 {
  const bytes = i64x2.splat(bswap<u64>(hash));
  const low = v128.and(bytes, i8x16.splat(0x0f));
  const high = v128.and(i8x16.shr_u(bytes, 4), i8x16.splat(0x0f));
  const nibbles = v128.shuffle<u8>(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const table = i8x16(0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66);
  return i8x16.swizzle(table, nibbles);
}

export function areSame(left: v128, right: v128): bool {
  return !v128.any_true(v128.xor(left, right));
}

/** Whether sixteen lower-case hex digits stand there. */
export function areDigits(at: usize): bool {
  const bytes = v128.load(at);
  const isDigit = v128.and(i8x16.ge_u(bytes, i8x16.splat(0x30)), i8x16.le_u(bytes, i8x16.splat(0x39)));
  const isLetter = v128.and(i8x16.ge_u(bytes, i8x16.splat(0x61)), i8x16.le_u(bytes, i8x16.splat(0x66)));
  return i8x16.all_true(v128.or(isDigit, isLetter));
}

/** Where the digits of `prev` are in a line that ends there. */
export function previousDigits(stop: usize): usize {
  return stop - TAIL + 9;
}

/** Whether a piece of up to sixteen characters of ASCII stands there. */
function standsAt(at: usize, piece: string): bool {
  const length = <usize>piece.length;
  const characters = changetype<usize>(piece);
  const first = i16x8.bitmask(i16x8.eq(v128.load_ext<u8>(at), v128.load(characters)));
  if (length <= 8) {
    const mask = (1 << (<i32>length)) - 1;
    return (first & mask) === mask;
  }
  const rest = length - 8;
  const last = i16x8.bitmask(i16x8.eq(v128.load_ext<u8>(at + rest), v128.load(characters + 2 * rest)));
  return (first & last) === 0xff;
}

/** Whether the bytes end with `,"xxh64":"…"}`, be it right or wrong. */
export function endsLikeLine(start: usize, stop: usize): bool {
  return (
    stop > start + CHECKSUM_TAIL &&
    load<u8>(stop - 1) === BRACE_CLOSE &&
    load<u8>(stop - 2) === QUOTE &&
    standsAt(stop - CHECKSUM_TAIL, ',"xxh64":"')
  );
}

/** Whether bytes that end like a line end with the checksum of what is before it. */
export function checksumHolds(record: usize, start: usize, stop: usize): bool {
  const hash = hashOf(start, stop - CHECKSUM_TAIL);
  store<u64>(record, hash, HASH);
  return areSame(digitsOf(hash), v128.load(stop - 18));
}

/**
 * Finds the beginning and the end of a line: seq, time, where the type begins, prev. That is all there is to check once
 * a checksum holds; what stands between is as it was written. Says nothing about the checksum, nor what `prev` is made of.
 */
export function findFrame(record: usize, start: usize, stop: usize): bool {
  if (stop < start + SHORTEST_HEAD + TAIL || !standsAt(start, '{"seq":')) return false;
  const seqAt = start + 7;
  let at = digitsStop(seqAt);
  if (at === seqAt || at - seqAt > MAX_DIGITS || (load<u8>(seqAt) === 0x30 && at - seqAt > 1)) return false;
  store<u64>(record, numberOf(seqAt, at), SEQ);
  if (!standsAt(at, ',"ts":"')) return false;
  at += 7;
  store<u32>(record, <u32>at, TIME_AT);
  at += TIME;
  if (load<u8>(at - 1) !== LETTER_Z || !standsAt(at, '","type":"')) return false;
  const previous = stop - TAIL;
  if (load<u8>(previous - 1) !== BRACE_CLOSE || !standsAt(previous, ',"prev":"')) return false;
  if (load<u8>(previous + 25) !== QUOTE) return false;
  store<u32>(record, <u32>start, START);
  store<u32>(record, <u32>stop, STOP);
  store<u32>(record, <u32>(at + 10), TYPE_AT);
  return true;
}

/** Finds the other members behind its frame. False if there are others, or in another order: it may still be a line. */
export function findMembers(record: usize, stop: usize): bool {
  const previous = stop - TAIL;
  const type = <usize>load<u32>(record, TYPE_AT);
  let at = type;
  while (isOfType(load<u8>(at))) at += 1;
  store<u32>(record, <u32>at, TYPE_STOP);
  if (at === type || load<u8>(at) !== QUOTE) return false;
  at += 1;
  store<u64>(record, 0, TURN);
  store<u64>(record, 0, ID_AT);
  store<u32>(record, 0, IS_IGNORABLE);
  if (standsAt(at, ',"turn":')) {
    const turn = at + 8;
    at = digitsStop(turn);
    if (at === turn || at - turn > MAX_DIGITS || load<u8>(turn) === 0x30) return false;
    store<u64>(record, numberOf(turn, at), TURN);
  }
  if (standsAt(at, ',"id":"')) {
    const id = at + 6;
    at = stringStop(id, previous);
    store<u32>(record, <u32>id, ID_AT);
    store<u32>(record, <u32>at, ID_STOP);
  }
  if (standsAt(at, ',"ignora') && standsAt(at + 8, 'ble":true')) {
    at += 17;
    store<u32>(record, 1, IS_IGNORABLE);
  }
  if (!standsAt(at, ',"data":{')) return false;
  at += 8;
  store<u32>(record, <u32>at, DATA_AT);
  return at < previous - 1;
}

export function hashIn(record: usize): u64 {
  return load<u64>(record, HASH);
}

export function seqOf(record: usize): u64 {
  return load<u64>(record, SEQ);
}

function isOfType(byte: u8): bool {
  return (byte >= 0x61 && byte <= 0x7a) || byte === DOT || byte === HYPHEN;
}

function digitsStop(start: usize): usize {
  let at = start;
  while (<u8>(load<u8>(at) - 0x30) <= 9) at += 1;
  return at;
}

/** Of no more than MAX_DIGITS. */
function numberOf(start: usize, stop: usize): u64 {
  let number: u64 = 0;
  for (let at = start; at < stop; at += 1) number = number * 10 + <u64>(load<u8>(at) - 0x30);
  return number;
}

/** The place behind a JSON string that begins there. */
function stringStop(start: usize, limit: usize): usize {
  let at = start + 1;
  while (at < limit && load<u8>(at) !== QUOTE) at += load<u8>(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}
