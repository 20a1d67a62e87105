// Where Kiro CLI keeps its sessions: a file of lines for each, and next to it a document of the same name with the
// directory in which it works. Its first engine kept its sessions in a database, as Amazon Q Developer CLI did before;
// its third engine keeps each session in a separate folder, within the folder of its workspace.
import { join } from 'node:path';
import { xdgDirectory } from '../../platform/xdg.ts';
import type { DiscoveredSession, Looking, Surroundings } from '../agent.ts';
import { directoriesIn, documentAt, sessionFilesIn } from '../finding.ts';
import { nonEmpty } from '../members.ts';
import { conversationsIn, DATABASE } from './conversations.ts';

const WORKSPACE = /^[0-9a-f]{16}$/;
const FOLDER = /^sess_[\w-]+$/;
const MESSAGES = 'messages.jsonl';
const SESSION = /^([0-9a-f]{8}-[0-9a-f-]{27})\.jsonl$/;

export function places({ env, home, platform }: Surroundings): readonly string[] {
  const data =
    platform === 'darwin'
      ? join(home, 'Library', 'Application Support')
      : platform === 'win32'
        ? env.LOCALAPPDATA || join(home, 'AppData', 'Local')
        : xdgDirectory('data', { env, home });
  const sessions = join(env.KIRO_HOME || join(home, '.kiro'), 'sessions');
  return [join(sessions, 'cli'), sessions, join(data, 'kiro-cli'), join(data, 'amazon-q')];
}

export function* discover(place: string, looking: Looking): Iterable<DiscoveredSession> {
  for (const { name, kind } of looking.entries(place)) {
    if (kind === 'directory' && WORKSPACE.test(name)) yield* sessionsOf(join(place, name), looking);
    if (kind === 'file' && name === DATABASE) yield* conversationsIn(join(place, name), looking);
  }
  for (const found of sessionFilesIn(place, SESSION, looking)) {
    yield { ...found, ...factsOf(documentAt(join(place, `${found.id}.json`), looking)?.cwd) };
  }
}

/** The document next to the messages names the directories of the workspace. */
function* sessionsOf(workspace: string, looking: Looking): Iterable<DiscoveredSession> {
  for (const id of directoriesIn(workspace, looking)) {
    const folder = join(workspace, id);
    if (!FOLDER.test(id) || !looking.hasFile(join(folder, MESSAGES))) continue;
    const { workspacePaths } = documentAt(join(folder, 'session.json'), looking) ?? {};
    yield {
      id,
      path: join(folder, MESSAGES),
      ...factsOf(Array.isArray(workspacePaths) ? workspacePaths[0] : undefined),
    };
  }
}

function factsOf(directory: unknown): Pick<DiscoveredSession, 'facts'> {
  const cwd = nonEmpty(directory);
  return cwd === undefined ? {} : { facts: { cwd } };
}
