// Providers of answers in a session that is started here: ollm itself, with the models of all its own providers, and
// other agents (runs.ts).
import { setImmediate as breathe } from 'node:timers/promises';
import { parseAddress } from '../agents/address.ts';
import type { PROVIDER_ROUTES } from '../api/providers.ts';
import type { AnswerOf } from '../api/route.ts';
import type { RouteNamed } from '../api/routes.ts';
import type { App } from '../app/app.ts';
import { exactSession } from '../app/find/exact-session.ts';
import type { FoundConversation } from '../app/find/found.ts';
import { setPrice, withPrice } from '../app/providers/set-price.ts';
import { storeKey } from '../app/providers/store-key.ts';
import { OWN_AGENT } from '../catalog/catalog.ts';
import { isOllmError } from '../errors/index.ts';
import type { Accepted } from '../host/port/prompts.ts';
import { withMessages } from '../host/reading/snapshot-answer.ts';
import { realPathOf } from '../platform/files/io.ts';
import type { Provider } from '../providers/provider.ts';
import type { ThinkingMode } from '../providers/thinking.ts';
import { RUN_AGENTS } from '../runs/profiles.ts';
import type { Handlers, NamesOf, ServerContext } from './context.ts';
import { ApiFailure } from './failure.ts';
import { addressOf, agentModels, agentProviders, isRunAgent, resumeRun, runSnapshots, startRun } from './runs.ts';
import { streamedList } from './stream.ts';
import { directoryOf, ownId, promptOf } from './turns.ts';

const CAPABILITIES = {
  supportsRuntimePermissionRequests: true,
  supportsThinkingModeControl: true,
  supportsModelSwitching: true,
  supportsSessionResume: true,
  supportsSessionStop: true,
} as const;

/** How long a provider may take to list its models. */
const LIST_MS = 5_000;

export const providerHandlers: Handlers<NamesOf<typeof PROVIDER_ROUTES>> = {
  async listProviders({ context }) {
    const own = { id: OWN_AGENT, family: 'sdk', capabilities: CAPABILITIES } as const;
    return { providers: [own, ...agentProviders(context)] };
  },

  async listModels({ parameters, context: { app }, signal }) {
    if (isAgent(parameters.provider)) return agentModels(app, parameters.provider);
    const lists = await Promise.all(app.providers.names.map((name) => modelsOf(app, name, signal)));
    return {
      models: lists.flatMap(({ models }) => models),
      unreachable: lists.flatMap(({ unreachable }) => unreachable),
    };
  },

  async setKey({ body: { answerer, key }, context: { app } }) {
    return { answerer, ...(await storeKey(app, answerer, key)) };
  },

  async setPrice({ body: { model, ...price }, context: { app, host } }) {
    const { file } = await setPrice(app, model, price);
    host.changeConfig((config) => withPrice(config, model, price));
    return { model, file };
  },

  async listSnapshots({ parameters, context, signal, request }) {
    if (isAgent(parameters.provider)) return runSnapshots(context, parameters.provider);
    const { sessions } = context.host;
    const asked = await Promise.all(sessions.lately().map((id) => sessions.snapshotOf(id)));
    const pieces = context.work.stream('snapshots', asked, { signal });
    return streamedList('sessions', pieces, { isHead: request.method === 'HEAD' });
  },

  async getSnapshot({ parameters, context, signal }) {
    const { provider, id } = parameters;
    if (isAgent(provider)) return withMessages(await context.host.runs.snapshot(addressOf(provider, id)));
    const asked = await context.host.sessions.snapshotOf(await ownId(context, parameters.id));
    return context.work.run('snapshot', asked, { signal });
  },

  async startWith({ parameters, query, body, context, signal, by }) {
    if (isAgent(parameters.provider)) {
      return startRun(context, { agent: parameters.provider, body, by, isAwaited: query.wait === '1', signal });
    }
    const { sessions } = context.host;
    const { workspacePath: workspace, name, sessionId } = body;
    const address = sessionId === undefined ? undefined : parseAddress(sessionId);
    const isOurs = address === undefined || address.agent === OWN_AGENT;
    // A session of another program continues in a fork.
    const found = isOurs ? undefined : await exactSession(context.app, sessionId!);
    const directory = async () => (found === undefined ? (workspace ?? context.app.cwd) : directoryOf(found));
    const prompt = await promptOf(context, body, by, directory);
    const accepted = await (found === undefined
      ? sessions.start({ ...prompt, workspace, name, id: address?.id ?? sessionId })
      : sessions.prompt(found.id, prompt));
    return snapshotOf(context, accepted, query.wait, signal);
  },

  async resumeWith({ parameters, query, body, context, signal, by }) {
    const { provider: agent, id } = parameters;
    if (isAgent(agent)) {
      return resumeRun(context, { agent, id, body, by, isAwaited: query.wait === '1', signal });
    }
    const found = await exactSession(context.app, parameters.id);
    if (body.workspacePath !== undefined) await requireSameDirectory(context, found, body.workspacePath);
    const prompt = await promptOf(context, body, by, () => directoryOf(found));
    const accepted = await context.host.sessions.prompt(found.id, prompt);
    return snapshotOf(context, accepted, query.wait, signal);
  },

  async stopWith({ parameters: { provider, id }, context }) {
    if (isAgent(provider)) {
      const address = addressOf(provider, id);
      return { provider, sessionId: address, ...(await context.host.runs.stop(address)) };
    }
    const sessionId = await ownId(context, id);
    return { provider, sessionId, ...(await context.host.sessions.stop(sessionId)) };
  },

  async setModel({ parameters: { provider, id }, body, context }) {
    const isOfAgent = isAgent(provider);
    if (!body.model) throw new ApiFailure('MODEL_REQUIRED', 'Name a model.');
    if (isOfAgent) {
      const address = addressOf(provider, id);
      await context.host.runs.change(address, { model: body.model });
      return { provider, sessionId: address, model: body.model, answerer: provider };
    }
    const sessionId = await ownId(context, id);
    const set = await context.host.sessions.setModel(sessionId, body.model, body.answerer);
    return { provider, sessionId, model: set.model, answerer: set.provider };
  },

  async setThinking({ parameters: { provider, id }, body: { thinkingMode }, context }) {
    const isOfAgent = isAgent(provider);
    if (!thinkingMode) throw new ApiFailure('THINKING_MODE_REQUIRED', 'Name a mode of thinking.');
    if (isOfAgent) {
      const address = addressOf(provider, id);
      await context.host.runs.change(address, { thinking: thinkingMode });
      return { provider, sessionId: address, thinkingMode };
    }
    const sessionId = await ownId(context, id);
    await context.host.sessions.setThinking(sessionId, thinkingMode as ThinkingMode);
    return { provider, sessionId, thinkingMode };
  },
};

/** Whether another program answers; else ollm itself does. @throws ApiFailure UNSUPPORTED_PROVIDER */
function isAgent(provider: string): boolean {
  if (isRunAgent(provider)) return true;
  if (provider === OWN_AGENT) return false;
  throw new ApiFailure('UNSUPPORTED_PROVIDER', `“${provider}” cannot answer here.`, {
    providers: [OWN_AGENT, ...RUN_AGENTS],
  });
}

/** @throws ApiFailure INVALID_REQUEST_BODY */
async function requireSameDirectory(
  { app: { fileSystem } }: ServerContext,
  found: FoundConversation,
  path: string,
): Promise<void> {
  const directory = await directoryOf(found);
  if (directory === undefined || path === directory) return;
  if (realPathOf(fileSystem, path) === realPathOf(fileSystem, directory)) return;
  throw new ApiFailure('INVALID_REQUEST_BODY', 'A session goes on in the directory that it was begun in.', {
    workspacePath: directory,
  });
}

async function snapshotOf(
  { host }: ServerContext,
  accepted: Accepted,
  wait: '0' | '1' | undefined,
  signal: AbortSignal,
) {
  const { sessions } = host;
  return withMessages(
    wait === '1' ? await sessions.wait(accepted.sessionId, { signal }) : await sessions.snapshotAt(accepted),
  );
}

async function modelsOf(
  { providers, config }: App,
  answerer: string,
  signal: AbortSignal,
): Promise<AnswerOf<RouteNamed<'listModels'>>> {
  try {
    const provider = await providers.load(answerer);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)]);
    const listed = await provider.models({ signal: limit });
    const models = [];
    for (const { name, contextWindow } of listed) {
      const modes = await modesOf(provider, name, limit);
      models.push({
        value: name,
        displayName: name,
        answerer,
        ...(config.provider === answerer && config.model === name && { default: true }),
        ...(contextWindow !== undefined && { contextWindow }),
        ...(modes !== undefined && { supportsThinkingModes: modes.length > 0, supportedThinkingModes: modes }),
      });
      // With hundreds of models, each takes a moment of this thread.
      await breathe();
    }
    return { models, unreachable: [] };
  } catch (error) {
    if (signal.aborted) throw error;
    const code = isOllmError(error) ? error.code : 'PROVIDER_TIMEOUT';
    const message = isOllmError(error) ? error.message : 'The provider did not list its models in time.';
    return { models: [], unreachable: [{ answerer, code, message }] };
  }
}

/** Undefined where the provider does not say in time. */
async function modesOf(provider: Provider, model: string, signal: AbortSignal) {
  if (signal.aborted) return undefined;
  return provider.thinkingModes?.(model, { signal }).catch(() => undefined);
}
