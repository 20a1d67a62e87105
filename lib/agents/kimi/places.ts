// Where Kimi Code CLI keeps its sessions: for each directory a folder with one for each session, in which a document
// says the directory and the title, and each agent has a folder of its own.
import { join } from 'node:path';
import type { DiscoveredSession, JsonObject, Looking, Surroundings } from '../agent.ts';
import { directoriesIn, documentAt, ownDirectory } from '../finding.ts';
import { absolutePathIn, defined, nonEmpty, objectIn, shortText } from '../members.ts';

const LINES = 'wire.jsonl';
const MAIN = 'main';
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$/;

export function places(surroundings: Surroundings): readonly string[] {
  return [join(ownDirectory.kimi(surroundings), 'sessions')];
}

export function* discover(place: string, looking: Looking): Iterable<DiscoveredSession> {
  for (const project of namesIn(place, looking)) {
    for (const id of namesIn(join(place, project), looking)) yield* sessionIn(join(place, project, id), id, looking);
  }
}

function* sessionIn(folder: string, session: string, looking: Looking): Iterable<DiscoveredSession> {
  const agents = namesIn(join(folder, 'agents'), looking);
  if (agents.length === 0) return;
  const state = documentAt(join(folder, 'state.json'), looking) ?? {};
  for (const name of agents) {
    const own = join(folder, 'agents', name);
    if (!looking.hasFile(join(own, LINES))) continue;
    const found = { path: join(own, LINES), facts: factsOf(state, name === MAIN) };
    if (name === MAIN) yield { id: session, ...found };
    else yield { id: `${session}/${name}`, ...found, parent: parentOf(state, name, session) };
  }
}

/** The agent that began another one is named by its folder. */
function parentOf({ agents }: JsonObject, name: string, session: string): string {
  const parent = nonEmpty(objectIn(objectIn(agents)?.[name])?.parentAgentId) ?? MAIN;
  return parent === MAIN ? session : `${session}/${parent}`;
}

/** The title is a shortened first prompt, unless the user gave one. */
function factsOf({ cwd, workDir, title, isCustomTitle }: JsonObject, isMain: boolean): JsonObject {
  const given = isMain && isCustomTitle === true ? shortText(title) : undefined;
  return defined({ cwd: absolutePathIn(nonEmpty(cwd) ?? workDir), title: given });
}

function namesIn(folder: string, looking: Looking): readonly string[] {
  return directoriesIn(folder, looking).filter((name) => ID.test(name));
}
