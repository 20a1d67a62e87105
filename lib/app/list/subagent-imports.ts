// Which journals are imports of subagents' sessions. Lists leave them out, as they leave out the subagents themselves.
import { importedId } from '../../agents/address.ts';
import { AGENT_NAMES, loadAgent } from '../../agents/registry.ts';
import { findSources } from '../../hub/find-sources.ts';
import type { App } from '../app.ts';
import { foreignPorts } from '../foreign-ports.ts';

const REMEMBERED = 'SELECT id FROM sessions WHERE agent = ? AND parent IS NOT NULL';

/**
 * Their ids. Where a program keeps its sessions says whose subagents they are; of those that have vanished, the
 * catalogue does. Only programs of which there are imports are looked at.
 */
export async function subagentImports(app: App): Promise<ReadonlySet<string>> {
  const journals = (await app.store.list()).map(({ id }) => id);
  const found = new Set<string>();
  for (const name of AGENT_NAMES) {
    if (!journals.some((id) => id.startsWith(`${name}-`))) continue;
    for (const { sources } of findSources(await loadAgent(name), foreignPorts(app))) {
      for (const { id, parent } of sources) if (parent !== undefined) found.add(importedId(name, id));
    }
    const remembered = await app.catalog.ask((database) => database.prepare(REMEMBERED).all(name));
    if (remembered.kind === 'done') for (const { id } of remembered.value) found.add(importedId(name, String(id)));
  }
  return found;
}
