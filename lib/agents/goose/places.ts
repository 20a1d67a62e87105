// Where goose keeps its sessions. The database has those of earlier versions too, once a new one has taken them over.
import { join } from 'node:path';
import type { ListedSource, Looking, Surroundings } from '../agent.ts';
import { sessionsInTable } from '../database-sessions.ts';
import { defined, nonEmpty, textIn } from '../members.ts';
import { timeOf } from '../translator.ts';

const AGENT = 'goose';
const DATABASE = 'sessions.db';
export const LINES = '.jsonl';
/** A time of SQLite, which has no zone: it is UTC. */
const TIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d+)?$/;

export function places({ env, home, platform }: Surroundings): readonly string[] {
  if (env.GOOSE_PATH_ROOT) return [join(env.GOOSE_PATH_ROOT, 'data', 'sessions')];
  const shared = join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'goose', 'sessions');
  if (platform === 'darwin')
    return [join(home, 'Library', 'Application Support', 'Block.block.goose', 'sessions'), shared];
  if (platform !== 'win32') return [shared];
  const data = join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'Block');
  return [join(data, 'goose', 'data', 'sessions'), join(data, 'Block', 'goose', 'data', 'sessions')];
}

export function* discover(place: string, looking: Looking): Iterable<ListedSource> {
  const entries = looking.entries(place).filter(({ kind }) => kind === 'file');
  const seen = new Set<string>();
  if (entries.some(({ name }) => name === DATABASE)) {
    const sessions = sessionsInTable(looking, {
      path: join(place, DATABASE),
      table: 'sessions',
      columns: ['created_at', 'session_type', 'parent_session_id'],
      factsOf({ created_at, session_type, parent_session_id }) {
        const parent = nonEmpty(parent_session_id) ?? (session_type === 'sub_agent' ? '' : undefined);
        return { agent: AGENT, ...defined({ parent, startedAt: timeOf(utcOf(created_at)) }) };
      },
    });
    for (const listed of sessions) {
      seen.add(listed.source.id);
      yield listed;
    }
  }
  for (const { name } of entries) {
    const id = name.slice(0, -LINES.length);
    if (!name.endsWith(LINES) || id === '' || seen.has(id)) continue;
    yield { kind: 'source', source: { agent: AGENT, id, path: join(place, name) } };
  }
}

export function utcOf(value: unknown): string | undefined {
  const text = textIn(value) ?? '';
  return TIME.test(text) ? `${text.replace(' ', 'T')}Z` : undefined;
}
