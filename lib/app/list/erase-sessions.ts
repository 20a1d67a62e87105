// The one way in which what sessions say leaves the index: every trace of their text goes out of both of its files, the
// catalogue and the passages that are made of it. Deletions, retention and a sync that meets a sealed session call it.
import { type CataloguedName, OWN_AGENT } from '../../catalog/catalog.ts';
import type { App } from '../app.ts';
import { placeOf } from '../journals/place.ts';

/** Erases those of all sessions without `sessions`. Returns whether that was possible. */
export async function eraseSessions(app: App, sessions?: readonly CataloguedName[]): Promise<boolean> {
  if (sessions?.length === 0) return true;
  // The catalogue first: passages are made of its rows.
  const isOutOfCatalogue = await app.catalog.forget(sessions);
  const passages = await app.passages();
  let isOutOfPassages = true;
  if (passages !== undefined) {
    if (sessions === undefined) isOutOfPassages = await passages.forget();
    for (const [directory, some] of Map.groupBy(sessions ?? [], (each) => each.directory)) {
      const names = some.map(({ agent, id }) => `${agent}:${id}`);
      isOutOfPassages = (await passages.forget({ directory, names })) && isOutOfPassages;
    }
  }
  return isOutOfCatalogue && isOutOfPassages;
}

/** Sessions of this store, by their ids. */
export function ownNames(app: App, ids: readonly string[]): readonly CataloguedName[] {
  return ids.map((id) => ({ agent: OWN_AGENT, directory: placeOf(app), id }));
}
