// Where goose keeps its sessions. The database has those of earlier versions too, once a new one has taken them over.
import { join } from 'node:path';
import type { ListedSource, Looking, Source, Surroundings } from '../agent.ts';
import { defined, nonEmpty, textIn } from '../members.ts';
import { timeOf } from '../translator.ts';

const AGENT = 'goose';
const DATABASE = 'sessions.db';
export const LINES = '.jsonl';
const PAGE = 500;
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
    for (const source of sessionsOf(join(place, DATABASE), looking)) {
      seen.add(source.id);
      yield { kind: 'source', source };
    }
  }
  for (const { name } of entries) {
    const id = name.slice(0, -LINES.length);
    if (!name.endsWith(LINES) || id === '' || seen.has(id)) continue;
    yield { kind: 'source', source: { agent: AGENT, id, path: join(place, name) } };
  }
}

function sessionsOf(path: string, looking: Looking): readonly Source[] {
  const columns = { sessions: ['id', 'created_at', 'session_type', 'parent_session_id'] };
  const found = looking.query(path, columns, (database) => {
    const sources: Source[] = [];
    const names = columns.sessions.filter((name) => database.has('sessions', name));
    if (!names.includes('id')) return sources;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const rows = database.all(
        `SELECT ${names.join(', ')} FROM sessions WHERE id > ? ORDER BY id LIMIT ?`,
        after,
        PAGE,
      );
      for (const { id, created_at, session_type, parent_session_id } of rows) {
        const parent = nonEmpty(parent_session_id) ?? (session_type === 'sub_agent' ? '' : undefined);
        const startedAt = timeOf(utcOf(created_at));
        if (typeof id === 'string') sources.push({ agent: AGENT, id, path, ...defined({ parent, startedAt }) });
      }
      after = rows.length < PAGE ? undefined : nonEmpty(rows.at(-1)?.id);
    }
    return sources;
  });
  return found ?? [];
}

export function utcOf(value: unknown): string | undefined {
  const text = textIn(value) ?? '';
  return TIME.test(text) ? `${text.replace(' ', 'T')}Z` : undefined;
}
