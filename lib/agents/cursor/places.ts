// Where Cursor keeps its sessions. Its command line: a database for each under ~/.cursor/chats, and transcripts under
// ~/.cursor/projects. Its editor: one database for all, and an older one for each workspace.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DiscoveredSession, Looking, Surroundings } from '../agent.ts';
import { configHome, directoriesIn, sessionFilesIn } from '../finding.ts';
import { absolutePathIn, defined, nonEmpty, objectIn, parseObject } from '../members.ts';
import { cliSessionIn, META } from './cli-store.ts';
import { composersIn, GLOBAL, type StoredSession, sessionsIn, WORKSPACE } from './editor-store.ts';

const DATABASE = 'state.vscdb';
const TRANSCRIPT = /^(.+)\.jsonl$/s;

/** The second belongs to the editor. */
export function places(surroundings: Surroundings): readonly string[] {
  return [join(surroundings.home, '.cursor'), join(configHome(surroundings), 'Cursor', 'User')];
}

export function* discover(place: string, looking: Looking): Iterable<DiscoveredSession> {
  const seen = new Set<string>();
  yield* chatsIn(join(place, 'chats'), seen, looking);
  yield* transcriptsIn(join(place, 'projects'), seen, looking);
  yield* editorSessionsIn(place, looking);
}

function* chatsIn(folder: string, seen: Set<string>, looking: Looking): Iterable<DiscoveredSession> {
  for (const workspace of directoriesIn(folder, looking)) {
    for (const id of directoriesIn(join(folder, workspace), looking)) {
      const path = join(folder, workspace, id, 'store.db');
      if (!looking.entries(join(folder, workspace, id)).some(({ name }) => name === 'store.db')) continue;
      const startedAt = looking.query(path, META, (database) => cliSessionIn(database).startedAt);
      seen.add(id);
      yield found(id, path, { store: 'cli' }, startedAt);
    }
  }
}

/** A session that has a database is read there: a transcript lacks results. */
function* transcriptsIn(folder: string, seen: ReadonlySet<string>, looking: Looking): Iterable<DiscoveredSession> {
  for (const project of directoriesIn(folder, looking)) {
    const transcripts = join(folder, project, 'agent-transcripts');
    for (const id of directoriesIn(transcripts, looking)) {
      const own = join(transcripts, id);
      if (seen.has(id)) continue;
      const path = join(own, `${id}.jsonl`);
      if (looking.hasFile(path)) yield { id: transcriptId(id), path };
      for (const { id: subagent, path } of sessionFilesIn(join(own, 'subagents'), TRANSCRIPT, looking)) {
        yield { id: transcriptId(subagent), path, parent: transcriptId(id) };
      }
    }
    for (const { id, path } of sessionFilesIn(transcripts, TRANSCRIPT, looking)) {
      if (!seen.has(id)) yield { id: transcriptId(id), path };
    }
  }
}

/** The editor may have the same session in its own database, under the bare id. */
function transcriptId(id: string): string {
  return `${id}-transcript`;
}

function* editorSessionsIn(place: string, looking: Looking): Iterable<DiscoveredSession> {
  const folders = new Map<string, string>();
  const workspaces = join(place, 'workspaceStorage');
  for (const name of directoriesIn(workspaces, looking)) {
    const path = join(workspaces, name, DATABASE);
    if (!looking.entries(join(workspaces, name)).some((entry) => entry.name === DATABASE)) continue;
    const cwd = folderIn(looking.readSmall(join(workspaces, name, 'workspace.json')));
    for (const { id, startedAt, store } of looking.query(path, WORKSPACE, sessionsIn) ?? []) {
      if (cwd !== undefined) folders.set(id, cwd);
      if (store !== undefined) yield found(id, path, { store, ...ifKnown(cwd) }, startedAt);
    }
  }
  const global = join(place, 'globalStorage');
  if (!looking.entries(global).some(({ name }) => name === DATABASE)) return;
  const path = join(global, DATABASE);
  for (const id of looking.query(path, GLOBAL, composersIn) ?? []) {
    yield found(id, path, { store: 'global', ...ifKnown(folders.get(id)) }, undefined);
  }
}

function ifKnown(cwd: string | undefined): { cwd?: string } {
  return cwd === undefined ? {} : { cwd };
}

function folderIn(text: string | undefined): string | undefined {
  const folder = nonEmpty(objectIn(parseObject(text ?? ''))?.folder);
  try {
    return folder === undefined ? undefined : absolutePathIn(fileURLToPath(folder));
  } catch {
    return undefined;
  }
}

function found(
  id: string,
  path: string,
  facts: { store: string },
  startedAt: StoredSession['startedAt'],
): DiscoveredSession {
  return { id, path, ...defined({ startedAt }), facts };
}
