// XXH64 with seed 0, as `xxh64sum` prints it: the checksum of a line. It finds accidents, not attackers.
// Hashes are bigints inside and sixteen lower-case hex digits in the file.
import { hashOf, hashOfTexts } from './scanner.ts';

export function checksum(bytes: Uint8Array): bigint {
  return hashOf(bytes);
}

/** Of their code units, lowest byte first, one text behind the other: UTF-8 would take longer to make than the hash. */
export function checksumOfTexts(texts: readonly string[]): bigint {
  return hashOfTexts(texts);
}

export function toHex(hash: bigint): string {
  return hash.toString(16).padStart(16, '0');
}

export function fromHex(digits: string): bigint {
  return BigInt(`0x${digits}`);
}
