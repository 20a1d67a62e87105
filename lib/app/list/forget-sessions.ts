// After sessions were removed permanently: what lists remember of them goes too.
import { OWN_AGENT } from '../../catalog/catalog.ts';
import { CATALOG_NAME } from '../../catalog/schema.ts';
import { PASSAGES_NAME } from '../../retrieval/schema.ts';
import type { App } from '../app.ts';
import { placeOf } from '../place.ts';
import { vanishedOrigins } from './vanished-origins.ts';

/** Call it after the journals are gone, so that no list can remember them again. */
export async function forgetSessions(app: App, ids: readonly string[]): Promise<void> {
  const origins = await vanishedOrigins(app, ids);
  const isOutOfCatalogue = await app.catalog.forget(placeOf(app), ids, origins);
  // After the catalogue, from which the passages are made.
  const names = ids.map((id) => `${OWN_AGENT}:${id}`);
  const passages = await app.passages();
  let isOutOfPassages = (await passages?.forget({ directory: app.paths.sessions, names })) ?? true;
  for (const { agent, directory, id } of origins) {
    const isOut = (await passages?.forget({ directory, names: [`${agent}:${id}`] })) ?? true;
    isOutOfPassages &&= isOut;
  }
  if (isOutOfCatalogue && isOutOfPassages) return;
  const action = `The next "ollm list" and "ollm sync" remove them, or remove ${CATALOG_NAME} and ${PASSAGES_NAME}: they are made again.`;
  const fields = { service: 'catalog', operation: 'forget', sessions: ids, action };
  app.log.warn(fields, 'The catalogue may still hold text of sessions that were removed permanently');
}
