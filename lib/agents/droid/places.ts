// Where Factory Droid keeps its sessions: a file of lines for each, in a folder named after the directory of the
// project. The model and the sums of tokens are in a document next to it, which changes and is not read.
import { join } from 'node:path';
import type { ListedSource, Looking, Surroundings } from '../agent.ts';

const AGENT = 'droid';
const SESSION = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/;

export function places({ home }: Surroundings): readonly string[] {
  return [join(home, '.factory', 'sessions')];
}

export function* discover(place: string, looking: Looking): Iterable<ListedSource> {
  yield* sessionsIn(place, looking);
  for (const { name, kind } of looking.entries(place)) {
    if (kind === 'directory') yield* sessionsIn(join(place, name), looking);
  }
}

function* sessionsIn(folder: string, looking: Looking): Iterable<ListedSource> {
  for (const { name, kind } of looking.entries(folder)) {
    const id = SESSION.exec(name)?.[1];
    if (kind === 'file' && id !== undefined) {
      yield { kind: 'source', source: { agent: AGENT, id, path: join(folder, name) } };
    }
  }
}
