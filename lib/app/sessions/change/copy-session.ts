// `ollm copy`: a session as it is, byte for byte, into another store: a directory, or servers. Its attachments under
// blobs/ go first, so that a copy never names a missing one.
import { resolve } from 'node:path';
import { OllmError } from '../../../errors/index.ts';
import { bytesOfFileStore } from '../../../file-store/store-bytes.ts';
import type { JournalBytes, JournalStore } from '../../../journal/types.ts';
import { openLocalStore } from '../../../stores/local-disk-only.ts';
import type { App } from '../../app.ts';
import { resolveId } from '../../find/find-session.ts';
import { isServerAddress, placeOf } from '../../journals/place.ts';

interface CopyReport {
  readonly id: string;
  readonly to: string;
  readonly bytes: number;
  readonly blobs: number;
}

/** A store without redaction and seals: copied bytes stay unchanged. */
interface RawStore extends JournalBytes, Pick<JournalStore, 'location' | 'putBlob' | 'readBlob' | 'has'> {
  close(): Promise<void>;
}

const HASH = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;
const HASH_LENGTH = 64;

/**
 * Copies a session of this store. `to`: a directory, or an address such as `nats://127.0.0.1:4222/tenant`.
 *
 * @example
 * const { bytes } = await copySession(app, '@last', { to: '/backup/sessions' });
 * @throws OllmError SESSION_NOT_FOUND, SESSION_EXISTS, USAGE, STORE_*
 */
export async function copySession(app: App, reference: string, { to }: { readonly to: string }): Promise<CopyReport> {
  const id = await resolveId(app, reference);
  const source = sourceOf(app);
  const target = await targetOf(app, to);
  try {
    if (target.location === source.location) {
      throw new OllmError('USAGE', `${to} is where the session is already.`, { hint: 'Name another place with --to.' });
    }
    if (await target.has(id)) throw existsThere(id, to);
    const names = new Set<string>();
    let bytes = 0;
    await forEachChunk(source, id, (chunk, before) => {
      bytes += chunk.length;
      for (const [name] of (before + chunk.toString('latin1')).matchAll(HASH)) names.add(name);
    });
    let blobs = 0;
    for (const name of names) {
      const blob = await source.readBlob(name);
      if (blob === undefined) continue;
      await target.putBlob(blob);
      blobs += 1;
    }
    await target.writeBytes(id, firstBytes(source.readBytes(id), bytes));
    return { id, to: target.location, bytes, blobs };
  } finally {
    await target.close();
  }
}

function sourceOf(app: App): Omit<RawStore, 'close'> {
  if (app.servers) return app.servers;
  if (app.mode !== 'ephemeral') return directoryStore(app, placeOf(app));
  throw new OllmError('USAGE', 'Sessions in memory cannot be copied.', { hint: 'Keep the session first, with /save.' });
}

async function targetOf(app: App, to: string): Promise<RawStore> {
  if (!isServerAddress(to)) return { ...directoryStore(app, resolve(app.cwd, to)), close: async () => {} };
  const { openServerStore } = await import('../../start/nats-store.ts');
  const servers = openServerStore(to, { ...app, home: app.paths.home, settings: app.config.nats });
  return { ...servers, close: () => servers.disconnect() };
}

function directoryStore(app: App, directory: string): Omit<RawStore, 'close'> {
  const { fileSystem, clock, ids, process, log } = app;
  const ports = { fileSystem, clock, ids, process, log };
  const { allowNetworkFileSystem } = app.config.services.session;
  return { ...openLocalStore(ports, { directory, allowNetworkFileSystem }), ...bytesOfFileStore(ports, directory) };
}

/** `before`: the last bytes of the chunk before, in which a hash may begin. */
async function forEachChunk(
  source: Pick<JournalBytes, 'readBytes'>,
  id: string,
  look: (chunk: Buffer, before: string) => void,
): Promise<void> {
  let before = '';
  for await (const bytes of source.readBytes(id)) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    look(chunk, before);
    before = chunk.subarray(-HASH_LENGTH - 1).toString('latin1');
  }
}

/** Only the examined bytes, even if a writer adds to the session meanwhile. */
async function* firstBytes(chunks: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  let left = bytes;
  for await (const chunk of chunks) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}

function existsThere(id: string, to: string): OllmError {
  return new OllmError('SESSION_EXISTS', `There is a session ${id} in ${to} already.`, {
    hint: 'Delete or rename that one, or copy to another place. Nothing was changed.',
    data: { id, to },
  });
}
