// Completions for the beginning of a reference: ids of ollm's sessions, agents that keep sessions here, and ids of
// theirs. Reads only directories, for any number of files.
import { formatAddress } from '../../agents/address.ts';
import { AGENT_NAMES, isAgentName } from '../../agents/registry.ts';
import { isThere } from '../../hub/find-sources.ts';
import { sessionKeeper, sessionKeepers } from '../../hub/session-keepers.ts';
import type { App } from '../app.ts';
import { ownIds } from '../list/bare-sessions.ts';
import { foreignPorts } from '../start/foreign-ports.ts';

/** A name of a file may hold what a shell would understand as something else. */
const SAFE = /^[\w.-]+$/;

/**
 * @example
 * await completeReference(app, 'claude:5f'); // ['claude:5f3c…', 'claude:5f9d…']
 * await completeReference(app, 'cl'); // ids that begin so, and 'claude:' if it keeps sessions here
 */
export async function completeReference(app: App, typed: string): Promise<readonly string[]> {
  const [name = '', start] = typed.split(/:(.*)/s);
  if (start !== undefined) return isAgentName(name) ? addressesOf(app, name, start) : [];
  const agents = AGENT_NAMES.filter((agent) => agent.startsWith(typed));
  const here: string[] = [];
  for await (const { agent, places } of sessionKeepers(foreignPorts(app), agents)) {
    if (places.some(({ directory }) => isThere(app.fileSystem, directory))) here.push(`${agent.name}:`);
  }
  return [...(await ownIds(app)), ...here].filter((candidate) => candidate.startsWith(typed));
}

async function addressesOf(app: App, name: string, start: string): Promise<readonly string[]> {
  const { sources } = await sessionKeeper(foreignPorts(app), name);
  return sources()
    .map(({ id }) => id)
    .filter((id) => id.startsWith(start) && SAFE.test(id))
    .map((id) => formatAddress({ agent: name, id }))
    .sort();
}
