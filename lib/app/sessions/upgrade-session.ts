// Gives a session of the older form its journal, on the way in. The document goes to archive/ first, as it is, so that a
// crash at any point leaves it whole somewhere.
import { join } from 'node:path';
import { isOllmError, systemErrorCode } from '../../errors/index.ts';
import { isSessionId } from '../../journal/format.ts';
import { freeName, journalName } from '../../journal/paths.ts';
import { inBatches } from '../../session/copy-events.ts';
import { firstEvent } from '../../session/fork.ts';
import { readSnapshotAnchor } from '../../session/snapshot.ts';
import { upgradeSession } from '../../session/upgrade.ts';
import { VERSION } from '../../version.ts';
import type { App } from '../app.ts';
import { sessionOptions } from './session-options.ts';

/** Whether there is a document of a session and no journal yet. */
export function isBareSession(app: App, id: string): boolean {
  if (app.mode === 'ephemeral' || !isSessionId(id)) return false;
  const journal = app.fileSystem.stat(join(app.paths.sessions, journalName(id)));
  // A crash may leave a journal without its first line. What stands beside one that lost it is no document of the older form.
  if (journal && (journal.size > 0 || readSnapshotAnchor(app.store, id))) return false;
  return app.fileSystem.stat(join(app.paths.sessions, `${id}.json`))?.kind === 'file';
}

/** Whether a crash came between the first line of the journal and the last: it would pass for all of the session. */
export function isHalfUpgraded(app: App, id: string): boolean {
  return app.mode !== 'ephemeral' && archiveOfBegun(app, id) !== undefined;
}

/** What the user is to be told. Also ends what a crash interrupted. */
export async function upgradeBareSession(app: App, id: string): Promise<string> {
  const { store } = app;
  const { created, events } = upgradeSession(id, store.readDocument(id, 'snapshot') ?? '');
  const begun = archiveOfBegun(app, id);
  const archive = begun ?? (await archiveDocument(app, id));
  const previous = { archive, reason: 'upgrade' } as const;
  const writer = begun
    ? await store.openWriter(id, { policy: app.config.services.session.durability })
    : await store.create(id, { ...created, ollm: VERSION, previous }, sessionOptions(app));
  try {
    // What has a key and is there already is not stored again.
    const keyed = events.map((event, index) => ({ ...event, id: `upgrade-${index}` }));
    for (const batch of inBatches(keyed)) await writer.append(batch);
    const closed = { type: 'session.closed', data: { reason: 'exit' }, id: 'upgrade-closed' };
    await writer.append(closed, { durability: 'disk' });
  } finally {
    await writer.close();
  }
  await store.removeDocument(id, 'snapshot');
  return `Session ${id} was of an older form and has a journal now; the old file is archive/${archive}.`;
}

/** The name in archive/ of the document, as long as both are one file: the last step of an upgrade is to remove the other. */
function archiveOfBegun({ fileSystem, paths, store }: App, id: string): string | undefined {
  const document = fileSystem.stat(join(paths.sessions, `${id}.json`));
  if (document === undefined || document.links === 1 || !store.has(id)) return undefined;
  const reader = store.openReader(id);
  try {
    const { archive, reason } = (firstEvent(reader).data.previous ?? {}) as { archive?: unknown; reason?: unknown };
    if (reason !== 'upgrade' || typeof archive !== 'string') return undefined;
    const archived = fileSystem.stat(join(paths.sessions, 'archive', archive));
    return archived?.inode === document.inode && archived.device === document.device ? archive : undefined;
  } catch (error) {
    // Opening it tells more.
    if (isOllmError(error)) return undefined;
    throw error;
  } finally {
    reader.close();
  }
}

/** A second name for the same file: it is in both places until the journal is written. */
async function archiveDocument({ fileSystem, paths, clock }: App, id: string): Promise<string> {
  const directory = join(paths.sessions, 'archive');
  fileSystem.makeDirectory(directory);
  const name = freeName(
    clock.now(),
    (stamp) => `${id}.${stamp}.json`,
    (candidate) => fileSystem.stat(join(directory, candidate)) !== undefined,
  );
  try {
    fileSystem.link(join(paths.sessions, `${id}.json`), join(directory, name));
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  }
  await fileSystem.syncDirectory(directory);
  return name;
}
