// The catalogue's rows of sessions of other programs whose imports were removed permanently, if nothing else is left of
// them.
import { importedId } from '../../agents/address.ts';
import { isAgentName } from '../../agents/registry.ts';
import type { CataloguedName } from '../../catalog/catalog.ts';
import { sessionKeepers } from '../../hub/session-keepers.ts';
import type { App } from '../app.ts';
import { foreignPorts } from '../start/foreign-ports.ts';

/**
 * A session whose program still keeps it is left out: it is that program's, and a sync would find it again. Files are
 * looked for, because a sync that was before the file vanished has not noted that.
 */
export async function vanishedOrigins(app: App, importIds: readonly string[]): Promise<CataloguedName[]> {
  const purged = new Set<string>();
  for (const id of importIds) if (!(await app.store.has(id))) purged.add(id);
  const outcome = await app.catalog.ask((database) =>
    database.prepare('SELECT agent, directory, id FROM sessions').all(),
  );
  const known = outcome.kind === 'done' ? (outcome.value as unknown as CataloguedName[]) : [];
  const origins = known.filter(({ agent, id }) => isAgentName(agent) && purged.has(importedId(agent, id)));
  const agents = [...new Set(origins.map(({ agent }) => agent))];
  const there = new Set<string>();
  for await (const { agent, places } of sessionKeepers(foreignPorts(app), agents)) {
    for (const { directory, sources } of places.map((place) => place.found())) {
      for (const { id } of sources) there.add(keyOf({ agent: agent.name, directory, id }));
    }
  }
  return origins.filter((origin) => !there.has(keyOf(origin)));
}

function keyOf({ agent, directory, id }: Pick<CataloguedName, 'agent' | 'directory' | 'id'>): string {
  return JSON.stringify([agent, directory, id]);
}
