// Where Kimi Code CLI keeps its sessions: for each directory a folder with one for each session, in which a document
// says the directory and the title, and each agent has a folder of its own.
import { join } from 'node:path';
import type { JsonObject, ListedSource, Looking, Source, Surroundings } from '../agent.ts';
import { absolutePathIn, defined, nonEmpty, objectIn, parseObject, shortText } from '../members.ts';

const AGENT = 'kimi';
const LINES = 'wire.jsonl';
const MAIN = 'main';
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$/;

export function places({ env, home }: Surroundings): readonly string[] {
  return [join(env.KIMI_CODE_HOME || join(home, '.kimi-code'), 'sessions')];
}

export function* discover(place: string, looking: Looking): Iterable<ListedSource> {
  for (const project of directoriesIn(place, looking)) {
    for (const id of directoriesIn(join(place, project), looking)) {
      for (const source of sessionIn(join(place, project, id), id, looking)) yield { kind: 'source', source };
    }
  }
}

function* sessionIn(folder: string, session: string, looking: Looking): Iterable<Source> {
  const agents = directoriesIn(join(folder, 'agents'), looking);
  if (agents.length === 0) return;
  const state = parseObject(looking.readSmall(join(folder, 'state.json')) ?? '') ?? {};
  for (const name of agents) {
    const path = join(folder, 'agents', name, LINES);
    const files = looking.entries(join(folder, 'agents', name));
    if (!files.some((entry) => entry.name === LINES && entry.kind === 'file')) continue;
    const facts = factsOf(state, name === MAIN);
    if (name === MAIN) yield { agent: AGENT, id: session, path, facts };
    else yield { agent: AGENT, id: `${session}/${name}`, path, facts, parent: parentOf(state, name, session) };
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

function directoriesIn(folder: string, looking: Looking): readonly string[] {
  const entries = looking.entries(folder).filter(({ name, kind }) => kind === 'directory' && ID.test(name));
  return entries.map(({ name }) => name);
}
