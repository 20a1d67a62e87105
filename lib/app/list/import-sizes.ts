// What imports take on disk, by the program that they came from: their journals, and what those name under blobs/.
import { parseAddress } from '../../agents/address.ts';
import { blobsIn, blobsNamedIn } from '../../file-store/blobs.ts';
import { storePaths } from '../../journal/paths.ts';
import { sourceAddress } from '../../session/is-import.ts';
import type { App } from '../app.ts';
import { mayBeImport } from './may-be-import.ts';

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
  const sizes = new Map(agents.map((agent) => [agent, { sessions: 0, bytes: 0, named: new Set<string>() }]));
  for (const id of (await store.ids()).filter(mayBeImport)) {
    const address = await sourceAddress(store, id);
    const sum = sizes.get(parseAddress(address ?? '')?.agent ?? '');
    if (sum === undefined) continue;
    sum.sessions += 1;
    sum.bytes += (await store.info(id))?.bytes ?? 0;
    if (blobs.size > 0) for (const name of blobsNamedIn(fileSystem, journal(id), blobs)) sum.named.add(name);
  }
  for (const sum of sizes.values()) {
    for (const name of sum.named) sum.bytes += fileSystem.stat(`${directory}/${name}`)?.size ?? 0;
  }
  return sizes;
}
