// Where Kiro CLI keeps its sessions: a file of lines for each, and next to it a document of the same name with the
// directory in which it works.
import { join } from 'node:path';
import type { ListedSource, Looking, Surroundings } from '../agent.ts';
import { nonEmpty, parseObject } from '../members.ts';

const AGENT = 'kiro';
const SESSION = /^([0-9a-f]{8}-[0-9a-f-]{27})\.jsonl$/;

export function places({ env, home }: Surroundings): readonly string[] {
  return [join(env.KIRO_HOME || join(home, '.kiro'), 'sessions', 'cli')];
}

export function* discover(place: string, looking: Looking): Iterable<ListedSource> {
  for (const { name, kind } of looking.entries(place)) {
    const id = SESSION.exec(name)?.[1];
    if (kind !== 'file' || id === undefined) continue;
    const cwd = nonEmpty(parseObject(looking.readSmall(join(place, `${id}.json`)) ?? '')?.cwd);
    yield {
      kind: 'source',
      source: { agent: AGENT, id, path: join(place, name), ...(cwd !== undefined && { facts: { cwd } }) },
    };
  }
}
