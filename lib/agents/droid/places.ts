// Where Factory Droid keeps its sessions: a file of lines for each, in a folder named after the directory of the
// project. The model and the sums of tokens are in a document next to it, which changes and is not read.
import { join } from 'node:path';
import type { DiscoveredSession, Looking, Surroundings } from '../agent.ts';
import { directoriesIn, sessionFilesIn } from '../finding.ts';

const SESSION = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/;

export function places({ home }: Surroundings): readonly string[] {
  return [join(home, '.factory', 'sessions')];
}

export function* discover(place: string, looking: Looking): Iterable<DiscoveredSession> {
  yield* sessionFilesIn(place, SESSION, looking);
  for (const project of directoriesIn(place, looking)) yield* sessionFilesIn(join(place, project), SESSION, looking);
}
