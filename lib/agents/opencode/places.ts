// Where opencode keeps its sessions: in one database under ~/.local/share/opencode, with another name for each channel
// of its releases; versions before it kept a file for each session, message and part. Kilo Code since version 7 is a
// copy of it, with a folder of its own.
import { isAbsolute, join } from 'node:path';
import { xdgDirectory } from '../../platform/xdg.ts';
import type { DiscoveredSession, Looking, Surroundings } from '../agent.ts';
import { sessionsInTable } from '../database-sessions.ts';
import { directoriesIn, documentAt, sessionFilesIn } from '../finding.ts';
import { amountIn, defined, nonEmpty, objectIn } from '../members.ts';
import { timeOf } from '../times.ts';

export interface Program {
  readonly agent: string;
  /** The folder below that of data, and how its databases begin. */
  readonly folder: string;
  /** A variable of the environment with the path of another database. */
  readonly variable: string;
}

const SESSION = /^(.*)\.json$/s;

/** The second is a database by itself. */
export function places(surroundings: Surroundings, { folder, variable }: Program): readonly string[] {
  const data = join(xdgDirectory('data', surroundings), folder);
  const named = surroundings.env[variable];
  if (named === undefined || named === '' || named === ':memory:') return [data];
  const database = isAbsolute(named) ? named : join(data, named);
  return [data, database];
}

export function* discover({ folder }: Program, place: string, looking: Looking): Iterable<DiscoveredSession> {
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
      factsOf: ({ parent_id, time_created }) => factsOf(parent_id, time_created),
    });
    for (const found of sessions) {
      seen.add(found.id);
      yield found;
    }
  }
  yield* filesIn(join(place, 'storage', 'session'), seen, looking);
}

/** Sessions that the program took over into its database are read there. */
function* filesIn(folder: string, seen: ReadonlySet<string>, looking: Looking): Iterable<DiscoveredSession> {
  for (const project of directoriesIn(folder, looking)) {
    for (const found of sessionFilesIn(join(folder, project), SESSION, looking)) {
      if (seen.has(found.id)) continue;
      const { parentID, time } = documentAt(found.path, looking) ?? {};
      yield { ...found, ...factsOf(parentID, objectIn(time)?.created), facts: { store: 'files' } };
    }
  }
}

function factsOf(parentID: unknown, created: unknown): Pick<DiscoveredSession, 'parent' | 'startedAt'> {
  return defined({ parent: nonEmpty(parentID), startedAt: timeOf(amountIn(created)) });
}
