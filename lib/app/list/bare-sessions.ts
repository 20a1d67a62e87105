// Sessions of the older form: a bare `<id>.json`, the session as one JSON document, without a journal. They are found
// here, and get a journal when they are opened.
import { join } from 'node:path';
import { isSessionId } from '../../journal/format.ts';
import { namesIn } from '../../platform/files/io.ts';
import type { App } from '../app.ts';

const EXTENSION = '.json';

export interface BareSession {
  readonly id: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** The ids of all sessions of the store, also those of the older form, sorted. */
export async function ownIds(app: App): Promise<readonly string[]> {
  const journals = await app.store.ids();
  return [...journals, ...listBareSessions(app, journals).map(({ id }) => id)].sort();
}

/** @internal `journals`: ids of the sessions that have one. */
export function listBareSessions(app: App, journals: readonly string[]): BareSession[] {
  const { fileSystem, paths, mode, servers } = app;
  if (mode === 'ephemeral' || servers) return [];
  const withJournal = new Set(journals);
  return namesIn(fileSystem, paths.sessions).flatMap((name) => {
    const id = idOfBare(name);
    return id === undefined || withJournal.has(id) ? [] : (bareSessionOf(app, id) ?? []);
  });
}

/** The id that a file with this name is of, where it is the one file of a session. */
export function idOfBare(name: string): string | undefined {
  // Most names are of other kinds: no id holds a dot.
  if (!name.endsWith(EXTENSION) || name.indexOf('.') !== name.length - EXTENSION.length) return undefined;
  const id = name.slice(0, -EXTENSION.length);
  return isSessionId(id) ? id : undefined;
}

/** @internal The file of an id without a journal; undefined if it does not exist. */
export function bareSessionOf({ fileSystem, paths }: App, id: string): BareSession | undefined {
  const stat = fileSystem.stat(join(paths.sessions, `${id}${EXTENSION}`));
  return stat?.kind === 'file' ? { id, bytes: stat.size, modifiedMs: stat.modifiedMs } : undefined;
}
