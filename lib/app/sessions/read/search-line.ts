// The filters in the line of a search, such as `agent:claude`, taken out of it and understood. In quotes one is text,
// and so is a name without a value.
import { resolve } from 'node:path';
import { hasWords } from '../../../catalog/prepared-text.ts';
import type { Narrowing, SearchRequest, WantedProject } from '../../../catalog/search-request.ts';
import type { TextRole } from '../../../catalog/session-texts.ts';
import { OllmError } from '../../../errors/index.ts';
import { sinceIn } from '../../../platform/age.ts';
import type { App } from '../../app.ts';
import { requireAgent } from '../../find/require-agent.ts';
import { reachOfProject } from '../../repository/project-reach.ts';
import { homeDirectoryOf } from '../../start/home-directory.ts';

type Name = 'agent' | 'since' | 'project' | 'role' | 'tool' | 'path' | 'title';

const PIECE =
  /"[^"]*"?|(?<=^|\s)(?<name>agent|since|project|role|tool|path|title):(?:"(?<quoted>[^"]*)"?|(?<value>[^\s"]+))/gu;
const ROLES: readonly string[] = ['user', 'assistant', 'tool', 'system'] satisfies TextRole[];
const DIRECTORY = /^(?:\/|~(?:\/|$)|\.\.?(?:\/|$))/;

/**
 * @example
 * readSearchLine(app, 'deadlock agent:claude since:2w'); // { text: 'deadlock', within: { agents: ['claude'], … } }
 * @throws OllmError USAGE: a value is none of those that there are
 */
export function readSearchLine(app: App, line: string): Pick<SearchRequest, 'text' | 'within'> {
  const values = new Map<string, string[]>();
  const text = line.replace(PIECE, (piece: string, ...rest: unknown[]) => {
    const { name, quoted, value = quoted } = rest.at(-1) as Record<string, string | undefined>;
    if (name === undefined || value === undefined || !isValue(name as Name, value)) return piece;
    values.set(name, [...(values.get(name) ?? []), value]);
    return '';
  });
  if (values.size === 0) return { text: line };
  const of = (name: Name) => values.get(name);
  const agents = of('agent')?.map((name) => name.toLowerCase());
  for (const name of agents ?? []) requireAgent(name, AS_TEXT);
  const within: Narrowing = {
    agents,
    projects: of('project')?.map((value) => projectOf(app, value)),
    roles: of('role')?.map(roleOf),
    tools: of('tool'),
    paths: of('path'),
    titles: of('title'),
    sinceMs: of('since')
      ?.map((value) => timeOf(value, app.clock.now()))
      .reduce((a, b) => Math.min(a, b)),
  };
  return { text, within };
}

const AS_TEXT = 'In quotes it is searched as text.';

function isValue(name: Name, value: string): boolean {
  return (name === 'project' && DIRECTORY.test(value)) || hasWords(value);
}

function projectOf(app: App, value: string): WantedProject {
  if (!DIRECTORY.test(value)) return { name: value };
  const path = value.startsWith('~') ? `${homeDirectoryOf(app)}${value.slice(1)}` : value;
  const directory = resolve(app.cwd, path);
  const { roots, remote } = reachOfProject(app.fileSystem, directory);
  return { directory, worktrees: roots, remote };
}

function roleOf(value: string): TextRole {
  const role = value.toLowerCase();
  if (ROLES.includes(role)) return role as TextRole;
  throw new OllmError('USAGE', `“${value}” is not a role.`, { hint: `There are: ${ROLES.join(', ')}. ${AS_TEXT}` });
}

/** Milliseconds since 1970. */
function timeOf(value: string, nowMs: number): number {
  const ms = sinceIn(value, nowMs);
  if (ms !== undefined) return ms;
  throw new OllmError('USAGE', `“${value}” is neither an age nor a day.`, {
    hint: `Write since:2w, since:12h or since:2026-11-21. ${AS_TEXT}`,
  });
}
