// Gives a session of the older form its journal, on the way in. The document goes to archive/ first, as it is, so that a
// crash at any point leaves it whole somewhere.
import { join } from 'node:path';
import { systemErrorCode } from '../../errors/index.ts';
import { isSessionId } from '../../journal/format.ts';
import { freeName, journalName } from '../../journal/paths.ts';
import { inBatches } from '../../session/copy-events.ts';
import { readSnapshotAnchor } from '../../session/snapshot.ts';
import { upgradeSession } from '../../session/upgrade.ts';
import { VERSION } from '../../version.ts';
import type { App } from '../app.ts';

/** Whether there is a document of a session and no journal yet. */
export function isBareSession(app: App, id: string): boolean {
  if (app.mode === 'ephemeral' || !isSessionId(id)) return false;
  const journal = app.fileSystem.stat(join(app.paths.sessions, journalName(id)));
  // A crash may leave a journal without its first line. What stands beside one that lost it is no document of the older form.
  if (journal && (journal.size > 0 || readSnapshotAnchor(app.store, id))) return false;
  return app.fileSystem.stat(join(app.paths.sessions, `${id}.json`))?.kind === 'file';
}

/** What the user is to be told. */
export async function upgradeBareSession(app: App, id: string): Promise<string> {
  const { store } = app;
  const { created, events } = upgradeSession(id, store.readDocument(id, 'snapshot') ?? '');
  const archive = await archiveDocument(app, id);
  await store.createFilled(id, {
    created: { ...created, ollm: VERSION, previous: { archive, reason: 'upgrade' } },
    async fill(writer) {
      for (const batch of inBatches(events)) await writer.append(batch);
    },
  });
  await store.removeDocument(id, 'snapshot');
  return `Session ${id} was of an older form and has a journal now; the old file is archive/${archive}.`;
}

/** A second name for the same file: it is in both places until there is a journal. The one that a crash left is as good. */
async function archiveDocument({ fileSystem, paths, clock }: App, id: string): Promise<string> {
  const directory = join(paths.sessions, 'archive');
  fileSystem.makeDirectory(directory);
  const document = fileSystem.stat(join(paths.sessions, `${id}.json`));
  const isThere = (candidate: string) => {
    const stat = fileSystem.stat(join(directory, candidate));
    return stat?.inode === document?.inode && stat?.device === document?.device;
  };
  const left = fileSystem.readNames(directory).find((name) => name.startsWith(`${id}.`) && isThere(name));
  const name =
    left ??
    freeName(
      clock.now(),
      (stamp) => `${id}.${stamp}.json`,
      (candidate) => fileSystem.stat(join(directory, candidate)) !== undefined,
    );
  try {
    if (left === undefined) fileSystem.link(join(paths.sessions, `${id}.json`), join(directory, name));
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  }
  await fileSystem.syncDirectory(directory);
  return name;
}
