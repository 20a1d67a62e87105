// The files derived from a journal: snapshot and state. They are replaced as a whole and may be deleted at any time, so
// one that cannot be read counts as missing; the log says why.
import { basename } from 'node:path';
import { systemErrorCode } from '../errors/index.ts';
import { ensureDirectory, OPEN_TO_OTHERS, tightenFile } from '../journal/files/directory.ts';
import { guarded, removeIfThere, type StoreContext } from '../journal/files/store-context.ts';
import { putWholeFile, sweepTemporaries } from '../journal/files/whole-file.ts';
import { DOCUMENT_KINDS, freeName } from '../journal/paths.ts';
import type { JournalStore } from '../journal/types.ts';
import { readInto } from '../platform/files/io.ts';

type Documents = Pick<JournalStore, 'readDocument' | 'writeDocument' | 'removeDocument' | 'setAsideDocument'>;

const utf8 = new TextDecoder();

export function documentsOf(context: StoreContext): Documents {
  const { fileSystem, paths } = context;
  let isSwept = false;

  return {
    async readDocument(id, kind, maxBytes) {
      const path = paths.document(id, kind);
      try {
        return utf8.decode(beginning(context, path, maxBytes));
      } catch (error) {
        if (systemErrorCode(error) === undefined) throw error;
        if (systemErrorCode(error) !== 'ENOENT') {
          const fields = { service: 'store', operation: 'read', path, error, action: 'It will be written again.' };
          context.log.warn(fields, 'A derived file cannot be read');
        }
        return undefined;
      }
    },
    async writeDocument(id, kind, text) {
      const path = paths.document(id, kind);
      return guarded(`Cannot write ${path}`, async () => {
        await ensureDirectory(context, paths.directory);
        if (!isSwept) sweepTemporaries(context, paths.directory);
        isSwept = true;
        const chunks = typeof text === 'string' ? [text] : text;
        await putWholeFile(context, paths.directory, basename(path), chunks);
      });
    },
    async removeDocument(id, kind) {
      const path = paths.document(id, kind);
      return guarded(`Cannot remove ${path}`, async () => removeIfThere(context, path));
    },
    async setAsideDocument(id, kind) {
      const path = paths.document(id, kind);
      return guarded(`Cannot set ${path} aside`, async () => {
        const aside = freeName(
          context.clock.now(),
          (stamp) => `${path}.${stamp}.suspect`,
          (name) => fileSystem.stat(name) !== undefined,
        );
        fileSystem.rename(path, aside);
        await fileSystem.syncDirectory(paths.directory);
        return basename(aside);
      });
    },
  };
}

/** In four calls to the disk: a list does this for each session. */
function beginning(context: StoreContext, path: string, maxBytes = Number.POSITIVE_INFINITY): Uint8Array {
  using handle = context.fileSystem.open(path, 'read');
  const { mode, size } = handle.stat();
  if ((mode & OPEN_TO_OTHERS) !== 0) tightenFile(context, path);
  const bytes = Buffer.allocUnsafe(Math.min(size, maxBytes));
  return bytes.subarray(0, readInto(handle, bytes));
}

/** Removes every kind; on the device when it returns. */
export async function removeDocuments(context: StoreContext, id: string): Promise<void> {
  const { fileSystem, paths } = context;
  for (const kind of DOCUMENT_KINDS) removeIfThere(context, paths.document(id, kind));
  await fileSystem.syncDirectory(paths.directory);
}
