// After sessions were removed permanently: what lists remember of them goes too.
import { CATALOG_NAME } from '../../catalog/schema.ts';
import { PASSAGES_NAME } from '../../retrieval/schema.ts';
import type { App } from '../app.ts';
import { eraseSessions, ownNames } from './erase-sessions.ts';
import { vanishedOrigins } from './vanished-origins.ts';

/** Call it after the journals are gone, so that no list can remember them again. */
export async function forgetSessions(app: App, ids: readonly string[]): Promise<void> {
  const origins = await vanishedOrigins(app, ids);
  if (await eraseSessions(app, [...ownNames(app, ids), ...origins])) return;
  const action = `The next "ollm list" and "ollm sync" remove them, or remove ${CATALOG_NAME} and ${PASSAGES_NAME}: they are made again.`;
  const fields = { service: 'catalog', operation: 'forget', sessions: ids, action };
  app.log.warn(fields, 'The catalogue may still hold text of sessions that were removed permanently');
}
