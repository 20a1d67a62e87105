// A source that its program packed, read as if it were not: unpacked into memory, and never more of it than its size
// allows. A small file that unpacks into a huge one is refused.
import { OllmError } from '../errors/index.ts';
import { readInto } from '../platform/files/io.ts';
import type { SourceHandle } from './open-source.ts';

/** How many times its size a packed source may come to, and how many bytes: all of them are in memory at once. */
const MAX_RATIO = 64;
const MAX_UNPACKED_BYTES = 2 ** 30;
/** Packed bytes that are enough for the beginning of a session. */
const BEGINNING_BYTES = 128 * 1024;

/**
 * Takes the place of the handle, which is closed.
 * @throws OllmError IO_FAILED if it is damaged, or comes to more than that
 */
export function unpacked(handle: SourceHandle, path: string): SourceHandle {
  return unpackedUpTo(handle, path, Number.POSITIVE_INFINITY);
}

/**
 * Unpacks only the first 128 KiB of the file. `isCut`: the file is longer, and the unpacked text may end anywhere.
 * @throws OllmError IO_FAILED
 */
export function unpackedBeginning(
  handle: SourceHandle,
  path: string,
): { readonly handle: SourceHandle; readonly isCut: boolean } {
  const isCut = handle.stat().size > BEGINNING_BYTES;
  return { handle: unpackedUpTo(handle, path, BEGINNING_BYTES), isCut };
}

function unpackedUpTo(handle: SourceHandle, path: string, limit: number): SourceHandle {
  const stat = handle.stat();
  const size = Math.min(stat.size, limit);
  const maxBytes = Math.min(MAX_RATIO * size, MAX_UNPACKED_BYTES);
  try {
    const { zstdDecompressSync, constants } = process.getBuiltinModule('node:zlib');
    const packed = Buffer.allocUnsafe(size);
    const bytes = zstdDecompressSync(packed.subarray(0, readInto(handle, packed)), {
      maxOutputLength: Math.max(1, maxBytes),
      // A cut file gives the text that it has.
      ...(size < stat.size ? { finishFlush: constants.ZSTD_e_continue } : {}),
    });
    return {
      stat: () => ({ size: bytes.length, modifiedMs: stat.modifiedMs }),
      read: (target, position) => bytes.copy(target, 0, Math.min(position, bytes.length)),
      close: () => undefined,
    };
  } catch (cause) {
    const { code } = cause as { code?: unknown };
    const why = code === 'ERR_BUFFER_TOO_LARGE' ? `unpacks into more than ${maxBytes} bytes` : 'cannot be unpacked';
    throw new OllmError('IO_FAILED', `${path} ${why}.`, { data: { path }, cause });
  } finally {
    handle.close();
  }
}
