// Content too large for a line, under its own sha256. The same content is stored once; putting it again renews the
// file, so that its age says when it was last needed. What is read is checked against its name.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { OllmError, systemErrorCode } from '../../errors/index.ts';
import type { FileSystem } from '../../platform/files/file-system.ts';
import { readFile } from '../../platform/files/io.ts';
import { ensureDirectory } from '../files/directory.ts';
import { guarded, guardedSync, type StoreContext } from '../files/store-context.ts';
import { putWholeFile, sweepTemporaries } from '../files/whole-file.ts';
import type { JournalStore } from '../types.ts';

const SHA256 = /^[0-9a-f]{64}$/;
/** Hashed in one go: a millisecond or so. Between two of them others get their turn. */
const HASHED_AT_ONCE = 512 * 1024;

export function isBlobName(name: string): boolean {
  return SHA256.test(name);
}

export function blobsOf(context: StoreContext): Pick<JournalStore, 'putBlob' | 'readBlob'> {
  const { fileSystem, paths } = context;
  let isSwept = false;
  return {
    putBlob(bytes) {
      return guarded('Cannot store an attachment', async () => {
        await ensureDirectory(context, paths.blobs);
        if (!isSwept) sweepTemporaries(context, paths.blobs);
        isSwept = true;
        const name = await sha256InSlices(bytes);
        await putWholeFile(context, paths.blobs, name, [bytes]);
        return name;
      });
    },
    async readBlob(sha256) {
      if (!isBlobName(sha256)) return undefined;
      const path = join(paths.blobs, sha256);
      const bytes = guardedSync(`Cannot read ${path}`, () => readIfThere(fileSystem, path));
      if (bytes !== undefined && sha256Of(bytes) !== sha256) {
        throw new OllmError('JOURNAL_DAMAGED', `The attachment ${path} is not what was stored under this name.`, {
          hint: 'Put the file back from a backup; the journal itself is not affected.',
          data: { path },
        });
      }
      return bytes;
    },
  };
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Another thread would be given a copy, and the copy takes longer than a slice. */
async function sha256InSlices(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  for (let start = 0; start < bytes.length; start += HASHED_AT_ONCE) {
    if (start > 0) await breathe();
    hash.update(bytes.subarray(start, start + HASHED_AT_ONCE));
  }
  return hash.digest('hex');
}

function readIfThere(fileSystem: FileSystem, path: string): Uint8Array | undefined {
  try {
    return readFile(fileSystem, path);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
