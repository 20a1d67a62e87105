// Bytes that recovery takes off the end of a journal are copied aside first, and are on the device before the original
// is cut. Named by their journal, place and content, so that doing it twice leaves one copy.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { FileHandle } from '../../platform/files/file-system.ts';
import { writeAll } from '../../platform/files/io.ts';
import { ensureDirectory } from '../files/directory.ts';
import { removeIfThere } from '../files/store-context.ts';
import type { JournalPorts } from '../ports.ts';
import { fill } from '../reading/lines.ts';

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
    // Or a purge elsewhere would take it for what a crash left.
    copy.tryLock();
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let position = offset; ; ) {
      const count = fill(source, chunk, position);
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
