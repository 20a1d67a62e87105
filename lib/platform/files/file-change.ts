// A change of a small file that several processes share: under a kernel lock on a second file next to it, and as a
// whole, so that no change of another process is lost and no reader sees half of one.
import { dirname } from 'node:path';
import type { Ids } from '../ids.ts';
import { systemSleep } from '../waiting.ts';
import type { FileHandle, FileSystem } from './file-system.ts';
import { writeAll } from './io.ts';

interface SharedFile {
  readonly path: string;
  readonly fileSystem: FileSystem;
  readonly ids: Pick<Ids, 'token'>;
}

const LOCK_ATTEMPTS = 2_000;
const LOCK_PAUSE_MS = 5;

/**
 * Replaces the file by the text that `edit` gives, which reads the file itself: the lock is held by then. Undefined
 * leaves the file as it is. Returns whether it was replaced. `isSynced`: the text is on the device before that.
 *
 * @example
 * await changeContent(file, () => edited(readFile(file.fileSystem, file.path)));
 * @throws as `ContentChange.beginWhenFree`, and what `edit` throws: then the file is as it was
 */
export async function changeContent(
  file: SharedFile,
  edit: () => string | undefined | Promise<string | undefined>,
  { isSynced = false }: { readonly isSynced?: boolean } = {},
): Promise<boolean> {
  const change = await ContentChange.beginWhenFree(file);
  try {
    const text = await edit();
    if (text === undefined) return false;
    change.write(text);
    if (isSynced) await change.sync();
    change.commit();
    return true;
  } finally {
    change.end();
  }
}

/** Holds the lock until `end`. */
export class ContentChange {
  readonly #file: SharedFile;
  readonly #lock: FileHandle;
  #written: { readonly handle: FileHandle; readonly path: string; isCommitted: boolean } | undefined;

  private constructor(file: SharedFile, lock: FileHandle) {
    this.#file = file;
    this.#lock = lock;
  }

  /**
   * Makes the directory of the file, and waits up to ten seconds for the lock, while other work of this process
   * continues.
   * @throws the errors of the port; EAGAIN: another process keeps the lock
   */
  static async beginWhenFree(file: SharedFile): Promise<ContentChange> {
    for (let attempt = 1; ; attempt += 1) {
      const change = ContentChange.#tryToBegin(file, attempt);
      if (change !== undefined) return change;
      await systemSleep(LOCK_PAUSE_MS);
    }
  }

  static #tryToBegin(file: SharedFile, attempt: number): ContentChange | undefined {
    const { fileSystem, path } = file;
    fileSystem.makeDirectory(dirname(path));
    const lock = fileSystem.open(`${path}.lock`, 'lock', 0o600);
    if (lock.tryLock()) return new ContentChange(file, lock);
    lock.close();
    if (attempt < LOCK_ATTEMPTS) return undefined;
    throw Object.assign(new Error('another process keeps it locked'), { code: 'EAGAIN' });
  }

  /** Writes the whole new content to a file next to it that only the user can read. */
  write(text: string): void {
    const { fileSystem, ids, path } = this.#file;
    const temporary = `${path}.${ids.token()}.tmp`;
    const handle = fileSystem.open(temporary, 'create', 0o600);
    this.#written = { handle, path: temporary, isCommitted: false };
    writeAll(handle, new TextEncoder().encode(text));
  }

  /** Resolves when the written content is on the device. */
  async sync(): Promise<void> {
    await this.#written?.handle.sync();
  }

  /** Replaces the file by the written content. */
  commit(): void {
    if (this.#written === undefined) return;
    this.#file.fileSystem.rename(this.#written.path, this.#file.path);
    this.#written.isCommitted = true;
  }

  /** Gives up the lock, and uncommitted content. */
  end(): void {
    try {
      this.#written?.handle.close();
      if (this.#written?.isCommitted === false) this.#file.fileSystem.unlink(this.#written.path);
    } finally {
      this.#lock.close();
    }
  }
}
