// The program that a run of another agent starts: the one of the settings, else where it is found.
import { dirname, join } from 'node:path';
import { isOllmError } from '../../errors/index.ts';
import { readFile, realPathOf } from '../../platform/files/io.ts';
import { isObject } from '../../platform/json.ts';
import { type InstalledAgent, installedAgent } from '../../runs/installed.ts';
import { type AgentCommand, type AgentProfile, capabilitiesOf, profileOf } from '../../runs/profiles.ts';
import type { App } from '../app.ts';

type Place = Pick<App, 'paths' | 'env' | 'config' | 'fileSystem'>;

/** `workspace`: a program in it is not started. Default: the project. @throws OllmError AGENT_NOT_INSTALLED */
export function agentProgram(
  { paths, env, config }: Pick<Place, 'paths' | 'env' | 'config'>,
  profile: AgentProfile,
  workspace = paths.project,
): InstalledAgent {
  return installedAgent(profile, {
    home: paths.home,
    path: env.PATH,
    program: config.runs[profile.name].program,
    untrusted: [workspace, paths.project],
  });
}

/** How an agent can be run here: its program, or the sentence with the command that installs it. */
export type RunnableAgent = AgentAbilities & (FoundAgent | { readonly install: string });

interface AgentAbilities {
  readonly family: AgentCommand['family'];
  readonly capabilities: ReturnType<typeof capabilitiesOf>;
}

interface FoundAgent {
  readonly program: string;
  /** The version of the package that the program is from. */
  readonly version?: string | undefined;
  /** The program that an adapter starts; undefined where there is none. */
  readonly starts?: string | undefined;
}

/** Starts nothing. Undefined for an agent that ollm cannot run. */
export function runnableAgent(place: Place, agent: string): RunnableAgent | undefined {
  const profile = profileOf(agent);
  if (profile === undefined) return undefined;
  const capabilities = capabilitiesOf(profile);
  try {
    const { path, env, command } = agentProgram(place, profile);
    const starts = command.behind && env[command.behind.variable];
    const version = packageVersion(place, path);
    const abilities = { family: command.family, capabilities };
    return { ...abilities, program: path, ...(version && { version }), ...(starts && { starts }) };
  } catch (error) {
    if (!isOllmError(error, 'AGENT_NOT_INSTALLED')) throw error;
    const { family } = profile.commands[0]!;
    return { family, capabilities, install: [error.message, error.hint].filter(Boolean).join(' ') };
  }
}

/** Folders between a command and the file that describes its package. */
const MOST_FOLDERS = 4;
const MAX_BYTES = 1024 * 1024;

/** Undefined for a program that is not from a package of npm. */
export function packageVersion({ fileSystem }: Pick<Place, 'fileSystem'>, path: string): string | undefined {
  let folder = dirname(realPathOf(fileSystem, path) ?? path);
  for (let up = 0; up < MOST_FOLDERS; up += 1, folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (fileSystem.stat(file)?.kind !== 'file') continue;
    try {
      const about: unknown = JSON.parse(Buffer.from(readFile(fileSystem, file, { maxBytes: MAX_BYTES })).toString());
      return isObject(about) && typeof about.version === 'string' ? about.version : undefined;
    } catch {
      return undefined;
    }
  }
  return undefined;
}
