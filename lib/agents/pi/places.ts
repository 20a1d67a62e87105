// Where pi keeps its sessions: a folder for each project under ~/.pi/agent/sessions, and a file for each session.
import { join } from 'node:path';
import type { DiscoveredSession, Looking, Surroundings } from '../agent.ts';
import { directoriesIn, sessionFilesIn } from '../finding.ts';

/** <time>_<uuid>.jsonl */
const SESSION = /^[^_]+_(.+)\.jsonl$/;

export function places({ env, home }: Surroundings): readonly string[] {
  return [join(env.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent'), 'sessions')];
}

export function* discover(place: string, looking: Looking): Iterable<DiscoveredSession> {
  for (const project of directoriesIn(place, looking)) yield* sessionFilesIn(join(place, project), SESSION, looking);
}

/** The id in the path of a session, which stays the same wherever that is. */
export function idInPath(path: unknown): string | undefined {
  return typeof path === 'string' ? SESSION.exec(path.split(/[\\/]/).at(-1) ?? '')?.[1] : undefined;
}
