// Where Antigravity keeps its conversations: below the folder of Gemini, in one for each of its forms.
import { join } from 'node:path';
import type { ListedSource, Looking, Surroundings } from '../agent.ts';

const AGENT = 'antigravity';
const FORMS = ['antigravity', 'antigravity-cli', 'antigravity-ide'];
const LOGS = ['.system_generated', 'logs'];
const TRANSCRIPT = 'transcript.jsonl';
const ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

export function places({ home }: Surroundings): readonly string[] {
  return FORMS.map((form) => join(home, '.gemini', form, 'brain'));
}

export function* discover(place: string, looking: Looking): Iterable<ListedSource> {
  for (const { name: id, kind } of looking.entries(place)) {
    if (kind !== 'directory' || !ID.test(id)) continue;
    if (!looking.entries(join(place, id)).some((entry) => entry.name === LOGS[0] && entry.kind === 'directory'))
      continue;
    // A link on the way is followed where its folder is asked for its entries.
    const generated = looking.entries(join(place, id, '.system_generated'));
    if (!generated.some((entry) => entry.name === LOGS[1] && entry.kind === 'directory')) continue;
    const logs = join(place, id, ...LOGS);
    if (looking.entries(logs).some((entry) => entry.name === TRANSCRIPT && entry.kind === 'file')) {
      yield { kind: 'source', source: { agent: AGENT, id, path: join(logs, TRANSCRIPT) } };
    }
  }
}
