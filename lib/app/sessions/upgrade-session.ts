// Gives a session of the older form its journal, on the way in. The document goes to archive/ first, as it is, so that a
// crash at any point leaves it whole somewhere.
import { join } from 'node:path';
import { systemErrorCode } from '../../errors/index.ts';
import { freeName } from '../../journal/paths.ts';
import { inBatches } from '../../session/copy-events.ts';
import { upgradeSession } from '../../session/upgrade.ts';
import { VERSION } from '../../version.ts';
import type { App } from '../app.ts';
import { sessionOptions } from './session-options.ts';

/** What the user is to be told. */
export async function upgradeBareSession(app: App, id: string): Promise<string> {
  const { store } = app;
  const { created, events } = upgradeSession(id, store.readDocument(id, 'snapshot') ?? '');
  const archive = await archiveDocument(app, id);
  const previous = { archive, reason: 'upgrade' } as const;
  const writer = await store.create(id, { ...created, ollm: VERSION, previous }, sessionOptions(app));
  try {
    for (const batch of inBatches(events)) await writer.append(batch);
    await writer.append({ type: 'session.closed', data: { reason: 'exit' } }, { durability: 'disk' });
  } finally {
    await writer.close();
  }
  await store.removeDocument(id, 'snapshot');
  return `Session ${id} was of an older form and has a journal now; the old file is archive/${archive}.`;
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
