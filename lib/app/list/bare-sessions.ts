// Sessions of the older form: a bare `<id>.json`, the session as one JSON document, without a journal. They are found
// here, and get a journal when they are opened.
import { join } from 'node:path';
import { isSessionId } from '../../journal/format.ts';
import type { JournalFileInfo } from '../../journal/types.ts';
import { namesIn } from '../../platform/files/io.ts';
import type { App } from '../app.ts';

const EXTENSION = '.json';

export interface BareSession {
  readonly id: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** `journals`: the sessions that have one. */
export function listBareSessions(
  { fileSystem, paths, mode, servers }: App,
  journals: readonly JournalFileInfo[],
): BareSession[] {
  if (mode === 'ephemeral' || servers) return [];
  const withJournal = new Set(journals.map(({ id }) => id));
  return namesIn(fileSystem, paths.sessions).flatMap((name) => {
    // Most names are of other kinds: no id holds a dot.
    if (!name.endsWith(EXTENSION) || name.indexOf('.') !== name.length - EXTENSION.length) return [];
    const id = name.slice(0, -EXTENSION.length);
    if (withJournal.has(id) || !isSessionId(id)) return [];
    const stat = fileSystem.stat(join(paths.sessions, name));
    return stat?.kind === 'file' ? [{ id, bytes: stat.size, modifiedMs: stat.modifiedMs }] : [];
  });
}
