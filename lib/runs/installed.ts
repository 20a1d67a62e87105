// Where the program of an agent is: in the home of ollm or in PATH, and never in a project, which could bring along a
// program of its own by that name.
import { join } from 'node:path';
import { OllmError } from '../errors/index.ts';
import { findProgram } from '../platform/processes/find-program.ts';
import { StartFailure } from '../platform/processes/start-failure.ts';
import type { AgentCommand, AgentProfile } from './profiles.ts';

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
  readonly path: string | undefined;
  /** Directories in which nothing is looked for. */
  readonly untrusted: readonly string[];
}

/**
 * @example
 * const { path } = installedAgent(profileOf('qwen')!, { home, path: env.PATH, untrusted: [project] });
 * @throws OllmError AGENT_NOT_INSTALLED, with what installs it
 */
export function installedAgent(profile: AgentProfile, options: InstalledOptions): InstalledAgent {
  for (const command of profile.commands) {
    const path = find(command.program, options);
    if (path === undefined) continue;
    const { behind } = command;
    const other = behind && find(behind.program, options);
    const env = behind === undefined || other === undefined ? {} : { [behind.variable]: other };
    return { command, path, env };
  }
  const [{ program, package: from }] = profile.commands as [AgentCommand];
  const folder = agentsFolder(options.home);
  throw new OllmError('AGENT_NOT_INSTALLED', `The program ${program} of ${profile.name} is not here.`, {
    hint: `Install it: npm install --prefix ${folder} ${from}. One in PATH does too.`,
    data: { agent: profile.name, program, package: from },
  });
}

function agentsFolder(home: string): string {
  return join(home, 'agents');
}

function find(program: string, { home, path, untrusted }: InstalledOptions): string | undefined {
  const own = join(agentsFolder(home), 'node_modules', '.bin');
  for (const place of [own, path]) {
    try {
      return findProgram(program, { path: place, cwd: '/', untrusted });
    } catch (error) {
      if (!(error instanceof StartFailure)) throw error;
    }
  }
  return undefined;
}
