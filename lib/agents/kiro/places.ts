// Where Kiro CLI keeps its sessions: a file of lines for each, and next to it a document of the same name with the
// directory in which it works. Its first engine kept its sessions in a database, as Amazon Q Developer CLI did before;
// its third engine keeps each session in a folder of its own, within the folder of its workspace.
import { join } from 'node:path';
import type { ListedSource, Looking, Surroundings } from '../agent.ts';
import { defined, nonEmpty, parseObject, textIn } from '../members.ts';
import { conversationsIn, DATABASE } from './conversations.ts';

const AGENT = 'kiro';
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
        : env.XDG_DATA_HOME || join(home, '.local', 'share');
  const sessions = join(env.KIRO_HOME || join(home, '.kiro'), 'sessions');
  return [join(sessions, 'cli'), sessions, join(data, 'kiro-cli'), join(data, 'amazon-q')];
}

export function* discover(place: string, looking: Looking): Iterable<ListedSource> {
  for (const { name, kind } of looking.entries(place)) {
    if (kind === 'directory' && WORKSPACE.test(name)) yield* sessionsOf(join(place, name), looking);
    if (kind === 'file' && name === DATABASE) yield* conversationsIn(AGENT, join(place, name), looking);
    const id = SESSION.exec(name)?.[1];
    if (kind !== 'file' || id === undefined) continue;
    const cwd = nonEmpty(parseObject(looking.readSmall(join(place, `${id}.json`)) ?? '')?.cwd);
    yield {
      kind: 'source',
      source: { agent: AGENT, id, path: join(place, name), ...(cwd !== undefined && { facts: { cwd } }) },
    };
  }
}

/** The document next to the messages names the directories of the workspace. */
function* sessionsOf(workspace: string, looking: Looking): Iterable<ListedSource> {
  for (const { name: id, kind } of looking.entries(workspace)) {
    const folder = join(workspace, id);
    if (kind !== 'directory' || !FOLDER.test(id)) continue;
    if (!looking.entries(folder).some((entry) => entry.name === MESSAGES && entry.kind === 'file')) continue;
    const { workspacePaths } = parseObject(looking.readSmall(join(folder, 'session.json')) ?? '') ?? {};
    const cwd = nonEmpty(textIn(Array.isArray(workspacePaths) ? workspacePaths[0] : undefined));
    const facts = cwd === undefined ? undefined : { cwd };
    yield { kind: 'source', source: { agent: AGENT, id, path: join(folder, MESSAGES), ...defined({ facts }) } };
  }
}
