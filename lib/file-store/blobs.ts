// Content too large for a line, under its own sha256. The same content is stored once; putting it again renews the
// file, so that its age says when it was last needed. Read bytes are checked against their name.
import { createHash, hash } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { OllmError, systemErrorCode } from '../errors/index.ts';
import { ensureDirectory } from '../journal/files/directory.ts';
import { guarded, guardedSync, type StoreContext } from '../journal/files/store-context.ts';
import { putWholeFile, sweepTemporaries } from '../journal/files/whole-file.ts';
import { BLOB_NAME_LENGTH, blobNamesIn, isBlobName } from '../journal/format.ts';
import type { JournalStore } from '../journal/types.ts';
import type { FileSystem } from '../platform/files/file-system.ts';
import { readFile } from '../platform/files/io.ts';

/** Hashed in one go: a millisecond or so. Between two of them others get their turn. */
const HASHED_AT_ONCE = 512 * 1024;

const SLICE_BYTES = 1024 * 1024;

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
      if (bytes !== undefined && hash('sha256', bytes) !== sha256) {
        throw new OllmError('JOURNAL_DAMAGED', `The attachment ${path} is not what was stored under this name.`, {
          hint: 'Put the file back from a backup; the journal itself is not affected.',
          data: { path },
        });
      }
      return bytes;
    },
  };
}

/** A worker thread would get a copy, and the copy takes longer than a slice. */
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

/** Every blob of a directory. */
export function blobsIn(fileSystem: Pick<FileSystem, 'readDirectory'>, directory: string): Set<string> {
  const entries = fileSystem.readDirectory(directory);
  return new Set(entries.filter(({ name, kind }) => kind === 'file' && isBlobName(name)).map(({ name }) => name));
}

/** Which of these blobs a file names. It is read in slices, each with the end of the one before. */
export function blobsNamedIn(
  fileSystem: Pick<FileSystem, 'open'>,
  path: string,
  among: ReadonlySet<string>,
): Set<string> {
  const found = new Set<string>();
  using handle = fileSystem.open(path, 'read');
  const slice = Buffer.allocUnsafe(SLICE_BYTES);
  let before = '';
  for (let position = 0; ; ) {
    const length = handle.read(slice, position);
    if (length === 0) return found;
    position += length;
    const text = before + slice.toString('latin1', 0, length);
    for (const name of blobNamesIn(text, among)) found.add(name);
    before = text.slice(1 - BLOB_NAME_LENGTH);
  }
}
