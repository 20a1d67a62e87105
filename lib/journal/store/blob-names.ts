// Which blobs there are, and which of them a file names. That is decided on bytes: anything that looks like the name of
// a blob counts.
import type { FileSystem } from '../../platform/files/file-system.ts';
import { isBlobName } from './blobs.ts';

const SLICE_BYTES = 1024 * 1024;
const NAME_LENGTH = 64;
const HEX_RUN = /[0-9a-f]{64,}/g;

export function blobsIn(fileSystem: Pick<FileSystem, 'readDirectory'>, directory: string): Set<string> {
  const entries = fileSystem.readDirectory(directory);
  return new Set(entries.filter(({ name, kind }) => kind === 'file' && isBlobName(name)).map(({ name }) => name));
}

/** Which of these blobs a file names. Reads in slices, each with the end of the one before. */
export function blobsNamedIn(
  fileSystem: Pick<FileSystem, 'open'>,
  path: string,
  among: ReadonlySet<string>,
): Set<string> {
  const found = new Set<string>();
  const handle = fileSystem.open(path, 'read');
  try {
    const slice = Buffer.allocUnsafe(SLICE_BYTES);
    let before = '';
    for (let position = 0; ; ) {
      const length = handle.read(slice, position);
      if (length === 0) return found;
      position += length;
      const text = before + slice.toString('latin1', 0, length);
      for (const [run] of text.matchAll(HEX_RUN)) {
        for (let at = 0; at + NAME_LENGTH <= run.length; at += 1) {
          const name = run.slice(at, at + NAME_LENGTH);
          if (among.has(name)) found.add(name);
        }
      }
      before = text.slice(1 - NAME_LENGTH);
    }
  } finally {
    handle.close();
  }
}
