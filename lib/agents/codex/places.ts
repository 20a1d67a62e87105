// Where Codex keeps its sessions: one file for each, in folders of the year, month and day that it began on, and those
// that the user archived in one folder.
import { join } from 'node:path';
import type { DiscoveredSession, Looking, Source, Surroundings } from '../agent.ts';
import { ownDirectory } from '../finding.ts';

/** rollout-<local time>-<uuid>.jsonl, and the same compressed */
const ROLLOUT = /^rollout-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-(.+?)\.jsonl(?:\.zst)?$/;
const PACKED = '.zst';
/** Year, month, day. */
const DEPTH = 3;

export function places(surroundings: Surroundings): readonly string[] {
  const root = ownDirectory.codex(surroundings);
  return [join(root, 'sessions'), join(root, 'archived_sessions')];
}

/** It is there also while no process holds it. */
export function lockOf({ id }: Pick<Source, 'id'>, surroundings: Surroundings): string {
  return join(ownDirectory.codex(surroundings), 'thread-writer-locks', `${id}.lock`);
}

export function* discover(place: string, looking: Looking, depth = 0): Iterable<DiscoveredSession> {
  const entries = looking.entries(place);
  const names = new Set(entries.map(({ name }) => name));
  for (const { name, kind } of entries) {
    const path = join(place, name);
    if (kind === 'directory' && depth < DEPTH) yield* discover(path, looking, depth + 1);
    // While Codex compresses a file, both are there.
    const isSecond = name.endsWith(PACKED) && names.has(name.slice(0, -PACKED.length));
    if (kind !== 'file' || isSecond) continue;
    const id = ROLLOUT.exec(name)?.[1];
    if (id !== undefined) yield { id, path };
  }
}
