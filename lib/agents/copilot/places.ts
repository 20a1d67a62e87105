// Where Copilot CLI keeps its sessions: a folder for each under ~/.copilot/session-state, with its events in one file
// of lines; older versions wrote that file into session-state itself.
import { join } from 'node:path';
import type { ListedSource, Looking, Surroundings } from '../agent.ts';

const AGENT = 'copilot';
const EVENTS = 'events.jsonl';
const LINES = '.jsonl';

export function places({ env, home }: Surroundings): readonly string[] {
  return [join(env.COPILOT_HOME || join(home, '.copilot'), 'session-state')];
}

export function* discover(place: string, looking: Looking): Iterable<ListedSource> {
  const entries = looking.entries(place);
  const inFolders = new Set<string>();
  for (const { name, kind } of entries) {
    if (kind !== 'directory') continue;
    const folder = join(place, name);
    if (!looking.entries(folder).some((entry) => entry.name === EVENTS && entry.kind === 'file')) continue;
    inFolders.add(name);
    yield { kind: 'source', source: { agent: AGENT, id: name, path: join(folder, EVENTS) } };
  }
  for (const { name, kind } of entries) {
    const id = name.slice(0, -LINES.length);
    // An older session that the program continued with is in a folder too.
    if (kind !== 'file' || !name.endsWith(LINES) || id === '' || inFolders.has(id)) continue;
    yield { kind: 'source', source: { agent: AGENT, id, path: join(place, name) } };
  }
}
