// The program that a run of another agent starts: the one of the settings, else where it is found.
import { basename, dirname, join } from 'node:path';
import { isOllmError } from '../../errors/index.ts';
import { readFile, realPathOf } from '../../platform/files/io.ts';
import { isObject } from '../../platform/json.ts';
import { type InstalledAgent, installedAgent } from '../../runs/installed.ts';
import { type AgentCommand, type AgentProfile, capabilitiesOf, profileOf } from '../../runs/profiles.ts';
import type { App } from '../app.ts';

type ProgramPlace = Pick<App, 'paths' | 'env' | 'config' | 'fileSystem'>;

interface Wanted {
  /** A program in it is not started. Default: the project. */
  readonly workspace?: string | undefined;
  /** Default: that of the settings, else of the first command that is installed. */
  readonly family?: AgentCommand['family'] | undefined;
}

/** @throws OllmError AGENT_NOT_INSTALLED, AGENT_TOO_OLD */
export function agentProgram(
  place: ProgramPlace,
  profile: AgentProfile,
  { workspace, family }: Wanted = {},
): InstalledAgent {
  const { paths, env, config } = place;
  const settings = config.runs[profile.name];
  const ofSettings = 'family' in settings ? settings.family : undefined;
  return installedAgent(profile, {
    home: paths.home,
    path: env.PATH,
    program: settings.program,
    family: family ?? ofSettings,
    untrusted: [workspace ?? paths.project, paths.project],
    versionOf: (path) => packageVersion(place, path),
  });
}

/** How an agent can be run here: its program, or the sentence with the command that installs it. */
export type RunnableAgent = AgentAbilities & (FoundAgent | MissingAgent);

interface MissingAgent {
  readonly install: string;
  readonly code: 'AGENT_NOT_INSTALLED' | 'AGENT_TOO_OLD';
}

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
export function runnableAgent(place: ProgramPlace, agent: string): RunnableAgent | undefined {
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
    if (!isOllmError(error)) throw error;
    const { code, message, hint } = error;
    if (code !== 'AGENT_NOT_INSTALLED' && code !== 'AGENT_TOO_OLD') throw error;
    const { family } = profile.commands[0]!;
    return { family, capabilities, code, install: [message, hint].filter(Boolean).join(' ') };
  }
}

const VERSION_NAME = /^\d+\.\d+\.\d+$/;
/** Folders between a command and the file that describes its package. */
const MOST_FOLDERS = 4;
const MAX_BYTES = 1024 * 1024;

/** Undefined for a program that is not from a package of npm, and is not named by its version. */
export function packageVersion({ fileSystem }: Pick<ProgramPlace, 'fileSystem'>, path: string): string | undefined {
  const realPath = realPathOf(fileSystem, path) ?? path;
  // The installer of Claude Code puts its program to `…/claude/versions/2.1.330`.
  if (VERSION_NAME.test(basename(realPath))) return basename(realPath);
  let folder = dirname(realPath);
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
