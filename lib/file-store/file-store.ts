// All sessions of one directory: docs/journal-format.md, section 4. Puts the parts together and says in words what a
// disk refuses; each part keeps its own promise. Nothing but an id ever becomes a path.
import { join } from 'node:path';
import { OllmError } from '../errors/index.ts';
import { checkDirectory, checkStoreDirectory, ensureDirectory, tightenFile } from '../journal/files/directory.ts';
import { journalFileInfo } from '../journal/files/journal-file.ts';
import { isLocked } from '../journal/files/lock.ts';
import {
  guarded,
  guardedSync,
  type JournalPorts,
  type StoreContext,
  storeContext,
} from '../journal/files/store-context.ts';
import { isSessionId } from '../journal/format.ts';
import { idOfJournal, isNameOf, type StorePaths } from '../journal/paths.ts';
import { openJournalReader } from '../journal/reading/reader.ts';
import type { JournalFileInfo, JournalStore } from '../journal/types.ts';
import { repairJournal } from '../journal/writing/repair.ts';
import { createJournalWriter, type JournalPlace, openJournalWriter } from '../journal/writing/writer.ts';
import { archiveDocument, archiveJournal, replaceByNew, replaceJournal } from './archive.ts';
import { blobsOf } from './blobs.ts';
import { documentsOf } from './documents.ts';
import { createFilled } from './make-beside.ts';
import { namesById } from './names-by-id.ts';
import { holderOf, whileJournalLocked, whileLocked } from './session-lock.ts';
import { listTrash, purgeEntry, restoreSession, trashSession } from './trash.ts';

export interface FileStoreOptions {
  /** Absolute. Made at the first writing if it is not there. */
  readonly directory: string;
  /** What people are told. Default: the directory. */
  readonly location?: string | undefined;
}

/**
 * Opens the store of a directory; nothing is made yet.
 * @throws OllmError STORE_REFUSED: the path is empty, or the directory is a link, something else, or not ours
 *
 * @example
 * const store = openFileStore(ports, { directory: '/home/me/.ollm/session-data' });
 * const writer = await store.create('notes', { model: 'llama3.2:3b', provider: 'ollama', ollm: '1.0.0' });
 */
export function openFileStore(ports: JournalPorts, options: FileStoreOptions): JournalStore {
  if (options.directory === '') {
    throw new OllmError('STORE_REFUSED', 'The directory of the sessions has an empty name.', {
      hint: 'Name the directory by its path.',
    });
  }
  const context = storeContext(ports, options.directory);
  const { fileSystem, paths } = context;

  const place = (id: string): JournalPlace => ({
    id,
    path: paths.journal(id),
    lockPath: paths.lock(id),
    quarantineDirectory: paths.quarantine,
  });

  const names = { sessions: namesById(fileSystem, paths.directory), trash: namesById(fileSystem, paths.trash) };

  guardedSync(`Cannot open ${paths.directory}`, () => checkStoreDirectory(context));

  return {
    location: options.location ?? options.directory,
    list: async () => guardedSync(`Cannot list ${paths.directory}`, () => journalsIn(context)),
    ids: async () => guardedSync(`Cannot list ${paths.directory}`, () => idsIn(context)),
    info: async (id) => guardedSync(`Cannot look at session ${id}`, () => infoOf(context, id)),
    has: async (id) => isSessionId(id) && fileSystem.stat(paths.journal(id)) !== undefined,

    async create(id, created, { policy, seal } = {}) {
      const journal = place(id);
      return guarded(`Cannot create ${journal.path}`, async () => {
        await ensureDirectory(context, paths.directory);
        return createJournalWriter(context, { ...journal, created, policy, seal });
      });
    },
    async createFilled(id, beginning) {
      return guarded(`Cannot create ${paths.journal(id)}`, async () => {
        await ensureDirectory(context, paths.directory);
        return whileLocked(context, id, () => createFilled(context, id, beginning));
      });
    },
    async openWriter(id, writerOptions = {}) {
      const journal = place(id);
      return guarded(`Cannot open ${journal.path}`, () => openJournalWriter(context, { ...journal, ...writerOptions }));
    },
    openReader(id, archive) {
      const { path, lockPath } = archive === undefined ? place(id) : archivedPlace(paths, id, archive);
      return guardedSync(`Cannot read ${path}`, () => {
        tightenFile(context, path);
        const { log, sleep } = context;
        return openJournalReader(fileSystem, { id, path, lockPath, log, sleep });
      });
    },
    holder: async (id) => (isLocked(fileSystem, paths.lock(id)) ? holderOf(context, id) : undefined),

    ...documentsOf(context),
    ...blobsOf(context),

    archiveDocument: (id) => guarded(`Cannot archive session ${id}`, () => archiveDocument(context, id)),
    archive: (id, suffix) =>
      guarded(`Cannot archive session ${id}`, () =>
        whileJournalLocked(context, id, () => archiveJournal(context, id, suffix)),
      ),
    replace: (id, successor) =>
      guarded(`Cannot replace session ${id}`, () =>
        whileJournalLocked(context, id, () => replaceByNew(context, id, successor)),
      ),
    repair: (id) =>
      guarded(`Cannot repair session ${id}`, () => whileJournalLocked(context, id, () => repairInPlace(context, id))),

    trash: (id) =>
      guarded(`Cannot delete session ${id}`, async () => {
        names.sessions.refresh();
        names.trash.refresh();
        const moved = await whileJournalLocked(context, id, (lock) => trashSession(context, id, lock, names));
        names.sessions.settle(id, fileSystem.stat(paths.lock(id)) === undefined ? [] : [`${id}.lock`]);
        names.trash.settle(id, [...names.trash.of(id), moved.entry]);
        return moved;
      }),
    listTrash: async (options) => guardedSync(`Cannot list ${paths.trash}`, () => listTrash(context, options)),
    restore: (id) => guarded(`Cannot restore session ${id}`, () => restoreSession(context, id)),
    purge: (entry) => guarded('Cannot empty the trash', () => purgeEntry(context, entry)),
  };
}

/** Every file with the name of a journal is listed: opening it reports faults. */
function journalsIn(context: StoreContext): JournalFileInfo[] {
  return idsIn(context).flatMap((id) => infoOf(context, id) ?? []);
}

function idsIn(context: StoreContext): string[] {
  const { fileSystem, paths } = context;
  if (!checkDirectory(context, paths.directory)) return [];
  return fileSystem.readNames(paths.directory).flatMap((name) => idOfJournal(name) ?? []);
}

function infoOf({ fileSystem, paths }: StoreContext, id: string): JournalFileInfo | undefined {
  const stat = isSessionId(id) ? fileSystem.stat(paths.journal(id)) : undefined;
  return stat && journalFileInfo(id, stat);
}

async function repairInPlace(context: StoreContext, id: string) {
  const { paths } = context;
  const { archive, result } = await replaceJournal(context, id, 'damaged', (target, name) =>
    repairJournal(context, { id, path: paths.journal(id), target, archive: name }),
  );
  return { archive, ...result };
}

/** No process writes to it: there is never such a lock. */
function archivedPlace(paths: StorePaths, id: string, archive: string): { path: string; lockPath: string } {
  if (!isNameOf(id, archive)) {
    throw new OllmError('SESSION_NOT_FOUND', `archive/${archive} is not a journal of session ${id}.`, { data: { id } });
  }
  const path = join(paths.archive, archive);
  return { path, lockPath: `${path}.lock` };
}
