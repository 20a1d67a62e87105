// Where Copilot CLI keeps its sessions: a folder for each under ~/.copilot/session-state, with its events in one file
// of lines; older versions wrote that file into session-state itself.
import { join } from 'node:path';
import type { DiscoveredSession, Looking, Surroundings } from '../agent.ts';
import { directoriesIn, ownDirectory, sessionFilesIn } from '../finding.ts';

const EVENTS = 'events.jsonl';
const SESSION = /^(.+)\.jsonl$/;

export function places(surroundings: Surroundings): readonly string[] {
  return [join(ownDirectory.copilot(surroundings), 'session-state')];
}

export function* discover(place: string, looking: Looking): Iterable<DiscoveredSession> {
  const inFolders = new Set<string>();
  for (const id of directoriesIn(place, looking)) {
    const path = join(place, id, EVENTS);
    if (!looking.hasFile(path)) continue;
    inFolders.add(id);
    yield { id, path };
  }
  for (const found of sessionFilesIn(place, SESSION, looking)) {
    // An older session that the program continued with is in a folder too.
    if (!inFolders.has(found.id)) yield found;
  }
}
