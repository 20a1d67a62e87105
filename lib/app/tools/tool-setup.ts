// The parts that the tools of a conversation need: the built-in ones, the policy with the grants, the boundary of
// programs. Loads each part when it is needed, and keeps it as long as the conversation, so that grants hold from turn
// to turn.
import { once } from '../../platform/once.ts';
import { subagentId } from '../../session/subagent-id.ts';
import { WEB_FETCH } from '../../tools/builtin/names.ts';
import type { BuiltinToolPorts } from '../../tools/builtin/ports.ts';
import type { Policy } from '../../tools/decision.ts';
import { ToolFailure } from '../../tools/tool.ts';
import type { App } from '../app.ts';
import type { Conversation, ToolSetup } from '../conversation.ts';
import { mayRead } from '../policy/may-read.ts';
import { toolProgramsFor } from '../policy/tool-sandbox.ts';
import { discoverySettings } from '../repository/discovery-settings.ts';
import { whyNoProject } from '../start/no-project.ts';
import { historyPort } from './history-port.ts';
import { recallPort } from './recall-port.ts';
import { skillPort } from './skill-port.ts';

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

async function createToolSetup(app: App, conversation: Conversation): Promise<ToolSetup> {
  const { ephemeral, store, session, state } = conversation;
  const [{ createBuiltinTools }, { projectPolicy, pathReader }, programs, { openGrants }] = await Promise.all([
    import('../../tools/builtin/index.ts'),
    import('../policy/project-policy.ts'),
    toolProgramsFor(app),
    import('../policy/grants-file.ts'),
  ]);
  const { config, paths, fileSystem, ids } = app;
  const { tools, retention } = config;
  const realPath = await pathReader(app);
  const grants = openGrants({ ...app, mode: ephemeral ? 'ephemeral' : app.mode });
  const { policy, warnings } = await projectPolicy(app, {
    grants,
    isConfined: programs.isConfined,
    mode: () => state.mode,
    ownPlaces: programs.ownPlaces,
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
    skills: skillPort(app, conversation, policy),
    mayRead: (path) => mayRead(policy, path),
    agents: {
      newId: () => subagentId(session.id, ids.uuid().slice(0, 8)),
      run: async (task) => {
        if (state.runAgent === undefined) throw new ToolFailure('No agent can begin here.');
        return state.runAgent(task);
      },
    },
    web: { ...tools.web, mayFetch: (host) => mayFetch(policy, host) },
  };
  return {
    turn: {
      policy,
      disabled: tools.disabled,
      place: { root: realPath(paths.project), cwd: realPath(app.cwd) },
      boundary: programs.boundary,
      runProgram: programs.run,
      timeoutMs,
      maxOutputTokens,
      keepsOutputs: retention.storeToolOutputs,
    },
    builtin: createBuiltinTools(ports),
    grants,
    warnings: [...warnings, grants.problem?.(), noProjectWarning(app)].filter((warning) => warning !== undefined),
  };
}

function noProjectWarning(app: App): string | undefined {
  const why = whyNoProject(app, app.paths.project);
  return why && `${app.paths.project} is ${why}, not a project: tools ask before they use its files.`;
}

function mayFetch(policy: Policy, host: string): boolean {
  const action = { tool: WEB_FETCH, summary: '', isReadOnly: true, accesses: [], web: { host } } as const;
  return policy.decide(action).kind === 'allow';
}

/** What finds files is loaded, and git is asked, when a tool first looks for some. */
function discoveryOf(app: App): BuiltinToolPorts['discovery'] {
  return once(async () => {
    const [{ discover }, settings] = await Promise.all([import('../../discovery/walk.ts'), discoverySettings(app)]);
    return (options: Parameters<typeof discover>[0]) => discover({ ...settings, ...options });
  });
}
