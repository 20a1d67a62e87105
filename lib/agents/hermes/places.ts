// Where Hermes Agent keeps its sessions: in the database of its home. A session that a call of another one began names
// that in its settings; other children continue or branch off, and are sessions like any other.
import { join } from 'node:path';
import type { DiscoveredSession, Looking, Surroundings } from '../agent.ts';
import { sessionsInTable } from '../database-sessions.ts';
import { defined, nonEmpty, parseObject, textIn } from '../members.ts';
import { millisecondsIn, timeOf } from '../times.ts';

const DATABASE = 'state.db';

export function places({ env, home }: Surroundings): readonly string[] {
  return [env.HERMES_HOME || join(home, '.hermes')];
}

export function* discover(place: string, looking: Looking): Iterable<DiscoveredSession> {
  if (!looking.hasFile(join(place, DATABASE))) return;
  yield* sessionsInTable(looking, {
    path: join(place, DATABASE),
    table: 'sessions',
    columns: ['model_config', 'started_at'],
    factsOf({ model_config, started_at }) {
      const parent = nonEmpty(parseObject(textIn(model_config) ?? '')?._delegate_from);
      return defined({ parent, startedAt: timeOf(millisecondsIn(started_at)) });
    },
  });
}
