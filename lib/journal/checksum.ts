// XXH64 with seed 0, as `xxh64sum` prints it: the checksum of a line. It finds accidents, not attackers.
// Hashes are bigints inside and sixteen lower-case hex digits in the file.
import xxhash from 'xxhash-wasm';

const { h64Raw, create64 } = await xxhash();

/** Longer input is hashed in slices, because memory that the hash function once took is never given back. */
const SLICE_BYTES = 1024 * 1024;

export function checksum(bytes: Uint8Array): bigint {
  if (bytes.length <= SLICE_BYTES) return h64Raw(bytes);
  const hash = create64();
  for (let start = 0; start < bytes.length; start += SLICE_BYTES)
    hash.update(bytes.subarray(start, start + SLICE_BYTES));
  return hash.digest();
}

export function toHex(hash: bigint): string {
  return hash.toString(16).padStart(16, '0');
}

export function fromHex(digits: string): bigint {
  return BigInt(`0x${digits}`);
}

/** Whether the sixteen bytes at `position` are the digits of `hash`. Allocates nothing: this runs once per line. */
export function holdsDigits(bytes: Uint8Array, position: number, hash: bigint): boolean {
  whole[0] = hash;
  return eightDigits(bytes, position) === halves[HIGH] && eightDigits(bytes, position + 8) === halves[1 - HIGH];
}

/** Whether sixteen lower-case hex digits stand at `position`. */
export function areDigits(bytes: Uint8Array, position: number): boolean {
  return eightDigits(bytes, position) >= 0 && eightDigits(bytes, position + 8) >= 0;
}

/** The number that eight hex digits stand for; -1 if they are none. */
function eightDigits(bytes: Uint8Array, position: number): number {
  const high =
    (DIGITS[bytes[position]!]! << 12) |
    (DIGITS[bytes[position + 1]!]! << 8) |
    (DIGITS[bytes[position + 2]!]! << 4) |
    DIGITS[bytes[position + 3]!]!;
  const low =
    (DIGITS[bytes[position + 4]!]! << 12) |
    (DIGITS[bytes[position + 5]!]! << 8) |
    (DIGITS[bytes[position + 6]!]! << 4) |
    DIGITS[bytes[position + 7]!]!;
  return (high | low) & NO_DIGIT_MASK ? -1 : high * 65536 + low;
}

/** Value of a hex digit; what is none has a bit that stays outside of 16 bits wherever it is shifted. */
const NO_DIGIT = 0x10000;
const NO_DIGIT_MASK = ~0xffff;
const DIGITS = new Int32Array(256).fill(NO_DIGIT);
for (let value = 0; value < 16; value += 1) DIGITS[value.toString(16).charCodeAt(0)] = value;

const whole = new BigUint64Array(1);
const halves = new Uint32Array(whole.buffer);
const HIGH = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 1 : 0;
