// Sessions of the older form, one JSON document without a journal, are read like any other: a store in memory, which
// was made of the document, answers for the session. Nothing is written; the first writer of the session makes a
// journal for it.
import type { JournalStore } from '../journal/types.ts';

export interface OlderForms {
  /** Whether a session is read from memory. */
  has(id: string): boolean;
  /** Reads the session from this store from now on. `path`: of its document. */
  readFrom(id: string, store: JournalStore, path: string): void;
  forget(id: string): void;
  /** Wraps a store: it reads the sessions above from their older form until they get a journal. */
  over(store: JournalStore): JournalStore;
}

export function olderForms(): OlderForms {
  const stores = new Map<string, { readonly store: JournalStore; readonly path: string }>();
  return {
    has: (id) => stores.has(id),
    readFrom: (id, store, path) => void stores.set(id, { store, path }),
    forget: (id) => void stores.delete(id),
    over: (store) => ({
      ...store,
      openReader(id, archive) {
        const older = archive === undefined ? stores.get(id) : undefined;
        return older === undefined
          ? store.openReader(id, archive)
          : { ...older.store.openReader(id), path: older.path };
      },
      create(id, created, options) {
        stores.delete(id);
        return store.create(id, created, options);
      },
      createFilled(id, beginning) {
        stores.delete(id);
        return store.createFilled(id, beginning);
      },
    }),
  };
}
