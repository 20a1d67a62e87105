// A text as the catalogue keeps it: a short one as it is, a longer one compressed.
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { DamagedCatalog } from './why-unusable.ts';

/** A shorter text becomes hardly smaller. */
const LEAST_CHARACTERS = 384;

/** By the sixth, the catalogue is 1.5 % smaller, and a first sync takes a tenth longer. */
const LEVEL = 1;
/** By default, each text would have 16 KiB for its result. */
const MOST_ROOM = 16 * 1024;
const LEAST_ROOM = 64;

export function packed(text: string): string | Uint8Array {
  if (text.length < LEAST_CHARACTERS) return text;
  return compressed(text);
}

/** `dictionary`: a text that has much of this one. */
export function compressed(text: string, dictionary?: string): Uint8Array {
  return zstdCompressSync(text, {
    params: { [constants.ZSTD_c_compressionLevel]: LEVEL },
    chunkSize: Math.min(Math.max(text.length, LEAST_ROOM), MOST_ROOM),
    ...(dictionary !== undefined && { dictionary: Buffer.from(dictionary) }),
  });
}

/** @throws DamagedCatalog */
export function unpacked(column: unknown): string {
  if (typeof column === 'string') return column;
  try {
    return zstdDecompressSync(column as Uint8Array, { chunkSize: roomFor(column as Uint8Array) }).toString();
  } catch (cause) {
    throw new DamagedCatalog('A text cannot be unpacked.', { cause });
  }
}

/** By default, each of ten thousand short texts would have 16 KiB for its result. */
export function roomFor({ length }: Uint8Array): number {
  return Math.min(Math.max(length * 4, 1024), 64 * 1024);
}
