// Where Gemini CLI keeps its sessions: for each project a folder under ~/.gemini/tmp, named by the hash of its path or
// by a short name that projects.json lists, with a file for each session in chats/ and those of its subagents in a
// folder of its id. An older file that the program continues is written again next to it, as lines.
import { hash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { DiscoveredSession, JsonObject, Looking, Surroundings } from '../agent.ts';
import { directoriesIn, documentAt, ownDirectory } from '../finding.ts';
import { absolutePathIn, objectIn, textIn } from '../members.ts';

/** session-<time>-<first characters of the session's id>, or the whole id of a subagent's. */
const SESSION = /^(?:session-(\d{4}-\d{2}-\d{2}T\d{2}-\d{2})-(.+?)|(.+?))\.jsonl?$/;

export function places(surroundings: Surroundings): readonly string[] {
  return [join(ownDirectory.gemini(surroundings), 'tmp')];
}

export function* discover(place: string, looking: Looking): Iterable<DiscoveredSession> {
  const paths = projectPaths(place, looking);
  for (const name of directoriesIn(place, looking)) {
    const folder = join(place, name);
    const cwd = absolutePathIn(looking.readSmall(join(folder, '.project_root'))?.trim()) ?? paths.get(name);
    yield* sessionsIn(join(folder, 'chats'), looking, cwd === undefined ? {} : { facts: { cwd } });
  }
}

function* sessionsIn(
  folder: string,
  looking: Looking,
  known: { readonly facts?: JsonObject; readonly parent?: string },
): Iterable<DiscoveredSession> {
  const entries = looking.entries(folder);
  const names = new Set(entries.map(({ name }) => name));
  for (const { name, kind } of entries) {
    const path = join(folder, name);
    if (kind === 'directory' && known.parent === undefined) {
      yield* sessionsIn(path, looking, { ...known, parent: name });
    }
    // Continued as lines in a second file.
    if (kind !== 'file' || names.has(`${name}l`)) continue;
    const [, time, short, whole] = SESSION.exec(name) ?? [];
    // The id comes first, so that its beginning is a prefix; the time distinguishes the files of a continued session.
    const id = time === undefined ? whole : `${short}-${time}`;
    if (id === undefined || (time === undefined && known.parent === undefined)) continue;
    yield { id, path, ...known };
  }
}

/** The name of a file has the first group of the id that the program prints, a UUID. */
export function startOfId(printed: string): string | undefined {
  const short = /^([0-9a-f]{8})-[0-9a-f-]*$/i.exec(printed)?.[1];
  return short === undefined ? undefined : `${short}-`;
}

/** The path of each project by the name of its folder: the one that is listed, or the sha256 of the path. */
function projectPaths(place: string, looking: Looking): ReadonlyMap<string, string> {
  const listed = objectIn(documentAt(join(dirname(place), 'projects.json'), looking)?.projects) ?? {};
  const paths = new Map<string, string>();
  for (const [path, name] of Object.entries(listed)) {
    if (absolutePathIn(path) === undefined) continue;
    paths.set(hash('sha256', path, 'hex'), path);
    const short = textIn(name);
    if (short !== undefined) paths.set(short, path);
  }
  return paths;
}
