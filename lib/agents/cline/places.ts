// Where Cline and its kin keep their sessions: in the storage of each editor that they are an extension of, on this
// machine or for one that it serves, and in folders of their own. A list of the tasks, next to the folders, says the
// directory of each.
import { basename, dirname, join } from 'node:path';
import type { DiscoveredSession, JsonObject, Looking, Surroundings } from '../agent.ts';
import { configHome, directoriesIn, documentAt } from '../finding.ts';
import { absolutePathIn, defined, nonEmpty, objectIn, objectsIn, parseObject, shortText } from '../members.ts';
import { timeOf } from '../times.ts';

/** The messages that the model is sent. Those that the user is shown are in another file. */
export const MESSAGES = 'api_conversation_history.json';
/** The documents of Cline 3. */
const SESSION = '.messages.json';
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$/;
/** An id that is the time of its beginning, or has that time before an underscore. */
const TIME = /^(1\d{12})(?:_|$)/;

const EDITORS = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf'];
/** Below the home, where an editor works on this machine from another one. */
const SERVERS = ['.vscode-server', '.vscode-server-insiders', '.vscode-remote', '.cursor-server', '.windsurf-server'];

export interface Editors {
  readonly extension: string;
  ownFolders?(surroundings: Surroundings): readonly string[];
}

export function places(surroundings: Surroundings, { extension, ownFolders }: Editors): readonly string[] {
  const users = [
    ...EDITORS.map((editor) => join(configHome(surroundings), editor, 'User')),
    ...SERVERS.map((server) => join(surroundings.home, server, 'data', 'User')),
  ];
  const own = ownFolders?.(surroundings).map((folder) => join(folder)) ?? [];
  return [...own, ...users.map((user) => join(user, 'globalStorage', extension, 'tasks'))];
}

export function* discover(place: string, looking: Looking): Iterable<DiscoveredSession> {
  let listed: ReadonlyMap<string, JsonObject> | undefined;
  for (const name of directoriesIn(place, looking)) {
    if (!ID.test(name)) continue;
    const folder = join(place, name);
    const files = looking.entries(folder).flatMap((entry) => (entry.kind === 'file' ? [entry.name] : []));
    if (files.includes(MESSAGES)) {
      listed ??= listOf(place, looking);
      yield taskIn(folder, documentAt(join(folder, 'history_item.json'), looking) ?? listed.get(name) ?? {});
    }
    for (const file of files.filter((each) => each.endsWith(SESSION))) yield sessionIn(join(folder, file), looking);
  }
}

function taskIn(folder: string, { cwdOnTaskInitialization, workspace, parentTaskId }: JsonObject): DiscoveredSession {
  const id = basename(folder);
  return {
    id,
    path: join(folder, MESSAGES),
    ...defined({
      parent: nonEmpty(parentTaskId),
      startedAt: startOf(id),
      facts: factsOf(nonEmpty(cwdOnTaskInitialization) ?? nonEmpty(workspace)),
    }),
  };
}

/** A document next to a session of Cline 3 says its directory and its title. The other sessions are of its agents. */
function sessionIn(path: string, looking: Looking): DiscoveredSession {
  const id = basename(path).slice(0, -SESSION.length);
  const folder = dirname(path);
  const main = basename(folder);
  const manifest = documentAt(join(folder, `${main}.json`), looking) ?? {};
  const title = nonEmpty(objectIn(manifest.metadata)?.title);
  const facts = factsOf(nonEmpty(manifest.cwd), title === manifest.prompt || id !== main ? undefined : title);
  return {
    id,
    path,
    ...defined({ parent: id === main ? undefined : main, startedAt: startOf(id), facts }),
  };
}

function factsOf(cwd: string | undefined, title?: string): JsonObject | undefined {
  const facts = defined({ cwd: absolutePathIn(cwd), title: shortText(title) });
  return Object.keys(facts).length === 0 ? undefined : facts;
}

function startOf(id: string): string | undefined {
  return timeOf(Number(TIME.exec(id)?.[1]));
}

/** The tasks by their ids: Cline's list is next to the folder of tasks, those of the others in it. */
function listOf(place: string, looking: Looking): ReadonlyMap<string, JsonObject> {
  const own = documentAt(join(place, '_index.json'), looking)?.entries;
  const text = looking.readSmall(join(dirname(place), 'state', 'taskHistory.json'));
  const listed = [...objectsIn(own), ...objectsIn(parseObject(`{"list":${text ?? 'null'}}`)?.list)];
  return new Map(listed.map((item) => [nonEmpty(item.id) ?? '', item]));
}
