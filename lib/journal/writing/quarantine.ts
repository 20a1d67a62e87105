// Copies bytes aside before recovery cuts them off the end of a journal; the copy is on the device before the cut. Its
// name is made of journal, offset and content, so that doing it twice leaves one copy.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { FileHandle } from '../../platform/files/file-system.ts';
import { readInto, writeAll } from '../../platform/files/io.ts';
import { ensureDirectory } from '../files/directory.ts';
import { type JournalPorts, removeIfThere } from '../files/store-context.ts';

const CHUNK_BYTES = 1024 * 1024;

/** Copies everything from `offset` to the end of the file. Returns the name of the copy. */
export async function quarantine(
  ports: JournalPorts,
  source: FileHandle,
  { id, offset, directory }: { readonly id: string; readonly offset: number; readonly directory: string },
): Promise<string> {
  const { fileSystem, ids } = ports;
  await ensureDirectory(ports, directory);
  const temporary = join(directory, `.${id}.${ids.token()}.tmp`);
  const copy = fileSystem.open(temporary, 'create', 0o600);
  const hash = createHash('sha256');
  try {
    // Without a lock, a purge in another process would take it for the leftover of a crash.
    copy.tryLock();
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let position = offset; ; ) {
      const count = readInto(source, chunk, position);
      if (count === 0) break;
      const bytes = chunk.subarray(0, count);
      hash.update(bytes);
      writeAll(copy, bytes);
      position += count;
    }
    await copy.sync();
    const name = `${id}.${offset}.${hash.digest('hex').slice(0, 8)}.bin`;
    fileSystem.rename(temporary, join(directory, name));
    await fileSystem.syncDirectory(directory);
    return name;
  } catch (error) {
    removeIfThere(ports, temporary);
    throw error;
  } finally {
    copy.close();
  }
}
