// Where opencode keeps its sessions: in one database under ~/.local/share/opencode, with another name for each channel
// of its releases; versions before it kept a file for each session, message and part. Kilo Code since version 7 is a
// copy of it, with a folder of its own.
import { isAbsolute, join } from 'node:path';
import type { ListedSource, Looking, Source, Surroundings } from '../agent.ts';
import { nonEmpty, objectIn, parseObject } from '../members.ts';
import { timeOf } from '../translator.ts';
import { SESSION_COLUMNS, SESSIONS_STATEMENT } from './rows.ts';

export interface Program {
  readonly agent: string;
  /** The folder below that of data, and how its databases begin. */
  readonly folder: string;
  /** A variable of the environment with the path of another database. */
  readonly variable: string;
}

const JSON_FILE = '.json';
const PAGE = 500;

/** The second is a database by itself. */
export function places({ env, home }: Surroundings, { folder, variable }: Program): readonly string[] {
  const data = join(env.XDG_DATA_HOME || join(home, '.local', 'share'), folder);
  const named = env[variable];
  if (named === undefined || named === '' || named === ':memory:') return [data];
  const database = isAbsolute(named) ? named : join(data, named);
  return [data, database];
}

export function* discover({ agent, folder }: Program, place: string, looking: Looking): Iterable<ListedSource> {
  const isDatabase = new RegExp(`^${folder}(?:-[\\w.-]+)?\\.db$`);
  const entries = looking.entries(place);
  const databases = entries.filter(({ name, kind }) => kind === 'file' && isDatabase.test(name));
  const paths = place.endsWith('.db') ? [place] : databases.map(({ name }) => join(place, name));
  const seen = new Set<string>();
  for (const path of paths) {
    for (const source of sessionsOf(agent, path, looking)) {
      seen.add(source.id);
      yield { kind: 'source', source };
    }
  }
  for (const source of filesIn(join(place, 'storage', 'session'), seen, looking)) {
    yield { kind: 'source', source: { ...source, agent } };
  }
}

function sessionsOf(agent: string, path: string, looking: Looking): readonly Source[] {
  const found = looking.query(path, { session: SESSION_COLUMNS }, (database) => {
    const sources: Source[] = [];
    if (!database.has('session', 'id')) return sources;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const rows = database.all(SESSIONS_STATEMENT, after, PAGE);
      for (const { id, parent_id, time_created } of rows) {
        if (typeof id === 'string')
          sources.push(sourceOf(id, path, { agent, parentID: parent_id, created: time_created }));
      }
      after = rows.length < PAGE ? undefined : nonEmpty(rows.at(-1)?.id);
    }
    return sources;
  });
  return found ?? [];
}

/** Sessions that the program took over into its database are read there. */
function* filesIn(folder: string, seen: ReadonlySet<string>, looking: Looking): Iterable<Omit<Source, 'agent'>> {
  for (const project of looking.entries(folder)) {
    if (project.kind !== 'directory') continue;
    for (const { name, kind } of looking.entries(join(folder, project.name))) {
      const id = name.slice(0, -JSON_FILE.length);
      if (kind !== 'file' || !name.endsWith(JSON_FILE) || seen.has(id)) continue;
      const path = join(folder, project.name, name);
      const session = parseObject(looking.readSmall(path) ?? '');
      const { parentID, time } = session ?? {};
      const source = sourceOf(id, path, { agent: '', parentID, created: objectIn(time)?.created });
      yield { ...source, facts: { store: 'files' } };
    }
  }
}

function sourceOf(
  id: string,
  path: string,
  { agent, parentID, created }: { readonly agent: string; readonly parentID: unknown; readonly created: unknown },
): Source {
  const parent = nonEmpty(parentID);
  const startedAt = typeof created === 'number' ? timeOf(created) : undefined;
  return {
    agent,
    id,
    path,
    ...(parent === undefined ? {} : { parent }),
    ...(startedAt === undefined ? {} : { startedAt }),
  };
}
