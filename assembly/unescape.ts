// What lib/journal/line/long-texts.ts calls: takes the long strings out of JSON in UTF-8. What is left, with a short string in the
// place of each, is quick to parse; the texts are unescaped to what JavaScript has them as. Whatever is not plainly JSON is
// refused with 0, and left to JSON.parse, which knows what to say about it.

/** Bytes that are looked at at once. */
const CAPACITY: usize = 960 * 1024;
/** A string of fewer bytes stays where it is. */
const LEAST_BYTES: usize = 128;
const MAX_TEXTS: u32 = 32;
/** What is loaded or stored at once, and may reach behind what counts. */
const MARGIN: usize = 64;

/** Of each text, as 32-bit words: where it begins and ends, and how many bytes each of its units takes. */
const FOUND: usize = 8192;
const FOUND_BYTES: usize = 12;
const INPUT: usize = FOUND + 1024;
const REST: usize = INPUT + CAPACITY + LEAST_BYTES + MARGIN;
const TEXTS: usize = REST + CAPACITY + LEAST_BYTES + MARGIN;
/** Two bytes for each of the input's, and each text begins at a multiple of this. */
const ALIGNMENT: usize = 16;

export const capacity: usize = CAPACITY;
export const foundAt: usize = FOUND;
export const inputAt: usize = INPUT;
export const restAt: usize = REST;
export const memoryBytes: usize = TEXTS + CAPACITY * 2 + <usize>MAX_TEXTS * ALIGNMENT + MARGIN;

/** How long the rest is, and whether all of it is ASCII. */
export let restBytes: usize = 0;
export let restIsAscii: bool = true;

const QUOTE: u8 = 0x22;
const BACKSLASH: u8 = 0x5c;
const SPACE: u8 = 0x20;
const LETTER_U: u8 = 0x75;
const ZERO: u8 = 0x30;
const SEVEN: u8 = 0x37;
const ASCII_STOP: u8 = 0x80;
/** DEL and one more character, from ZERO on, stand in the place of a text. Where another string begins so, none is taken out. */
const MARK: u8 = 0x7f;
/** More than any byte, digit or unit. */
const NONE: u32 = 0x10000;
const EVERY_SECOND: u32 = 0xaaaaaaaa;

/** What an escape of one letter stands for; 0 if it is none. */
const MEANINGS: usize = memory.data(128, 16);
store<u8>(MEANINGS + 0x22, 0x22);
store<u8>(MEANINGS + 0x2f, 0x2f);
store<u8>(MEANINGS + 0x5c, 0x5c);
store<u8>(MEANINGS + 0x62, 0x08);
store<u8>(MEANINGS + 0x66, 0x0c);
store<u8>(MEANINGS + 0x6e, 0x0a);
store<u8>(MEANINGS + 0x72, 0x0d);
store<u8>(MEANINGS + 0x74, 0x09);

/** For each choice of bytes among eight that are left out: where the others are, in their order. */
const OTHERS: usize = memory.data(256 * 8, 16);
for (let choice: u32 = 0; choice < 256; choice += 1) {
  let to = OTHERS + <usize>(choice << 3);
  for (let place: u32 = 0; place < 8; place += 1) {
    if (((choice >> place) & 1) !== 0) continue;
    store<u8>(to, place);
    to += 1;
  }
}

/** Behind the last quote of the text that was unescaped, and behind what became of it. */
let readTo: usize = 0;
let writtenTo: usize = 0;
let unitBytes: u32 = 1;

/** Takes the long strings out of the first so many bytes of the input. Returns how many there were. */
export function takeTexts(length: usize): u32 {
  const quote = i8x16.splat(QUOTE);
  const stop = INPUT + length;
  // Whatever lies behind the last byte, the search ends there.
  store<u8>(stop, QUOTE);
  let at = INPUT;
  let to = REST;
  let textAt = TEXTS;
  let texts: u32 = 0;
  for (;;) {
    const bytes = v128.load(at);
    v128.store(to, bytes);
    const quotes = i8x16.bitmask(i8x16.eq(bytes, quote));
    if (quotes === 0) {
      at += 16;
      to += 16;
      continue;
    }
    const step = <usize>ctz<i32>(quotes) + 1;
    at += step;
    to += step;
    if (at > stop) break;
    if (beginsLikeMark(at)) return 0;
    const close = copyShort(at, to);
    if (close !== 0) {
      to += close - at;
      at = close;
    } else {
      if (texts === MAX_TEXTS || !takeText(at, stop, textAt)) return 0;
      foundText(texts, textAt);
      textAt = (writtenTo + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
      store<u8>(to, MARK);
      store<u8>(to, ZERO + <u8>texts, 1);
      store<u8>(to, QUOTE, 2);
      to += 3;
      texts += 1;
      at = readTo;
    }
    if (at > stop) return 0;
  }
  restBytes = to - 1 - REST;
  restIsAscii = isAscii(REST, to);
  return texts;
}

/** Reads the first so many bytes of the input as the inside of one string, which becomes the first text. False if it is none. */
export function takeInside(length: usize): bool {
  const close = INPUT + length;
  store<u8>(close, QUOTE);
  if (!takeText(INPUT, close + 1, TEXTS) || readTo !== close + 1) return false;
  foundText(0, TEXTS);
  return true;
}

function foundText(text: u32, start: usize): void {
  const found = FOUND + <usize>text * FOUND_BYTES;
  store<u32>(found, <u32>start);
  store<u32>(found, <u32>writtenTo, 4);
  store<u32>(found, unitBytes, 8);
}

/** `\u007f` is the only other way to write it. */
function beginsLikeMark(at: usize): bool {
  const first = load<u8>(at);
  return first === MARK || (first === BACKSLASH && load<u8>(at + 1) === LETTER_U && load<u8>(at + 4) === SEVEN);
}

/** Copies a string as it stands, and returns the place behind its last quote. 0 if it is long. */
function copyShort(start: usize, to: usize): usize {
  const quote = i8x16.splat(QUOTE);
  const backslash = i8x16.splat(BACKSLASH);
  const shift = to - start;
  let at = start;
  while (at < start + LEAST_BYTES) {
    const bytes = v128.load(at);
    v128.store(at + shift, bytes);
    const found = i8x16.bitmask(v128.or(i8x16.eq(bytes, quote), i8x16.eq(bytes, backslash)));
    if (found === 0) {
      at += 16;
      continue;
    }
    at += <usize>ctz<i32>(found);
    if (load<u8>(at) === QUOTE) return at + 1;
    store<u8>(at + shift + 1, load<u8>(at + 1));
    at += 2;
  }
  return 0;
}

/** Writes what a string says, from behind its first quote on, to `textAt`. False if it is no string. */
function takeText(start: usize, stop: usize, textAt: usize): bool {
  const space = i8x16.splat(SPACE);
  const quote = i8x16.splat(QUOTE);
  const backslash = i8x16.splat(BACKSLASH);
  const lowBits = i8x16.splat(0x0f);
  const bits = i8x16(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
  const bytesOfBits = i8x16(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
  // By their low bits: the letters behind a backslash that are frequent, and what they stand for. A quote is itself.
  const letters = i8x16(-1, -1, 0x72, -1, 0x74, -1, 0x66, -1, -1, -1, -1, -1, 0x5c, -1, 0x6e, 0x2f);
  const meanings = i8x16(0, 0, 0x0d, 0, 0x09, 0, 0x0c, 0, 0, 0, 0, 0, 0x5c, 0, 0x0a, 0x2f);
  let isWide: bool = false;
  let allUnits: u32 = 0;
  let at = start;
  let to = textAt;
  while (at < stop) {
    const bytes = v128.load(at);
    const isQuote = i8x16.eq(bytes, quote);
    const slashes: u32 = i8x16.bitmask(i8x16.eq(bytes, backslash));
    // In a row of backslashes, each second one is escaped: the first of a block never is. The carry finds where a row ends.
    const series = (((slashes << 1) | EVERY_SECOND) - slashes) ^ EVERY_SECOND;
    const escapes = series & slashes;
    const escaped = series ^ slashes;
    const isEscaped = i8x16.eq(v128.and(i8x16.swizzle(i16x8.splat(<i16>escaped), bytesOfBits), bits), bits);
    const low = v128.and(bytes, lowBits);
    const isKnown = v128.or(i8x16.eq(bytes, i8x16.swizzle(letters, low)), isQuote);
    const unknown = escaped & ~i8x16.bitmask(isKnown) & 0xffff;
    // What is not ASCII is negative, and so below a space, as control characters are.
    const others: u32 = i8x16.bitmask(i8x16.lt_s(bytes, space));
    const stops = (i8x16.bitmask(isQuote) & ~escaped) | others | (unknown >> 1);
    // Mostly all sixteen: the processor goes on with the next ones before it knows how many these become.
    let count: u32 = 16;
    let leftOut = escapes;
    if ((stops | (escapes & 0x8000)) !== 0) {
      count = stops === 0 ? 15 : ctz<u32>(stops);
      leftOut &= (1 << count) - 1;
    }
    const meant = v128.bitselect(i8x16.swizzle(meanings, low), bytes, v128.andnot(isEscaped, isQuote));
    const first = i8x16.swizzle(meant, othersOf(leftOut & 0xff));
    const second = i8x16.swizzle(meant, i8x16.add(othersOf(leftOut >> 8), i8x16.splat(8)));
    const firstUnits = <usize>(8 - popcnt<u32>(leftOut & 0xff));
    const units = <usize>(count - popcnt<u32>(leftOut));
    if (isWide) {
      v128.store(to, i16x8.extend_low_i8x16_u(first));
      v128.store(to + firstUnits * 2, i16x8.extend_low_i8x16_u(second));
      to += units * 2;
    } else {
      v128.store64_lane(to, first, 0);
      v128.store64_lane(to + firstUnits, second, 0);
      to += units;
    }
    at += <usize>count;
    if (stops === 0) continue;

    let byte = load<u8>(at);
    if (byte === QUOTE) {
      const fits = isWide && allUnits <= 0xff;
      readTo = at + 1;
      writtenTo = fits ? narrow(textAt, to) : to;
      unitBytes = isWide && !fits ? 2 : 1;
      return at < stop;
    }
    if (byte === BACKSLASH) {
      const unit = escapedUnit(at);
      if (unit === NONE) return false;
      at += load<u8>(at + 1) === LETTER_U ? 6 : 2;
      if (!isWide && unit < ASCII_STOP) {
        store<u8>(to, <u8>unit);
        to += 1;
        continue;
      }
      if (!isWide) to = widen(textAt, to);
      isWide = true;
      allUnits |= unit;
      store<u16>(to, <u16>unit);
      to += 2;
      continue;
    }
    if (byte < ASCII_STOP) return false;
    if (!isWide) to = widen(textAt, to);
    isWide = true;
    for (; byte >= ASCII_STOP; byte = load<u8>(at)) {
      const point = pointAt(at);
      if (point === 0) return false;
      allUnits |= point;
      if (point < 0x10000) {
        store<u16>(to, <u16>point);
        to += 2;
        at += point < 0x800 ? 2 : 3;
      } else {
        store<u16>(to, <u16>(0xd7c0 + (point >> 10)));
        store<u16>(to, <u16>(0xdc00 | (point & 0x3ff)), 2);
        to += 4;
        at += 4;
      }
    }
  }
  return false;
}

function othersOf(choice: u32): v128 {
  return v128.load64_zero(OTHERS + <usize>(choice << 3));
}

function escapedUnit(at: usize): u32 {
  const letter = load<u8>(at + 1);
  if (letter === LETTER_U) {
    const high = (digitAt(at + 2) << 12) | (digitAt(at + 3) << 8);
    const unit = high | (digitAt(at + 4) << 4) | digitAt(at + 5);
    return unit > 0xffff ? NONE : unit;
  }
  const meaning = letter < ASCII_STOP ? <u32>load<u8>(MEANINGS + <usize>letter) : 0;
  return meaning === 0 ? NONE : meaning;
}

function digitAt(at: usize): u32 {
  const digit = <u32>load<u8>(at) - 0x30;
  if (digit <= 9) return digit;
  const letter = (<u32>load<u8>(at) | 0x20) - 0x61;
  return letter <= 5 ? letter + 10 : NONE;
}

/** The character of several bytes that begins there; 0 if it is not as UTF-8 has it. */
function pointAt(at: usize): u32 {
  const first = <u32>load<u8>(at);
  const second = continued(at + 1);
  if (first < 0xe0) return first < 0xc2 || second > 0x3f ? 0 : ((first & 0x1f) << 6) | second;
  const third = continued(at + 2);
  if ((second | third) > 0x3f) return 0;
  const three = ((first & 0x0f) << 12) | (second << 6) | third;
  if (first < 0xf0) return three < 0x800 || (three & 0xf800) === 0xd800 ? 0 : three;
  const fourth = continued(at + 3);
  const four = ((three & 0x7fff) << 6) | fourth;
  return first > 0xf4 || fourth > 0x3f || four < 0x10000 || four > 0x10ffff ? 0 : four;
}

/** Six bits of a byte that goes on with a character; more of any other. */
function continued(at: usize): u32 {
  return <u32>load<u8>(at) ^ 0x80;
}

/** Makes two bytes of each, from the last to the first. Both return where the text ends then. */
function widen(start: usize, stop: usize): usize {
  let units = stop - start;
  while (units >= 16) {
    units -= 16;
    const bytes = v128.load(start + units);
    v128.store(start + units * 2, i16x8.extend_high_i8x16_u(bytes), 16);
    v128.store(start + units * 2, i16x8.extend_low_i8x16_u(bytes));
  }
  while (units > 0) {
    units -= 1;
    store<u16>(start + units * 2, <u16>load<u8>(start + units));
  }
  return stop + (stop - start);
}

/** Makes one byte of each two, none of which says more than one can. */
function narrow(start: usize, stop: usize): usize {
  let to = start;
  for (let at = start; at < stop; at += 32) {
    v128.store(to, i8x16.narrow_i16x8_u(v128.load(at), v128.load(at, 16)));
    to += 16;
  }
  return start + (stop - start) / 2;
}

function isAscii(start: usize, stop: usize): bool {
  let at = start;
  for (; at + 16 <= stop; at += 16) if (i8x16.bitmask(v128.load(at)) !== 0) return false;
  for (; at < stop; at += 1) if (load<u8>(at) >= ASCII_STOP) return false;
  return true;
}
