// Where the program of an agent is: in the home of ollm or in PATH, and never in a project, which could bring along a
// program of its own by that name.
import { basename, join } from 'node:path';
import { OllmError } from '../errors/index.ts';
import { isInside } from '../platform/files/inside.ts';
import { findProgram } from '../platform/processes/find-program.ts';
import { StartFailure } from '../platform/processes/start-failure.ts';
import type { AgentCommand, AgentProfile } from './profiles.ts';
import { requireTried } from './tried-version.ts';

/** In the home of ollm: what its hint installs there. */
export const agentsFolder = 'agents';

export interface InstalledAgent {
  readonly command: AgentCommand;
  /** Absolute. */
  readonly path: string;
  /** Further variables that it needs: the place of the program that an adapter starts. */
  readonly env: Readonly<Record<string, string>>;
}

interface InstalledOptions {
  /** The home of ollm. */
  readonly home: string;
  /** The program that its user has set, absolute. Default: it is looked for. */
  readonly program?: string | undefined;
  /** Only a command that is spoken to by this protocol. */
  readonly family?: AgentCommand['family'] | undefined;
  readonly path: string | undefined;
  /** Directories in which nothing is looked for. */
  readonly untrusted: readonly string[];
  /** The version of the program at a path. Default: versions are not compared. */
  readonly versionOf?: ((path: string) => string | undefined) | undefined;
}

/**
 * @example
 * const { path } = installedAgent(profileOf('qwen')!, { home, path: env.PATH, untrusted: [project] });
 * @throws OllmError AGENT_NOT_INSTALLED, AGENT_TOO_OLD, with what installs it
 */
export function installedAgent(profile: AgentProfile, options: InstalledOptions): InstalledAgent {
  const { program, family } = options;
  const commands = profile.commands.filter((each) => family === undefined || each.family === family);
  if (program !== undefined) return setAgent({ ...profile, commands }, program, options);
  for (const command of commands) {
    const path = find(command.program, placesOf(options));
    if (path !== undefined) return found(command, path, options);
  }
  // The command without an adapter, where there is one.
  const wanted = commands.find(({ behind }) => behind === undefined) ?? commands[0]!;
  const { name } = profile;
  const hint = `Install it: ${installerOf(wanted, options)}. Or set runs.${name}.program to the path of one.`;
  throw notInstalled(name, wanted, hint, options);
}

function notInstalled(
  agent: string,
  { program, package: from }: { readonly program: string; readonly package?: string | undefined },
  hint: string,
  { home }: InstalledOptions,
): OllmError {
  const message = `${program} is not installed: it is neither on PATH nor in ${join(home, agentsFolder)}.`;
  return new OllmError('AGENT_NOT_INSTALLED', message, {
    hint,
    data: { agent, program, ...(from && { package: from }) },
  });
}

/** Installs its newest version into the home of ollm, which is looked into first. */
function installerOf({ installer, package: from, behind }: AgentCommand, options: InstalledOptions): string {
  if (from === undefined) return installer ?? '';
  const isThere = behind !== undefined && find(behind.program, placesOf(options)) !== undefined;
  // The program itself is not needed twice.
  return `npm install --prefix ${join(options.home, agentsFolder)} ${isThere ? '--omit=optional ' : ''}${from}`;
}

/**
 * The path of a program that is started as its user would start it, without an adapter.
 * @throws OllmError AGENT_NOT_INSTALLED, with what installs it
 */
export function installedProgram(
  wanted: { readonly program: string; readonly package: string; readonly name: string },
  options: InstalledOptions,
): string {
  const { program, package: from, name } = wanted;
  const path = find(program, placesOf(options));
  if (path !== undefined) return path;
  const hint = `Install it: npm install --prefix ${join(options.home, agentsFolder)} ${from}.`;
  throw notInstalled(name, wanted, hint, options);
}

function found(command: AgentCommand, path: string, options: InstalledOptions): InstalledAgent {
  const { behind } = command;
  const { versionOf, home } = options;
  const remedy = `Install a newer one: ${installerOf(command, options)}.`;
  requireTried({ ...command, path, version: versionOf?.(path), remedy });
  // An adapter may bring along a launcher without its program.
  const other = behind && find(behind.program, placesOf(options).toReversed());
  if (behind !== undefined && other !== undefined) {
    const inHome = `npm install --prefix ${join(home, agentsFolder)} ${behind.package}`;
    const newer = isInside(home, other) ? inHome : `npm install -g ${behind.package}`;
    const remedy = `Update it as it was installed, or: ${newer}.`;
    requireTried({ ...behind, path: other, version: versionOf?.(other), remedy });
  }
  const env = behind === undefined || other === undefined ? {} : { [behind.variable]: other };
  return { command, path, env };
}

function setAgent({ name, commands }: AgentProfile, program: string, options: InstalledOptions): InstalledAgent {
  try {
    const command = commands.find((each) => each.program === basename(program)) ?? commands[0]!;
    return found(command, findProgram(program, { path: undefined, cwd: '/' }), options);
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error;
    throw new OllmError('AGENT_NOT_INSTALLED', `runs.${name}.program cannot be used. ${error.message}`, {
      hint: 'Set it to the absolute path of a program, or leave it out: then the program is looked for.',
      data: { agent: name, program },
    });
  }
}

interface SearchedPlace {
  readonly path: string | undefined;
  readonly untrusted: readonly string[];
}

/** The home of ollm, which its user has chosen for it, and PATH. */
function placesOf({ home, path, untrusted }: InstalledOptions): readonly SearchedPlace[] {
  const own = join(home, agentsFolder, 'node_modules', '.bin');
  return [
    { path: own, untrusted },
    { path, untrusted },
  ];
}

function find(program: string, places: readonly SearchedPlace[]): string | undefined {
  for (const place of places) {
    try {
      return findProgram(program, { ...place, cwd: '/' });
    } catch (error) {
      if (!(error instanceof StartFailure)) throw error;
    }
  }
  return undefined;
}
