// Where Amp kept its threads: a document for each, named by its id.
import { join } from 'node:path';
import type { ListedSource, Looking, Surroundings } from '../agent.ts';

const AGENT = 'amp';
const THREAD = /^(T-[A-Za-z0-9-]{8,100})\.json$/;

export function places({ env, home }: Surroundings): readonly string[] {
  const data = env.AMP_DATA_DIR || join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'amp');
  return [join(data, 'threads')];
}

export function* discover(place: string, looking: Looking): Iterable<ListedSource> {
  for (const { name, kind } of looking.entries(place)) {
    const id = THREAD.exec(name)?.[1];
    if (kind === 'file' && id !== undefined) {
      yield { kind: 'source', source: { agent: AGENT, id, path: join(place, name) } };
    }
  }
}
