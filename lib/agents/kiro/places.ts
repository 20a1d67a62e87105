// Where Kiro CLI keeps its sessions: a file of lines for each, and next to it a document of the same name with the
// directory in which it works; those of its first engine in a database, as Amazon Q Developer CLI did before.
import { join } from 'node:path';
import type { ListedSource, Looking, Surroundings } from '../agent.ts';
import { nonEmpty, parseObject } from '../members.ts';
import { conversationsIn, DATABASE } from './conversations.ts';

const AGENT = 'kiro';
const SESSION = /^([0-9a-f]{8}-[0-9a-f-]{27})\.jsonl$/;

export function places({ env, home, platform }: Surroundings): readonly string[] {
  const data =
    platform === 'darwin'
      ? join(home, 'Library', 'Application Support')
      : platform === 'win32'
        ? env.LOCALAPPDATA || join(home, 'AppData', 'Local')
        : env.XDG_DATA_HOME || join(home, '.local', 'share');
  return [
    join(env.KIRO_HOME || join(home, '.kiro'), 'sessions', 'cli'),
    join(data, 'kiro-cli'),
    join(data, 'amazon-q'),
  ];
}

export function* discover(place: string, looking: Looking): Iterable<ListedSource> {
  for (const { name, kind } of looking.entries(place)) {
    if (kind === 'file' && name === DATABASE) yield* conversationsIn(AGENT, join(place, name), looking);
    const id = SESSION.exec(name)?.[1];
    if (kind !== 'file' || id === undefined) continue;
    const cwd = nonEmpty(parseObject(looking.readSmall(join(place, `${id}.json`)) ?? '')?.cwd);
    yield {
      kind: 'source',
      source: { agent: AGENT, id, path: join(place, name), ...(cwd !== undefined && { facts: { cwd } }) },
    };
  }
}
