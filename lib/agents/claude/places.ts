// Where Claude Code keeps its sessions: one folder for each project, one file for each session, and those of its
// subagents next to the file or in a folder of its name. Next to it, their names do not tell their parent.
import { basename, join } from 'node:path';
import type { DiscoveredSession, Looking, Surroundings } from '../agent.ts';
import { directoriesIn, ownDirectory } from '../finding.ts';

const LINES = '.jsonl';
/** Folders inside of the folder of a session, such as subagents/workflows/<name>. */
const MAX_DEPTH = 4;

export function places(surroundings: Surroundings): readonly string[] {
  return [join(ownDirectory.claude(surroundings), 'projects')];
}

export function* discover(place: string, looking: Looking): Iterable<DiscoveredSession> {
  for (const project of directoriesIn(place, looking)) {
    const folder = join(place, project);
    for (const { name, kind } of looking.entries(folder)) {
      const path = join(folder, name);
      if (kind === 'file' && name.endsWith(LINES))
        yield { id: basename(name, LINES), path, ...(isSubagent(name) && { parent: '' }) };
      if (kind === 'directory') yield* subagents(path, name, looking, 1);
    }
  }
}

function* subagents(folder: string, parent: string, looking: Looking, depth: number): Iterable<DiscoveredSession> {
  for (const { name, kind } of looking.entries(folder)) {
    const path = join(folder, name);
    if (kind === 'file' && isSubagent(name)) yield { id: basename(name, LINES), path, parent };
    if (kind === 'directory' && depth < MAX_DEPTH) yield* subagents(path, parent, looking, depth + 1);
  }
}

function isSubagent(name: string): boolean {
  return name.startsWith('agent-') && name.endsWith(LINES);
}
