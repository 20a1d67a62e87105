// Where Hermes Agent keeps its sessions: in the database of its home. A session that a call of another one began names
// that in its settings; other children continue or branch off, and are sessions like any other.
import { join } from 'node:path';
import type { ListedSource, Looking, Source, Surroundings } from '../agent.ts';
import { defined, nonEmpty, parseObject, textIn } from '../members.ts';
import { timeOf } from '../translator.ts';
import { millisecondsOf } from './times.ts';

const AGENT = 'hermes';
const DATABASE = 'state.db';
const PAGE = 500;
const COLUMNS = { sessions: ['id', 'model_config', 'started_at'] };

export function places({ env, home }: Surroundings): readonly string[] {
  return [env.HERMES_HOME || join(home, '.hermes')];
}

export function* discover(place: string, looking: Looking): Iterable<ListedSource> {
  const isThere = looking.entries(place).some(({ name, kind }) => name === DATABASE && kind === 'file');
  if (!isThere) return;
  for (const source of sessionsOf(join(place, DATABASE), looking)) yield { kind: 'source', source };
}

function sessionsOf(path: string, looking: Looking): readonly Source[] {
  const found = looking.query(path, COLUMNS, (database) => {
    const sources: Source[] = [];
    const names = COLUMNS.sessions.filter((name) => database.has('sessions', name));
    if (!names.includes('id')) return sources;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const rows = database.all(
        `SELECT ${names.join(', ')} FROM sessions WHERE id > ? ORDER BY id LIMIT ?`,
        after,
        PAGE,
      );
      for (const { id, model_config, started_at } of rows) {
        const parent = nonEmpty(parseObject(textIn(model_config) ?? '')?._delegate_from);
        const more = defined({ parent, startedAt: timeOf(millisecondsOf(started_at)) });
        if (typeof id === 'string' && id !== '') sources.push({ agent: AGENT, id, path, ...more });
      }
      after = rows.length < PAGE ? undefined : nonEmpty(rows.at(-1)?.id);
    }
    return sources;
  });
  return found ?? [];
}
