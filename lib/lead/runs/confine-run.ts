// The boundary around an agent that does not ask before it does something: the sandbox of tools, with its writes
// bounded to the workspace and to its own state. It reaches the network, since its model is there. The settings of
// agents, by which programs are started later, stay as they are. The state of other agents is hidden: it has sign-ins.
import { dirname, join } from 'node:path';
import type { Surroundings } from '../../agents/agent.ts';
import type { App } from '../../app/app.ts';
import { closedInside } from '../../app/policy/closed-places.ts';
import { sandboxFor, scopeFor } from '../../app/policy/tool-sandbox.ts';
import { foreignPorts } from '../../app/start/foreign-ports.ts';
import { OllmError } from '../../errors/index.ts';
import { realPathOf } from '../../platform/files/io.ts';
import type { InstalledAgent } from '../../runs/installed.ts';
import { agentsFolder } from '../../runs/installed.ts';
import { ownFilesOf, projectSettings } from '../../runs/own-files.ts';
import { type AgentProfile, RUN_AGENTS } from '../../runs/profiles.ts';
import type { ConfinedCommand, Sandbox, SandboxFinding, SandboxScope } from '../../tools/sandboxing.ts';
import { ToolFailure } from '../../tools/tool.ts';

export interface Confinement {
  /** As the journal has it: `bubblewrap`. */
  readonly sandbox: string;
  /** For people. */
  readonly words: string;
  /** The command that runs `argv` confined. `end` is called when it has ended. @throws OllmError SANDBOX_REQUIRED */
  confine(argv: readonly [string, ...string[]]): Promise<ConfinedCommand>;
}

export interface ConfinedAgent {
  readonly profile: AgentProfile;
  readonly installed: InstalledAgent;
  /** Absolute. */
  readonly workspace: string;
  /** Why it is confined, as the beginning of a sentence. */
  readonly why: string;
  /** What its user does to have it run without a sandbox. */
  readonly remedy: string;
}

/**
 * `find`: looks for the sandbox of the machine.
 * @throws OllmError SANDBOX_REQUIRED, with the reason why there is none
 */
export async function confineRun(
  app: App,
  agent: ConfinedAgent,
  find?: () => Promise<SandboxFinding>,
): Promise<Confinement> {
  const { workspace, why, remedy } = agent;
  const found = await sandboxFor(app, find);
  if (found.kind !== 'confined') {
    throw new OllmError('SANDBOX_REQUIRED', `${why}, and nothing confines it here. It is ${found.words}`, {
      hint: `Install a sandbox, as "ollm doctor" says, with tools.sandbox not off. ${remedy}`,
    });
  }
  const { sandbox } = found;
  const { name, lacks } = sandbox;
  return {
    sandbox: name,
    words: [`${name}, with network`, `writing only in ${workspace} and its own state`, lacks]
      .filter(Boolean)
      .join(', '),
    confine: async (argv) => confined(sandbox, argv, await scopeOfRun(app, agent), workspace),
  };
}

function confined(
  sandbox: Sandbox,
  argv: readonly [string, ...string[]],
  scope: SandboxScope,
  cwd: string,
): ConfinedCommand {
  try {
    return sandbox.confine(argv, scope, cwd);
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    throw new OllmError('SANDBOX_REQUIRED', `The agent cannot be confined. ${error.message}`, {
      hint: 'Have it work in another directory.',
      cause: error,
    });
  }
}

async function scopeOfRun(app: App, { profile, installed, workspace }: ConfinedAgent): Promise<SandboxScope> {
  const { fileSystem, paths } = app;
  const { surroundings } = foreignPorts(app);
  const { state, settings } = ownFilesOf(profile.name, surroundings);
  // Where it was never started, it would make them itself.
  for (const directory of state.directories) fileSystem.makeDirectory(directory, 0o700);
  const ofTools = scopeFor(app, workspace);
  const inside = await closedInside(app, workspace);
  const isThere = (path: string) => fileSystem.stat(path) !== undefined;
  const programs = [installed.path, ...Object.values(installed.env)];
  const program = [...programs, ...programs.flatMap((path) => realPathOf(fileSystem, path) ?? [])];
  return {
    ...ofTools,
    network: true,
    writable: [...ofTools.writable, ...state.directories, ...state.files],
    // A program may be in a place that others write, of which the sandbox shows nothing.
    readable: [...(ofTools.readable ?? []), ...program.map((path) => dirname(path))],
    protected: [
      ...ofTools.protected,
      ...inside.protected,
      ...settings,
      ...projectSettings(workspace).filter((path) => path.endsWith('/') || isThere(path)),
    ],
    hidden: [...ofTools.hidden, ...inside.hidden, ...filesOfOthers(profile, surroundings)],
    shown: [join(paths.home, agentsFolder), ...program],
  };
}

/** The state of the other agents, and not what this one shares with them. */
function filesOfOthers({ name }: AgentProfile, surroundings: Surroundings): readonly string[] {
  const all = (agent: AgentProfile['name']) => {
    const { directories, files } = ownFilesOf(agent, surroundings).state;
    return [...directories, ...files];
  };
  const own = all(name);
  return RUN_AGENTS.filter((agent) => agent !== name)
    .flatMap(all)
    .filter((path) => !own.includes(path));
}
