// The parts that the tools of a conversation need: the built-in ones, the policy with the grants, the boundary of
// programs. Loads none of it before it is needed; what is made is kept as long as the conversation, so that grants hold
// from turn to turn.
import type { BuiltinToolPorts } from '../../tools/builtin/ports.ts';
import type { Policy } from '../../tools/decision.ts';
import type { App } from '../app.ts';
import type { Conversation, ToolSetup } from '../conversation.ts';
import { discoverySettings } from '../discovery-settings.ts';
import { gitMayStart } from '../git-state.ts';
import { homeDirectoryOf } from '../home-directory.ts';
import { historyPort } from './history-port.ts';
import { recallPort } from './recall-port.ts';
import { toolProgramsFor } from './tool-sandbox.ts';

/** The setup of this conversation; made at the first call. */
export function toolSetupOf(app: App, conversation: Conversation): Promise<ToolSetup> {
  const { state } = conversation;
  if (state.toolSetup === undefined) {
    state.toolSetup = createToolSetup(app, conversation);
    state.toolSetup.catch(() => {
      state.toolSetup = undefined;
    });
  }
  return state.toolSetup;
}

async function createToolSetup(app: App, { ephemeral, store, session, state }: Conversation): Promise<ToolSetup> {
  const [{ createBuiltinTools }, { createPolicy }, programs, { openGrants }, { closedPlaces }] = await Promise.all([
    import('../../tools/builtin/index.ts'),
    import('../../tools/policy/index.ts'),
    toolProgramsFor(app),
    import('./grants-file.ts'),
    import('./closed-places.ts'),
  ]);
  const { config, paths, fileSystem, ids } = app;
  const { tools, retention } = config;
  const root = await realPathOf(app, paths.project);
  const grants = openGrants({ ...app, mode: ephemeral ? 'ephemeral' : app.mode });
  const closed = closedPlaces(app);
  const { policy, warnings } = await createPolicy({
    settings: { ...tools, hidden: closed.hidden },
    root,
    home: paths.home,
    homeDirectory: homeDirectoryOf(app),
    protectedPaths: closed.protected,
    grants,
    isConfined: programs.isConfined,
    mode: () => state.mode,
    ownPlaces: programs.ownPlaces,
    realPath: await pathReader(app),
    gitMayStart: () => gitMayStart(fileSystem, root),
    isFile: (path) => isFile(app, path),
  });
  const timeoutMs = tools.timeoutSeconds * 1000;
  const { maxOutputTokens, maxOutputBytes } = tools;
  const ports: BuiltinToolPorts = {
    fileSystem,
    ids,
    discovery: discoveryOf(app),
    maxOutputTokens,
    timeoutMs,
    maxOutputBytes,
    history: historyPort(store, session.id),
    recall: await recallPort(app, { session, policy }),
    mayRead: (path) => mayRead(policy, path),
  };
  return {
    turn: {
      policy,
      disabled: tools.disabled,
      place: { root, cwd: await realPathOf(app, app.cwd) },
      boundary: programs.boundary,
      runProgram: programs.run,
      timeoutMs,
      maxOutputTokens,
      keepsOutputs: retention.storeToolOutputs,
    },
    builtin: createBuiltinTools(ports),
    grants,
    warnings: [...warnings, grants.problem?.()].filter((warning) => warning !== undefined),
  };
}

function mayRead(policy: Policy, path: string) {
  const accesses = [{ kind: 'read', path }] as const;
  return policy.decide({ tool: 'file_read', summary: '', isReadOnly: true, accesses }).kind;
}

/** As far as it exists, with its links followed. What cannot be followed stays as it is written. */
async function pathReader({ fileSystem }: App): Promise<(path: string) => string> {
  const { resolvePath } = await import('../../tools/paths.ts');
  return (path) => {
    try {
      return resolvePath(fileSystem, path, { root: '/', cwd: '/' }).path;
    } catch {
      return path;
    }
  };
}

/** What cannot be looked at counts as a file: then a name that may be that of a key is hidden. */
function isFile({ fileSystem }: App, path: string): boolean {
  try {
    return fileSystem.stat(path)?.kind === 'file';
  } catch {
    return true;
  }
}

async function realPathOf(app: App, path: string): Promise<string> {
  return (await pathReader(app))(path);
}

/** What finds files is loaded, and git is asked, when a tool first looks for some. */
function discoveryOf(app: App): BuiltinToolPorts['discovery'] {
  const load = async () => {
    const [{ discover }, settings] = await Promise.all([import('../../discovery/walk.ts'), discoverySettings(app)]);
    return (options: Parameters<typeof discover>[0]) => discover({ ...settings, ...options });
  };
  let loaded: ReturnType<typeof load> | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
}
