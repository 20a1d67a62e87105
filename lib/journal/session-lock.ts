// Runs what changes a session's files while nobody else can open it for writing. The lock file goes last, and only when
// there is no journal any more that it could belong to.
import { OllmError } from '../errors/index.ts';
import { acquireLock, readHolder } from './lock.ts';
import { openJournalReader } from './reader.ts';
import { removeIfThere, type StoreContext } from './store-context.ts';
import type { Holder } from './types.ts';

/** @throws OllmError JOURNAL_LOCKED */
export async function whileLocked<T>(context: StoreContext, id: string, action: () => Promise<T>): Promise<T> {
  const { fileSystem, paths } = context;
  const lock = await acquireLock(fileSystem, paths.lock(id));
  if (lock === undefined) throw locked(id, holderOf(context, id));
  try {
    return await action();
  } finally {
    if (fileSystem.stat(paths.journal(id)) === undefined) removeIfThere(context, paths.lock(id));
    lock.close();
  }
}

/**
 * Refuses what is no journal at all.
 * @throws OllmError SESSION_NOT_FOUND, JOURNAL_NOT_A_FILE
 */
export function requireJournal({ fileSystem, paths }: StoreContext, id: string): void {
  const path = paths.journal(id);
  const stat = fileSystem.stat(path);
  if (stat === undefined) {
    throw new OllmError('SESSION_NOT_FOUND', `There is no session ${id}.`, {
      hint: '"ollm list" shows those that there are.',
      data: { id },
    });
  }
  if (stat.kind !== 'file') {
    const what = stat.kind === 'other' ? 'no file' : `a ${stat.kind}`;
    throw new OllmError('JOURNAL_NOT_A_FILE', `${path} is ${what}, and no journal.`, {
      hint: 'Move it away by hand.',
      data: { id, path },
    });
  }
}

/** What can be said of whoever holds the lock. */
export function holderOf({ fileSystem, paths, log }: StoreContext, id: string): Holder {
  try {
    const reader = openJournalReader(fileSystem, { id, path: paths.journal(id), lockPath: paths.lock(id), log });
    try {
      return readHolder(reader);
    } finally {
      reader.close();
    }
  } catch {
    // A journal that is being made, moved or damaged: that somebody holds it is known all the same.
    return { pid: undefined, host: undefined, command: undefined, since: undefined };
  }
}

function locked(id: string, holder: Holder): OllmError {
  const who = holder.pid === undefined ? 'another process' : `process ${holder.pid}${inBrackets(holder)}`;
  return new OllmError('JOURNAL_LOCKED', `Session ${id} is in use by ${who}.`, {
    hint: `Close it there and try again. To read it meanwhile: ollm tail ${id}`,
    data: { id, holder },
  });
}

function inBrackets({ command, host, since }: Holder): string {
  const facts = [command, host && `on ${host}`, since && `since ${since}`].filter((fact) => fact !== undefined);
  return facts.length === 0 ? '' : ` (${facts.join(', ')})`;
}
