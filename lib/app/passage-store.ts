// The index of passages of a run, made when it is first asked for.
import { type Catalog, noCatalog } from '../catalog/catalog.ts';
import type { PassageStore } from '../retrieval/passage-store.ts';
import type { App } from './app.ts';

const stores = new WeakMap<Catalog, Promise<PassageStore>>();

/** Undefined for sessions in memory, and for file systems that are simulated: SQLite does not see those. */
export function passageStoreOf(app: App): Promise<PassageStore | undefined> {
  const { catalog, paths, fileSystem, process, log, clock } = app;
  if (catalog === noCatalog) return Promise.resolve(undefined);
  const known = stores.get(catalog);
  if (known !== undefined) return known;
  const made = import('../retrieval/passage-store.ts').then(
    ({ PassageStore: Store }) => new Store({ home: paths.home, fileSystem, process, log, clock }),
  );
  stores.set(catalog, made);
  return made;
}
