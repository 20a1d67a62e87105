// Where opencode keeps its sessions: in one database under ~/.local/share/opencode, with another name for each channel
// of its releases; versions before it kept a file for each session, message and part. Kilo Code since version 7 is a
// copy of it, with a folder of its own.
import { isAbsolute, join } from 'node:path';
import type { ListedSource, Looking, Source, Surroundings } from '../agent.ts';
import { sessionsInTable } from '../database-sessions.ts';
import { defined, nonEmpty, objectIn, parseObject } from '../members.ts';
import { timeOf } from '../translator.ts';

export interface Program {
  readonly agent: string;
  /** The folder below that of data, and how its databases begin. */
  readonly folder: string;
  /** A variable of the environment with the path of another database. */
  readonly variable: string;
}

const JSON_FILE = '.json';

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
    const sessions = sessionsInTable(looking, {
      path,
      table: 'session',
      columns: ['parent_id', 'time_created'],
      factsOf: ({ parent_id, time_created }) => ({ agent, ...factsOf(parent_id, time_created) }),
    });
    for (const listed of sessions) {
      seen.add(listed.source.id);
      yield listed;
    }
  }
  for (const source of filesIn(join(place, 'storage', 'session'), seen, looking)) {
    yield { kind: 'source', source: { ...source, agent } };
  }
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
      yield { id, path, ...factsOf(parentID, objectIn(time)?.created), facts: { store: 'files' } };
    }
  }
}

function factsOf(parentID: unknown, created: unknown): Pick<Source, 'parent' | 'startedAt'> {
  const startedAt = typeof created === 'number' ? timeOf(created) : undefined;
  return defined({ parent: nonEmpty(parentID), startedAt });
}
