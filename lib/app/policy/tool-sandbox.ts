// The boundary around the programs of tools, by the configuration of this run: the paths that they may touch, the
// sandbox, the environment. `tools.sandbox` decides for a machine that cannot confine: with `required` nothing runs;
// with `preferred` programs run unconfined, and the policy asks about each.
import { join } from 'node:path';
import { HIDDEN_AT_HOME, PROTECTED_AT_HOME } from '../../tools/policy/places.ts';
import type { RunProgram } from '../../tools/program.ts';
import type { Sandbox, SandboxFinding, SandboxScope } from '../../tools/sandboxing.ts';
import type { ToolBoundary } from '../../turn/turn-tools.ts';
import type { App } from '../app.ts';
import { homeDirectoryOf } from '../start/home-directory.ts';
import { closedInside, closedPlaces } from './closed-places.ts';
import { hiddenFromGit } from './hidden-from-git.ts';
import { readerView } from './reader-view.ts';
import { toolEnvironment } from './tool-environment.ts';

/** What programs of tools may touch. `project`: absolute. */
export function scopeFor(app: App, project = app.paths.project): SandboxScope {
  const { config, paths } = app;
  const home = homeDirectoryOf(app);
  const closed = closedPlaces(app);
  const writable = [project, ...config.tools.writable];
  return {
    writable,
    readable: config.tools.readable,
    protected: [
      // The slash marks them as directories, in case they do not exist.
      ...writable.flatMap((root) => [join(root, '.git/'), join(root, '.ollm/')]),
      ...PROTECTED_AT_HOME.map((name) => join(home, name.includes('/') ? `${name}/` : name)),
      join(paths.home, '/'),
      join(paths.sessions, '/'),
      ...closed.protected,
    ],
    hidden: [...HIDDEN_AT_HOME.map((name) => join(home, name)), ...closed.hidden],
    network: config.tools.network,
  };
}

/** What confines the programs of this run. `words` are for people: the approval prompt, `ollm doctor`. */
type ToolSandbox =
  | { readonly kind: 'confined'; readonly sandbox: Sandbox; readonly words: string }
  /** They run unconfined. */
  | { readonly kind: 'open'; readonly words: string }
  /** They do not run. */
  | { readonly kind: 'refused'; readonly words: string };

/** `find` looks for the sandbox of the machine; a test passes a result of its own. */
export async function sandboxFor(
  { config }: Pick<App, 'config'>,
  find: () => Promise<SandboxFinding> = findOnThisMachine,
): Promise<ToolSandbox> {
  const { sandbox: wanted, network } = config.tools;
  if (wanted === 'off') return { kind: 'open', words: 'not confined: tools.sandbox is off' };
  const found = await find();
  if (found.available)
    return {
      kind: 'confined',
      sandbox: found.sandbox,
      words: [found.sandbox.name, `${network ? 'with' : 'without'} network`, found.sandbox.lacks]
        .filter(Boolean)
        .join(', '),
    };
  if (wanted === 'preferred') return { kind: 'open', words: `not confined: ${found.reason}` };
  return { kind: 'refused', words: `tools.sandbox is required, and there is none: ${found.reason}` };
}

async function findOnThisMachine(): Promise<SandboxFinding> {
  const { findSandbox } = await import('../../tools/sandbox/find-sandbox.ts');
  return findSandbox();
}

/** How the programs of tools are started in this run. */
interface ToolPrograms {
  readonly run: RunProgram;
  /** Whether the operating system confines them; without, the policy lets nothing run unasked. */
  readonly isConfined: boolean;
  /** Private directories of each program: their content is gone with it. */
  readonly ownPlaces: readonly string[];
  readonly boundary: ToolBoundary;
}

/**
 * Loads what starts programs, so make it when there are tools.
 *
 * @example
 * const programs = await toolProgramsFor(app);
 * await programs.run({ argv: ['git', 'status'], cwd: app.paths.project }, { signal });
 */
export async function toolProgramsFor(app: App, find?: () => Promise<SandboxFinding>): Promise<ToolPrograms> {
  const [{ kind, words, ...found }, { createRunProgram }, { ToolFailure }] = await Promise.all([
    sandboxFor(app, find),
    import('../../tools/run-program.ts'),
    import('../../tools/tool.ts'),
  ]);
  const { variables, removed } = toolEnvironment(app);
  const sandbox = 'sandbox' in found ? found.sandbox : undefined;
  const { timeoutSeconds, maxOutputBytes, network } = app.config.tools;
  const scope = scopeFor(app);
  const run = createRunProgram({
    env: variables,
    scope,
    closedInside: () => closedInside(app),
    forReaders: (cwd, { path }) => readerView(app, { cwd, path, hidden: scope.hidden }),
    forWriters: (cwd, hidden) => hiddenFromGit(app, { cwd, hidden, variables }),
    sandbox,
    limits: { timeoutMs: timeoutSeconds * 1000, maxOutputBytes },
    clock: app.clock,
    ids: app.ids,
  });
  return {
    run: kind === 'refused' ? () => Promise.reject(new ToolFailure(`No program is started: ${words}`)) : run,
    isConfined: sandbox !== undefined,
    ownPlaces: sandbox?.ownPlaces ?? [],
    boundary: {
      sandbox: sandbox?.name ?? 'none',
      words,
      network: sandbox === undefined || network,
      envRemoved: removed,
      environment: Object.keys(variables),
    },
  };
}
