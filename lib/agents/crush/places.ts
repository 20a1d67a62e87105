// Where Crush keeps its sessions: in a folder of each project, which its own list of projects names. A project that is
// not in the list is not found: earlier versions have no list.
import { isAbsolute, join } from 'node:path';
import { xdgDirectory } from '../../platform/xdg.ts';
import type { DiscoveredSession, Looking, Surroundings } from '../agent.ts';
import { sessionsInTable } from '../database-sessions.ts';
import { documentAt } from '../finding.ts';
import { absolutePathIn, defined, nonEmpty, objectsIn } from '../members.ts';
import { millisecondsIn, timeOf } from '../times.ts';

const DATABASE = 'crush.db';

export function places({ env, home, platform }: Surroundings): readonly string[] {
  if (env.CRUSH_GLOBAL_DATA) return [env.CRUSH_GLOBAL_DATA];
  const ofWindows = platform === 'win32' ? env.LOCALAPPDATA || join(home, 'AppData', 'Local') : undefined;
  return [join(xdgDirectory('data', { env, home }, ofWindows), 'crush')];
}

export function* discover(place: string, looking: Looking): Iterable<DiscoveredSession> {
  const seen = new Set<string>();
  for (const { path, data_dir } of objectsIn(documentAt(join(place, 'projects.json'), looking)?.projects)) {
    const cwd = absolutePathIn(path);
    if (cwd === undefined) continue;
    const folder = nonEmpty(data_dir) ?? '.crush';
    const database = join(isAbsolute(folder) ? folder : join(cwd, folder), DATABASE);
    if (seen.has(database)) continue;
    seen.add(database);
    yield* sessionsInTable(looking, {
      path: database,
      table: 'sessions',
      columns: ['parent_session_id', 'created_at'],
      factsOf({ parent_session_id, created_at }) {
        const startedAt = timeOf(millisecondsIn(created_at));
        return { facts: { cwd }, ...defined({ parent: nonEmpty(parent_session_id), startedAt }) };
      },
    });
  }
}
