// The bytes of the journals of a directory, as they are: for copies from one place to another.
import { OllmError } from '../errors/index.ts';
import { ensureDirectory } from '../journal/files/directory.ts';
import { openJournalFile } from '../journal/files/journal-file.ts';
import { guarded, type JournalPorts, storeContext } from '../journal/files/store-context.ts';
import { contentOf } from '../journal/files/whole-file.ts';
import { existsError } from '../journal/refusals.ts';
import type { JournalBytes } from '../journal/types.ts';
import { writeAll } from '../platform/files/io.ts';
import { makeBeside } from './make-beside.ts';
import { whileLocked } from './session-lock.ts';

export function bytesOfFileStore(ports: JournalPorts, directory: string): JournalBytes {
  const context = storeContext(ports, directory);
  const { fileSystem, paths } = context;
  return {
    async *readBytes(id) {
      using handle = openJournalFile(fileSystem, { id, path: paths.journal(id) }, 'read');
      yield* upTo(contentOf(handle), handle.stat().size);
    },
    writeBytes: (id, bytes) =>
      guarded(`Cannot create ${paths.journal(id)}`, async () => {
        await ensureDirectory(context, paths.directory);
        await whileLocked(context, id, async () => {
          const path = paths.journal(id);
          if (fileSystem.stat(path) !== undefined) throw existsError({ id, path });
          await makeBeside(context, id, async (target) => {
            using copy = fileSystem.open(target, 'create', 0o600);
            for await (const chunk of bytes) writeAll(copy, chunk);
            if (copy.stat().size === 0) throw emptyCopy(id);
            await copy.sync();
          });
        });
      }),
  };
}

function* upTo(chunks: Iterable<Uint8Array>, bytes: number): Generator<Uint8Array> {
  let left = bytes;
  for (const chunk of chunks) {
    if (left <= 0) return;
    yield chunk.subarray(0, left);
    left -= chunk.length;
  }
}

function emptyCopy(id: string): OllmError {
  return new OllmError('JOURNAL_EMPTY', `Journal ${id} has no byte, so there is nothing to copy.`, { data: { id } });
}
