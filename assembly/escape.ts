// What lib/journal/line/escape.ts calls: the inside of a JSON string, from text as JavaScript has it (UTF-16) to bytes as a journal
// has them (UTF-8). The same as JSON.stringify, but for U+2028 and U+2029, which are escaped too.

/** How many units of text are taken at a time. */
const MAX_UNITS: usize = 16 * 1024;
/** Bytes that a unit becomes at most: `\u001f`. */
const MOST_BYTES: usize = 6;
/** What is loaded or stored at once, and may reach behind what counts. */
const BLOCK_UNITS: usize = 16;

const INPUT: usize = 4096;
const OUTPUT: usize = INPUT + (MAX_UNITS + BLOCK_UNITS) * 2;

export const maxUnits: usize = MAX_UNITS;
export const inputAt: usize = INPUT;
export const outputAt: usize = OUTPUT;
export const memoryBytes: usize = OUTPUT + MAX_UNITS * MOST_BYTES + BLOCK_UNITS;

const SPACE: u32 = 0x20;
const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;
const ASCII_STOP: u32 = 0x80;

/** For each ASCII character what it is written as, and in the last byte how many bytes that is. */
const WRITTEN: usize = memory.data(128 * 8, 16);
const LENGTH_SHIFT: u64 = 56;

for (let unit: u32 = 0; unit < ASCII_STOP; unit += 1) {
  const at = WRITTEN + (unit << 3);
  const letter = letterOf(unit);
  if (letter !== 0) store<u64>(at, BACKSLASH | (letter << 8) | ((<u64>2) << LENGTH_SHIFT));
  else if (unit >= SPACE) store<u64>(at, unit | ((<u64>1) << LENGTH_SHIFT));
  else {
    writeCode(at, unit);
    store<u8>(at, 6, 7);
  }
}

/** The letter behind the backslash, for characters that have one; else 0. */
function letterOf(unit: u32): u32 {
  if (unit === QUOTE || unit === BACKSLASH) return unit;
  if (unit === 0x08) return 0x62;
  if (unit === 0x09) return 0x74;
  if (unit === 0x0a) return 0x6e;
  if (unit === 0x0c) return 0x66;
  if (unit === 0x0d) return 0x72;
  return 0;
}

/** `\u` and four digits. */
function writeCode(to: usize, unit: u32): void {
  store<u16>(to, 0x755c);
  store<u8>(to, digitOf(unit >> 12), 2);
  store<u8>(to, digitOf(unit >> 8), 3);
  store<u8>(to, digitOf(unit >> 4), 4);
  store<u8>(to, digitOf(unit), 5);
}

function digitOf(value: u32): u32 {
  const digit = value & 15;
  return digit < 10 ? 0x30 + digit : 0x57 + digit;
}

function continuation(bits: u32): u32 {
  return 0x80 | (bits & 0x3f);
}

/** Escapes so many units of the input. Returns how many bytes of output they became. */
export function escapeUnits(units: usize): usize {
  const space = i8x16.splat(<i8>SPACE);
  const quote = i8x16.splat(<i8>QUOTE);
  const backslash = i8x16.splat(<i8>BACKSLASH);
  const places = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const stop = INPUT + units * 2;
  let at = INPUT;
  let to = OUTPUT;
  while (at < stop) {
    let blockStop = at + BLOCK_UNITS * 2;
    if (blockStop <= stop) {
      // What is above 0xff becomes 0xff or 0, and what is above 0x7f is negative: both are below a space.
      let block = i8x16.narrow_i16x8_u(v128.load(at), v128.load(at, 16));
      const named = v128.or(i8x16.eq(block, quote), i8x16.eq(block, backslash));
      let marks: i32 = i8x16.bitmask(v128.or(i8x16.lt_s(block, space), named));
      // All ASCII, with no NUL among it, which may stand for something else.
      if (marks === 0 || (i8x16.bitmask(block) === 0 && i8x16.all_true(block))) {
        v128.store(to, block);
        let left = BLOCK_UNITS;
        // One of them takes the place of its character, and the rest of the block moves up behind it.
        while (marks !== 0) {
          const plain = <usize>ctz(marks);
          const written = load<u64>(WRITTEN + ((<usize>load<u16>(at + plain * 2)) << 3));
          to += plain;
          store<u64>(to, written);
          to += <usize>(written >> LENGTH_SHIFT);
          at += plain * 2 + 2;
          left -= plain + 1;
          marks >>= <i32>plain + 1;
          block = i8x16.swizzle(block, i8x16.add(places, i8x16.splat(<i8>(plain + 1))));
          v128.store(to, block);
        }
        to += left;
        at = blockStop;
        continue;
      }
    } else blockStop = stop;
    while (at < blockStop) {
      const unit: u32 = load<u16>(at);
      at += 2;
      if (unit < ASCII_STOP) {
        const written = load<u64>(WRITTEN + (unit << 3));
        store<u64>(to, written);
        to += <usize>(written >> LENGTH_SHIFT);
      } else if (unit < 0x800) {
        store<u8>(to, 0xc0 | (unit >> 6));
        store<u8>(to, continuation(unit), 1);
        to += 2;
      } else if ((unit & 0xf800) !== 0xd800) {
        if ((unit & 0xfffe) === 0x2028) {
          writeCode(to, unit);
          to += 6;
        } else {
          store<u8>(to, 0xe0 | (unit >> 12));
          store<u8>(to, continuation(unit >> 6), 1);
          store<u8>(to, continuation(unit), 2);
          to += 3;
        }
      } else {
        const next: u32 = at < stop ? load<u16>(at) : 0;
        if (unit < 0xdc00 && (next & 0xfc00) === 0xdc00) {
          const point = 0x10000 + ((unit & 0x3ff) << 10) + (next & 0x3ff);
          store<u8>(to, 0xf0 | (point >> 18));
          store<u8>(to, continuation(point >> 12), 1);
          store<u8>(to, continuation(point >> 6), 2);
          store<u8>(to, continuation(point), 3);
          at += 2;
          to += 4;
        } else {
          writeCode(to, unit);
          to += 6;
        }
      }
    }
  }
  return to - OUTPUT;
}
