// Where opencode keeps its sessions: in one database under ~/.local/share/opencode, with another name for each channel of
// its releases.
import { isAbsolute, join } from 'node:path';
import type { Found, Looking, Source, Surroundings } from '../agent.ts';
import { nonEmpty } from '../members.ts';
import { timeOf } from '../translator.ts';
import { SESSION_COLUMNS, SESSIONS_STATEMENT } from './rows.ts';

const AGENT = 'opencode';
const DATABASE = /^opencode(?:-[\w.-]+)?\.db$/;
const PAGE = 500;

/** The second is a database by itself. */
export function places({ env, home }: Surroundings): readonly string[] {
  const data = join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'opencode');
  const named = env.OPENCODE_DB;
  if (named === undefined || named === '' || named === ':memory:') return [data];
  const database = isAbsolute(named) ? named : join(data, named);
  return [data, database];
}

export function* discover(place: string, looking: Looking): Iterable<Found> {
  const entries = looking.entries(place);
  const databases = entries.filter(({ name, kind }) => kind === 'file' && DATABASE.test(name));
  const paths = place.endsWith('.db') ? [place] : databases.map(({ name }) => join(place, name));
  for (const path of paths) for (const source of sessionsOf(path, looking)) yield { kind: 'source', source };
}

function sessionsOf(path: string, looking: Looking): readonly Source[] {
  const found = looking.query(path, { session: SESSION_COLUMNS }, (database) => {
    const sources: Source[] = [];
    if (!database.has('session', 'id')) return sources;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const rows = database.all(SESSIONS_STATEMENT, after, PAGE);
      for (const { id, parent_id, time_created } of rows) {
        if (typeof id === 'string') sources.push(sourceOf(id, path, { parentID: parent_id, created: time_created }));
      }
      after = rows.length < PAGE ? undefined : nonEmpty(rows.at(-1)?.id);
    }
    return sources;
  });
  return found ?? [];
}

function sourceOf(
  id: string,
  path: string,
  { parentID, created }: { readonly parentID: unknown; readonly created: unknown },
): Source {
  const parent = nonEmpty(parentID);
  const startedAt = typeof created === 'number' ? timeOf(created) : undefined;
  return {
    agent: AGENT,
    id,
    path,
    ...(parent === undefined ? {} : { parent }),
    ...(startedAt === undefined ? {} : { startedAt }),
  };
}
