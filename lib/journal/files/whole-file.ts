// Puts a whole file in place, so that readers see the old one or the new one and a crash leaves one of them: a random,
// exclusive name in the same directory, written, synced, renamed, and the directory synced.
import { join } from 'node:path';
import { systemErrorCode } from '../../errors/index.ts';
import type { FileHandle } from '../../platform/files/file-system.ts';
import { writeAll } from '../../platform/files/io.ts';
import { createHeld, removeLeftover } from './held-file.ts';
import { removeIfThere, type StoreContext } from './store-context.ts';

const TEMPORARY = '.tmp';
const BUFFER_BYTES = 256 * 1024;
const COPY_BYTES = 1024 * 1024;
const MAX_ATTEMPTS = 5;

export type Chunks = Iterable<Uint8Array | string>;

/** Replaces an existing file of this name. The directory exists. */
export async function putWholeFile(
  { fileSystem, ids }: Pick<StoreContext, 'fileSystem' | 'ids'>,
  directory: string,
  name: string,
  chunks: Chunks,
): Promise<void> {
  const handle = openTemporary({ fileSystem, ids }, directory, name);
  try {
    writeChunks(handle, chunks);
    await handle.sync();
    fileSystem.rename(handle.path, join(directory, name));
  } catch (error) {
    handle.close();
    removeIfThere({ fileSystem }, handle.path);
    throw error;
  }
  handle.close();
  await fileSystem.syncDirectory(directory);
}

/** Removes files that crashes left half written in a directory, but none that another process is writing. */
export function sweepTemporaries(
  { fileSystem, log }: Pick<StoreContext, 'fileSystem' | 'log'>,
  directory: string,
): void {
  for (const { name, kind } of fileSystem.readDirectory(directory)) {
    if (kind !== 'file' || !name.endsWith(TEMPORARY)) continue;
    const path = join(directory, name);
    try {
      removeLeftover(fileSystem, path);
    } catch (error) {
      // A different process was faster, or the file belongs to another user: harmless either way.
      log.debug({ service: 'store', operation: 'sweep', path, error }, 'The leftover of a crash could not be removed');
    }
  }
}

function openTemporary(
  { fileSystem, ids }: Pick<StoreContext, 'fileSystem' | 'ids'>,
  directory: string,
  name: string,
): FileHandle {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const handle = createHeld(fileSystem, join(directory, `${name}.${ids.token()}${TEMPORARY}`));
      if (handle !== undefined) return handle;
    } catch (error) {
      if (systemErrorCode(error) !== 'EEXIST' || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Small chunks are gathered: one call to the disk for each 256 KiB. */
function writeChunks(handle: FileHandle, chunks: Chunks): void {
  const encoder = new TextEncoder();
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  const flush = () => {
    writeAll(handle, waiting.length === 1 && waiting[0] ? waiting[0] : Buffer.concat(waiting));
    waiting = [];
    waitingBytes = 0;
  };
  for (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk;
    waiting.push(bytes);
    waitingBytes += bytes.length;
    if (waitingBytes >= BUFFER_BYTES) flush();
  }
  flush();
}

/** What a file holds from a place on. Each chunk has a buffer of its own: the next may be read before it is written. */
export function* contentOf(file: Pick<FileHandle, 'read'>, from = 0): Generator<Uint8Array, void, void> {
  for (let position = from; ; ) {
    const target = new Uint8Array(COPY_BYTES);
    const length = file.read(target, position);
    if (length === 0) return;
    yield target.subarray(0, length);
    position += length;
  }
}
