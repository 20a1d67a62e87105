// Where Cursor keeps its sessions. Its command line: a database for each under ~/.cursor/chats, and transcripts under
// ~/.cursor/projects. Its editor: one database for all, and an older one for each workspace.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ListedSource, Looking, Surroundings } from '../agent.ts';
import { absolutePathIn, nonEmpty, objectIn, parseObject } from '../members.ts';
import { timeOf } from '../translator.ts';
import { cliSessionIn, META } from './cli-store.ts';
import { composersIn, GLOBAL, type StoredSession, sessionsIn, WORKSPACE } from './editor-store.ts';

const AGENT = 'cursor';
const DATABASE = 'state.vscdb';
const LINES = '.jsonl';

/** The second belongs to the editor. */
export function places({ env, home, platform }: Surroundings): readonly string[] {
  const config =
    platform === 'darwin'
      ? join(home, 'Library', 'Application Support')
      : platform === 'win32'
        ? env.APPDATA || join(home, 'AppData', 'Roaming')
        : env.XDG_CONFIG_HOME || join(home, '.config');
  return [join(home, '.cursor'), join(config, 'Cursor', 'User')];
}

export function* discover(place: string, looking: Looking): Iterable<ListedSource> {
  const seen = new Set<string>();
  yield* chatsIn(join(place, 'chats'), seen, looking);
  yield* transcriptsIn(join(place, 'projects'), seen, looking);
  yield* editorSessionsIn(place, looking);
}

function* chatsIn(folder: string, seen: Set<string>, looking: Looking): Iterable<ListedSource> {
  for (const workspace of directoriesIn(folder, looking)) {
    for (const id of directoriesIn(join(folder, workspace), looking)) {
      const path = join(folder, workspace, id, 'store.db');
      if (!looking.entries(join(folder, workspace, id)).some(({ name }) => name === 'store.db')) continue;
      const createdAt = looking.query(path, META, (database) => cliSessionIn(database).createdAt);
      seen.add(id);
      yield found(id, path, { store: 'cli' }, createdAt);
    }
  }
}

/** A session that has a database is read there: a transcript lacks results. */
function* transcriptsIn(folder: string, seen: ReadonlySet<string>, looking: Looking): Iterable<ListedSource> {
  for (const project of directoriesIn(folder, looking)) {
    const transcripts = join(folder, project, 'agent-transcripts');
    for (const { name, kind } of looking.entries(transcripts)) {
      const id = kind === 'file' && name.endsWith(LINES) ? name.slice(0, -LINES.length) : name;
      if (id === '' || seen.has(id) || (kind === 'file' && id === name)) continue;
      if (kind === 'file') yield transcript(id, join(transcripts, name));
      if (kind !== 'directory') continue;
      const own = join(transcripts, name);
      if (looking.entries(own).some((entry) => entry.name === `${id}${LINES}` && entry.kind === 'file')) {
        yield transcript(id, join(own, `${id}${LINES}`));
      }
      for (const { name: file, kind: type } of looking.entries(join(own, 'subagents'))) {
        if (type !== 'file' || !file.endsWith(LINES) || file === LINES) continue;
        yield transcript(file.slice(0, -LINES.length), join(own, 'subagents', file), transcriptId(id));
      }
    }
  }
}

/** The editor may have the same session in its own database, under the bare id. */
function transcriptId(id: string): string {
  return `${id}-transcript`;
}

function transcript(id: string, path: string, parent?: string): ListedSource {
  const source = { agent: AGENT, id: transcriptId(id), path, ...(parent === undefined ? {} : { parent }) };
  return { kind: 'source', source };
}

function* editorSessionsIn(place: string, looking: Looking): Iterable<ListedSource> {
  const folders = new Map<string, string>();
  const workspaces = join(place, 'workspaceStorage');
  for (const name of directoriesIn(workspaces, looking)) {
    const path = join(workspaces, name, DATABASE);
    if (!looking.entries(join(workspaces, name)).some((entry) => entry.name === DATABASE)) continue;
    const cwd = folderIn(looking.readSmall(join(workspaces, name, 'workspace.json')));
    for (const { id, createdAt, store } of looking.query(path, WORKSPACE, sessionsIn) ?? []) {
      if (cwd !== undefined) folders.set(id, cwd);
      if (store !== undefined) yield found(id, path, { store, ...ifKnown(cwd) }, createdAt);
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

function* directoriesIn(folder: string, looking: Looking): Iterable<string> {
  for (const { name, kind } of looking.entries(folder)) if (kind === 'directory') yield name;
}

function found(
  id: string,
  path: string,
  facts: { store: string },
  createdAt: StoredSession['createdAt'],
): ListedSource {
  const startedAt = timeOf(createdAt);
  const times = startedAt === undefined ? {} : { startedAt };
  return { kind: 'source', source: { agent: AGENT, id, path, ...times, facts } };
}
