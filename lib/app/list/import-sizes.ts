// What imports take on disk, by the program that they came from: their journals, and what those name under blobs/.

import { blobsIn, blobsNamedIn } from '../../file-store/blobs.ts';
import { storePaths } from '../../journal/paths.ts';
import { isImport } from '../../session/is-import.ts';
import type { App } from '../app.ts';

export interface ImportSizes {
  readonly sessions: number;
  /** The bytes of journals and attachments; an attachment of several sessions counts once. */
  readonly bytes: number;
}

/** Reads each journal of an import for the attachments that it names. */
export async function importSizes(
  { store, fileSystem, paths, servers }: App,
  agents: readonly string[],
): Promise<ReadonlyMap<string, ImportSizes>> {
  const { blobs: directory, journal } = storePaths(paths.sessions);
  // On servers, attachments are not looked at: only the journals count there.
  const blobs =
    servers || fileSystem.stat(directory) === undefined ? new Set<string>() : blobsIn(fileSystem, directory);
  const ids = await store.ids();
  const sizes = new Map<string, ImportSizes>();
  for (const agent of agents) {
    const named = new Set<string>();
    let sessions = 0;
    let bytes = 0;
    for (const id of ids) {
      if (!id.startsWith(`${agent}-`) || !(await isImport(store, id))) continue;
      sessions += 1;
      bytes += (await store.info(id))?.bytes ?? 0;
      if (blobs.size === 0) continue;
      for (const name of blobsNamedIn(fileSystem, journal(id), blobs)) named.add(name);
    }
    for (const name of named) bytes += fileSystem.stat(`${directory}/${name}`)?.size ?? 0;
    sizes.set(agent, { sessions, bytes });
  }
  return sizes;
}
