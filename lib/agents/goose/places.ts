// Where goose keeps its sessions. The database has those of earlier versions too, once a new one has taken them over.
import { join } from 'node:path';
import { xdgDirectory } from '../../platform/xdg.ts';
import type { DiscoveredSession, Looking, Surroundings } from '../agent.ts';
import { sessionsInTable } from '../database-sessions.ts';
import { sessionFilesIn } from '../finding.ts';
import { defined, nonEmpty, textIn } from '../members.ts';
import { timeOf } from '../times.ts';

const DATABASE = 'sessions.db';
export const LINES = '.jsonl';
const SESSION = /^(.+)\.jsonl$/s;
/** A time of SQLite, which has no zone: it is UTC. */
const TIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d+)?$/;

export function places(surroundings: Surroundings): readonly string[] {
  const { env, home, platform } = surroundings;
  if (env.GOOSE_PATH_ROOT) return [join(env.GOOSE_PATH_ROOT, 'data', 'sessions')];
  const shared = join(xdgDirectory('data', surroundings), 'goose', 'sessions');
  if (platform === 'darwin')
    return [join(home, 'Library', 'Application Support', 'Block.block.goose', 'sessions'), shared];
  if (platform !== 'win32') return [shared];
  const data = join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'Block');
  return [join(data, 'goose', 'data', 'sessions'), join(data, 'Block', 'goose', 'data', 'sessions')];
}

export function* discover(place: string, looking: Looking): Iterable<DiscoveredSession> {
  const seen = new Set<string>();
  if (looking.hasFile(join(place, DATABASE))) {
    const sessions = sessionsInTable(looking, {
      path: join(place, DATABASE),
      table: 'sessions',
      columns: ['created_at', 'session_type', 'parent_session_id'],
      factsOf({ created_at, session_type, parent_session_id }) {
        const parent = nonEmpty(parent_session_id) ?? (session_type === 'sub_agent' ? '' : undefined);
        return defined({ parent, startedAt: timeOf(utcOf(created_at)) });
      },
    });
    for (const found of sessions) {
      seen.add(found.id);
      yield found;
    }
  }
  for (const found of sessionFilesIn(place, SESSION, looking)) if (!seen.has(found.id)) yield found;
}

export function utcOf(value: unknown): string | undefined {
  const text = textIn(value) ?? '';
  return TIME.test(text) ? `${text.replace(' ', 'T')}Z` : undefined;
}
