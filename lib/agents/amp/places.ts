// Where Amp kept its threads: a document for each, named by its id.
import { join } from 'node:path';
import { xdgDirectory } from '../../platform/xdg.ts';
import type { DiscoveredSession, Looking, Surroundings } from '../agent.ts';
import { sessionFilesIn } from '../finding.ts';

const THREAD = /^(T-[A-Za-z0-9-]{8,100})\.json$/;

export function places(surroundings: Surroundings): readonly string[] {
  return [join(surroundings.env.AMP_DATA_DIR || join(xdgDirectory('data', surroundings), 'amp'), 'threads')];
}

export function discover(place: string, looking: Looking): Iterable<DiscoveredSession> {
  return sessionFilesIn(place, THREAD, looking);
}
