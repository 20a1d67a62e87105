// A source that its program packed, read as if it were not: unpacked into memory, and never more of it than its size
// allows. A small file that unpacks into a huge one is refused.
import { OllmError } from '../errors/index.ts';
import { readAll, type SourceHandle } from './open-source.ts';

/** How many times its size a packed source may come to, and how many bytes. */
const MAX_RATIO = 64;
const MAX_UNPACKED_BYTES = 2 ** 30;

/**
 * Takes the place of the handle, which is closed.
 * @throws OllmError IO_FAILED if it is damaged, or comes to more than that
 */
export function unpacked(handle: SourceHandle, path: string): SourceHandle {
  const stat = handle.stat();
  const maxBytes = Math.min(MAX_RATIO * stat.size, MAX_UNPACKED_BYTES);
  try {
    const { zstdDecompressSync } = process.getBuiltinModule('node:zlib');
    const bytes = zstdDecompressSync(readAll(handle), { maxOutputLength: Math.max(1, maxBytes) });
    return {
      stat: () => ({ ...stat, size: bytes.length }),
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
