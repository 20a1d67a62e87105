// Where pi keeps its sessions: a folder for each project under ~/.pi/agent/sessions, and a file for each session.
import { join } from 'node:path';
import type { ListedSource, Looking, Surroundings } from '../agent.ts';

const AGENT = 'pi';
/** <time>_<uuid>.jsonl */
const SESSION = /^[^_]+_(.+)\.jsonl$/;

export function places({ env, home }: Surroundings): readonly string[] {
  return [join(env.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent'), 'sessions')];
}

export function* discover(place: string, looking: Looking): Iterable<ListedSource> {
  for (const project of looking.entries(place)) {
    if (project.kind !== 'directory') continue;
    const folder = join(place, project.name);
    for (const { name, kind } of looking.entries(folder)) {
      const id = SESSION.exec(name)?.[1];
      if (kind === 'file' && id !== undefined) {
        yield { kind: 'source', source: { agent: AGENT, id, path: join(folder, name) } };
      }
    }
  }
}

/** The id in the path of a session, which stays the same wherever that is. */
export function idInPath(path: unknown): string | undefined {
  return typeof path === 'string' ? SESSION.exec(path.split(/[\\/]/).at(-1) ?? '')?.[1] : undefined;
}
