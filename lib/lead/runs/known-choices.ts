// The models and the modes of thinking that an agent offered when it ran last, in `$OLLM_HOME/runs/<agent>.json`. Only
// a program that runs can name them. Each run renews them. Derived and disposable.
import { join } from 'node:path';
import type { App } from '../../app/app.ts';
import { changeOwnDocument, readOwnDocument } from '../../app/start/own-document.ts';
import { systemErrorCode } from '../../errors/index.ts';
import { isObject } from '../../platform/json.ts';
import type { AgentChoice, AgentChoices, AgentProcess } from '../../runs/runner.ts';

type ChoicesPlace = Parameters<typeof changeOwnDocument>[0];

interface KnownChoices {
  readonly models: AgentChoices;
  /** Modes of the present model. */
  readonly thinking: AgentChoices;
}

/** Undefined where the agent has not run yet. */
export function knownChoices(place: ChoicesPlace, agent: string): KnownChoices | undefined {
  const stored = readOwnDocument(place, nameOf(agent));
  return isObject(stored) ? { models: choicesIn(stored.models), thinking: choicesIn(stored.thinking) } : undefined;
}

export async function keepChoices(
  place: ChoicesPlace & Pick<App, 'log'>,
  agent: string,
  { models, thinking }: Pick<AgentProcess, 'models' | 'thinking'>,
): Promise<void> {
  const { fileSystem, paths, log } = place;
  const text = JSON.stringify({ models, thinking });
  try {
    fileSystem.makeDirectory(join(paths.home, FOLDER));
    await changeOwnDocument(place, nameOf(agent), (now) =>
      JSON.stringify(now) === text ? undefined : JSON.parse(text),
    );
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    log.warn({ service: 'runs', operation: 'keep', agent, error }, 'The models of an agent could not be kept');
  }
}

const FOLDER = 'runs';

function nameOf(agent: string): string {
  return join(FOLDER, `${agent}.json`);
}

function choicesIn(value: unknown): AgentChoices {
  if (!isObject(value) || !Array.isArray(value.all)) return { all: [] };
  const all = value.all.filter(
    (each): each is AgentChoice & Record<string, unknown> =>
      isObject(each) && typeof each.value === 'string' && typeof each.name === 'string',
  );
  return { ...(typeof value.current === 'string' && { current: value.current }), all };
}
