// Where Qwen Code keeps its sessions: a folder for each project under ~/.qwen/projects, and a file for each session.
import { join } from 'node:path';
import type { DiscoveredSession, Looking, Surroundings } from '../agent.ts';
import { directoriesIn, ownDirectory, sessionFilesIn } from '../finding.ts';

/** The id of a session is a uuid. Other files in its folder are not sessions. */
const SESSION = /^([0-9a-f]{8}-[0-9a-f-]{27})\.jsonl$/;

export function places(surroundings: Surroundings): readonly string[] {
  return [join(ownDirectory.qwen(surroundings), 'projects')];
}

export function* discover(place: string, looking: Looking): Iterable<DiscoveredSession> {
  for (const project of directoriesIn(place, looking)) {
    yield* sessionFilesIn(join(place, project, 'chats'), SESSION, looking);
  }
}
