// Sessions of the older form: one JSON document without a journal. To be read, they become a journal in memory; to be
// written, a journal on disk.
import { join } from 'node:path';
import { isSessionId } from '../../journal/format.ts';
import { journalName } from '../../journal/paths.ts';
import type { Beginning } from '../../journal/types.ts';
import { readSnapshotAnchor } from '../../session/saved/snapshot.ts';
import { upgradeSession } from '../../session/upgrade.ts';
import { VERSION } from '../../version.ts';
import type { App } from '../app.ts';

/** Events of one append. */
const BATCH = 256;

/** Whether there is a document of a session and no journal yet. */
export async function isBareSession(app: App, id: string): Promise<boolean> {
  if (app.mode === 'ephemeral' || app.servers || !isSessionId(id)) return false;
  const journal = app.fileSystem.stat(join(app.paths.sessions, journalName(id)));
  // A crash may leave a journal without its first line. A document next to a journal that lost it is not of the older
  // form.
  if (journal && (journal.size > 0 || (await readSnapshotAnchor(app.store, id)))) return false;
  return app.fileSystem.stat(documentOf(app, id))?.kind === 'file';
}

function documentOf({ paths }: App, id: string): string {
  return join(paths.sessions, `${id}.json`);
}

/**
 * Lets the app read the session from memory if it is of the older form. Nothing is written.
 *
 * @throws OllmError JOURNAL_DAMAGED if the document is not a session
 */
export async function readOlderForm(app: App, id: string): Promise<void> {
  app.olderForms.forget(id);
  if (!(await isBareSession(app, id))) return;
  const memory = await app.openMemoryStore();
  await memory.createFilled(id, await beginningOf(app, id));
  app.olderForms.readFrom(id, memory, documentOf(app, id));
}

/**
 * Gives the session its journal. The document goes to archive/ first, so that a crash at any point leaves it whole.
 * Returns a notice.
 */
export async function upgradeBareSession(app: App, id: string): Promise<string> {
  const { store } = app;
  const beginning = await beginningOf(app, id);
  const archive = await store.archiveDocument(id);
  const created = { ...beginning.created, previous: { archive, reason: 'upgrade' } };
  await store.createFilled(id, { ...beginning, created });
  await store.removeDocument(id, 'snapshot');
  return `Session ${id} was of an older form and has a journal now; the old file is archive/${archive}.`;
}

async function beginningOf({ store }: App, id: string): Promise<Beginning> {
  const { created, events } = upgradeSession(id, (await store.readDocument(id, 'snapshot')) ?? '');
  return {
    created: { ...created, ollm: VERSION },
    async fill(writer) {
      for (let from = 0; from < events.length; from += BATCH) await writer.append(events.slice(from, from + BATCH));
    },
  };
}
