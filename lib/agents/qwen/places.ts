// Where Qwen Code keeps its sessions: a folder for each project under ~/.qwen/projects, and a file for each session.
import { join } from 'node:path';
import type { ListedSource, Looking, Surroundings } from '../agent.ts';

const AGENT = 'qwen';
/** The id of a session is a uuid. Other files in its folder are not sessions. */
const SESSION = /^([0-9a-f]{8}-[0-9a-f-]{27})\.jsonl$/;

export function places({ home }: Surroundings): readonly string[] {
  return [join(home, '.qwen', 'projects')];
}

export function* discover(place: string, looking: Looking): Iterable<ListedSource> {
  for (const project of looking.entries(place)) {
    if (project.kind !== 'directory') continue;
    const folder = join(place, project.name, 'chats');
    for (const { name, kind } of looking.entries(folder)) {
      const id = SESSION.exec(name)?.[1];
      if (kind === 'file' && id !== undefined) {
        yield { kind: 'source', source: { agent: AGENT, id, path: join(folder, name) } };
      }
    }
  }
}
