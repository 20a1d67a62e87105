// The file of seals, `<id>.seals` in the journal's directory: a JSON object a line, append-only. It contains no secret.
import { systemErrorCode } from '../errors/index.ts';
import type { FileSystem } from '../platform/files/file-system.ts';
import { readFile, writeAll } from '../platform/files/io.ts';

/** A seal as it is stored. */
interface Seal {
  /** The text that was signed. */
  readonly statement: string;
  /** As `ssh-keygen -Y sign` writes it. */
  readonly signature: string;
}

/** A line of the file: a seal, or what cannot be read as one. */
export type SealLine =
  | ({ readonly kind: 'seal'; readonly number: number } & Seal)
  | { readonly kind: 'unreadable'; readonly number: number };

/** A seal takes less than 4 KiB; so this is a file of thousands. */
const MAX_BYTES = 64 << 20;

/** The seals of a session in the order in which they were made; none without the file. @throws the system's error */
export function readSeals(fileSystem: Pick<FileSystem, 'open'>, path: string): SealLine[] {
  let bytes: Uint8Array;
  try {
    bytes = readFile(fileSystem, path, { maxBytes: MAX_BYTES });
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
  return Buffer.from(bytes)
    .toString('utf8')
    .split('\n')
    .map((line, index) => parseLine(line, index + 1))
    .filter((line) => line !== undefined);
}

function parseLine(line: string, number: number): SealLine | undefined {
  if (line === '') return undefined;
  try {
    const { statement, signature } = JSON.parse(line);
    if (typeof statement === 'string' && typeof signature === 'string')
      return { kind: 'seal', number, statement, signature };
  } catch {
    // A torn line, after a crash: it acknowledged nothing.
  }
  return { kind: 'unreadable', number };
}

/**
 * Adds a seal; it is on the device when this returns. Two processes may do it at once: each line is one write at the
 * end of the file. @throws the system's error
 */
export async function appendSeal(
  fileSystem: FileSystem,
  { path, directory }: { readonly path: string; readonly directory: string },
  { statement, signature }: Seal,
): Promise<void> {
  const handle = openToAppend(fileSystem, path);
  try {
    const { size } = handle.stat();
    const last = Buffer.alloc(1);
    const isTorn = size > 0 && handle.read(last, size - 1) === 1 && last[0] !== 0x0a;
    writeAll(handle, Buffer.from(`${isTorn ? '\n' : ''}${JSON.stringify({ statement, signature })}\n`));
    await handle.sync();
  } finally {
    handle.close();
  }
  await fileSystem.syncDirectory(directory);
}

function openToAppend(fileSystem: FileSystem, path: string) {
  try {
    return fileSystem.open(path, 'create', 0o600);
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
    return fileSystem.open(path, 'append');
  }
}
