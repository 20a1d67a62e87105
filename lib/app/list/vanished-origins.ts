// What the catalogue remembers of sessions of other programs whose imports were removed permanently, where it is all
// that is left of them.
import { importedId } from '../../agents/address.ts';
import { AGENT_NAMES, loadAgent } from '../../agents/registry.ts';
import type { CataloguedName } from '../../catalog/catalog.ts';
import { findSources, sourcesNamed } from '../../hub/find-sources.ts';
import type { App } from '../app.ts';
import { foreignPorts } from '../foreign-ports.ts';

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
  const vanished: CataloguedName[] = [];
  for (const agent of AGENT_NAMES) {
    const origins = known.filter((each) => each.agent === agent && purged.has(importedId(agent, each.id)));
    if (origins.length > 0) vanished.push(...(await withoutSource(app, agent, origins)));
  }
  return vanished;
}

async function withoutSource(app: App, agent: string, origins: readonly CataloguedName[]): Promise<CataloguedName[]> {
  const ports = foreignPorts(app);
  const found = findSources(await loadAgent(agent), ports);
  const there = new Set(
    found.flatMap((place) => sourcesNamed('', [place]).map(({ id }) => keyOf({ directory: place.directory, id }))),
  );
  return origins.filter((origin) => !there.has(keyOf(origin)));
}

function keyOf({ directory, id }: Pick<CataloguedName, 'directory' | 'id'>): string {
  return JSON.stringify([directory, id]);
}
