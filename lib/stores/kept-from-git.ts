// Keeps the sessions of a project out of its history: the next `git add .` would put every conversation there. An
// ignore file is written next to their directory when that is made, once: a user who removes it wants them in the
// history.
import { dirname, join } from 'node:path';
import { systemErrorCode } from '../errors/index.ts';
import type { JournalStore } from '../journal/types.ts';
import type { FileSystem } from '../platform/files/file-system.ts';
import type { Log } from '../platform/log.ts';

const IGNORED = '/session-data/\n';

interface KeptFromGitOptions {
  /** `.ollm/session-data` of the project. */
  readonly directory: string;
  readonly fileSystem: Pick<FileSystem, 'stat' | 'open'>;
  readonly log: Log;
}

export function keptFromGit(store: JournalStore, { directory, fileSystem, log }: KeptFromGitOptions): JournalStore {
  const path = join(dirname(directory), '.gitignore');
  return {
    ...store,
    create: (id, created, options) => withoutNewFields(() => store.create(id, created, options)),
    createFilled: (id, beginning) => withoutNewFields(() => store.createFilled(id, beginning)),
  };

  async function withoutNewFields<Result>(make: () => Promise<Result>): Promise<Result> {
    const isNew = fileSystem.stat(directory) === undefined;
    const made = await make();
    if (isNew) writeIgnoreFile();
    return made;
  }

  function writeIgnoreFile(): void {
    try {
      const handle = fileSystem.open(path, 'create', 0o644);
      handle.write(new TextEncoder().encode(IGNORED));
      handle.close();
    } catch (error) {
      if (systemErrorCode(error) === 'EEXIST') return;
      const fields = { service: 'session', operation: 'create', path, error };
      log.warn(
        { ...fields, action: `Keep ${directory} out of the repository yourself.` },
        'No ignore file was written',
      );
    }
  }
}
