// Where opencode keeps its sessions: in one database under ~/.local/share/opencode, with another name for each channel
// of its releases; versions before it kept a file for each session, message and part.
import { isAbsolute, join } from 'node:path';
import type { ListedSource, Looking, Source, Surroundings } from '../agent.ts';
import { nonEmpty, objectIn, parseObject } from '../members.ts';
import { timeOf } from '../translator.ts';
import { SESSION_COLUMNS, SESSIONS_STATEMENT } from './rows.ts';

const AGENT = 'opencode';
const DATABASE = /^opencode(?:-[\w.-]+)?\.db$/;
const JSON_FILE = '.json';
const PAGE = 500;

/** The second is a database by itself. */
export function places({ env, home }: Surroundings): readonly string[] {
  const data = join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'opencode');
  const named = env.OPENCODE_DB;
  if (named === undefined || named === '' || named === ':memory:') return [data];
  const database = isAbsolute(named) ? named : join(data, named);
  return [data, database];
}

export function* discover(place: string, looking: Looking): Iterable<ListedSource> {
  const entries = looking.entries(place);
  const databases = entries.filter(({ name, kind }) => kind === 'file' && DATABASE.test(name));
  const paths = place.endsWith('.db') ? [place] : databases.map(({ name }) => join(place, name));
  const seen = new Set<string>();
  for (const path of paths) {
    for (const source of sessionsOf(path, looking)) {
      seen.add(source.id);
      yield { kind: 'source', source };
    }
  }
  yield* filesIn(join(place, 'storage', 'session'), seen, looking);
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

/** Sessions that the program took over into its database are read there. */
function* filesIn(folder: string, seen: ReadonlySet<string>, looking: Looking): Iterable<ListedSource> {
  for (const project of looking.entries(folder)) {
    if (project.kind !== 'directory') continue;
    for (const { name, kind } of looking.entries(join(folder, project.name))) {
      const id = name.slice(0, -JSON_FILE.length);
      if (kind !== 'file' || !name.endsWith(JSON_FILE) || seen.has(id)) continue;
      const path = join(folder, project.name, name);
      const session = parseObject(looking.readSmall(path) ?? '');
      const { parentID, time } = session ?? {};
      const source = sourceOf(id, path, { parentID, created: objectIn(time)?.created });
      yield { kind: 'source', source: { ...source, facts: { store: 'files' } } };
    }
  }
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
