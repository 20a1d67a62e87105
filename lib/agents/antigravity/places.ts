// Where Antigravity keeps its conversations: below the folder of Gemini, in one for each of its forms.
import { basename, dirname, join } from 'node:path';
import type { DiscoveredSession, Looking, Surroundings } from '../agent.ts';
import { directoriesIn } from '../finding.ts';

const FORMS = ['antigravity', 'antigravity-cli', 'antigravity-ide'];
const TRANSCRIPT = 'transcript.jsonl';
const ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

export function places({ home }: Surroundings): readonly string[] {
  return FORMS.map((form) => join(home, '.gemini', form, 'brain'));
}

export function* discover(place: string, looking: Looking): Iterable<DiscoveredSession> {
  for (const id of directoriesIn(place, looking)) {
    const generated = join(place, id, '.system_generated');
    const logs = join(generated, 'logs');
    // A link on the way is followed where its folder is asked for its entries.
    const isThere =
      ID.test(id) &&
      directoriesIn(dirname(generated), looking).includes(basename(generated)) &&
      directoriesIn(generated, looking).includes(basename(logs)) &&
      looking.hasFile(join(logs, TRANSCRIPT));
    if (isThere) yield { id, path: join(logs, TRANSCRIPT) };
  }
}
