// Small JSON files below `$OLLM_HOME`, readable only by the user, which several servers may change at once. A file that
// another user could have written counts as missing.
import { join } from 'node:path';
import { changeContent } from '../../platform/files/file-change.ts';
import { readOwnFile } from '../../platform/files/own-file.ts';
import type { App } from '../app.ts';

type DocumentPlace = Pick<App, 'paths' | 'fileSystem' | 'ids' | 'process' | 'log'>;

const MAX_BYTES = 1024 * 1024;

/** Undefined if there is none, or none that can be believed. */
export function readOwnDocument({ paths, fileSystem, process, log }: DocumentPlace, name: string): unknown {
  const path = join(paths.home, name);
  try {
    const file = readOwnFile(fileSystem, path, { uid: process.uid, maxBytes: MAX_BYTES });
    if (file.kind === 'content') return JSON.parse(Buffer.from(file.content).toString());
    if (file.kind === 'untrusted') log.warn({ service: 'app', operation: 'read', path }, `It ${file.problem}`);
  } catch (error) {
    log.warn({ service: 'app', operation: 'read', path, error }, 'A file of ollm cannot be read');
  }
  return undefined;
}

/** `edit`: returns the new document; undefined leaves it unchanged. @throws the error of the system, as an Error */
export async function changeOwnDocument(
  place: DocumentPlace,
  name: string,
  edit: (now: unknown) => unknown,
): Promise<void> {
  const { paths, fileSystem, ids } = place;
  await changeContent({ path: join(paths.home, name), fileSystem, ids }, () => {
    const next = edit(readOwnDocument(place, name));
    return next === undefined ? undefined : `${JSON.stringify(next, undefined, 2)}\n`;
  });
}
