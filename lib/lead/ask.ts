// A turn of a conversation: the user's text in, signals out, and the facts in the journal.
import { concat, concatMap, defer, EMPTY, from, type Observable, of } from 'rxjs';
import type { App } from '../app/app.ts';
import { renewedContext } from '../app/context/renewed-context.ts';
import type { Conversation, ConversationState } from '../app/conversation.ts';
import { offeredModel } from '../app/providers/choose-provider.ts';
import { timeoutSecondsOf } from '../app/providers/provider-loaders.ts';
import { unsentNotice } from '../app/providers/sampling.ts';
import { compactionSettings, summarizerOf } from '../app/sessions/change/compact-conversation.ts';
import { spaceForTurn } from '../app/sessions/open/session-place.ts';
import { settingNow } from '../app/start/change-setting.ts';
import { mcpNotices, mcpTools } from '../app/tools/mcp.ts';
import { toolboxFor, toolWarnings } from '../app/tools/toolbox.ts';
import { turnRetrieval } from '../app/turn/retrieve-for-turn.ts';
import { turnBasis } from '../app/turn/turn-basis.ts';
import { checkArguments } from '../errors/arguments.ts';
import { isOllmError, type OllmError } from '../errors/index.ts';
import { untilAborted } from '../platform/waiting.ts';
import { type AskToGoOn, runTurn, type TurnDependencies, type TurnInput } from '../turn/run-turn.ts';
import type { TurnSignal } from '../turn/signals.ts';
import type { AskOptions } from './types.ts';
import { withSpans } from './with-spans.ts';

/** Providers watch the silence themselves and say more about it; this is for one that does not. */
const SILENCE_GRACE_MS = 5_000;
/** How long a turn waits for MCP servers that are still starting. */
const SERVER_WAIT_MS = 3_000;

/**
 * The signals of one turn, cold: it runs when subscribed to, once. The stream never errors: what goes wrong arrives as
 * the signal `error`, after it is stored. It ends with exactly one of `done`, `error`, `cancelled`. Unsubscribing
 * cancels as well; the session records it in the background and `session.close` waits for that.
 * The stored events of the turn come by `conversation.session.writer.subscribe`.
 *
 * @example
 * ask(app, conversation, { text: 'What is a journal?' }).subscribe((signal) => {
 *   if (signal.type === 'delta') process.stdout.write(signal.content);
 * });
 */
export function ask(
  app: App,
  conversation: Conversation,
  input: TurnInput,
  options: AskOptions = {},
): Observable<TurnSignal> {
  const table = { app: 'App', conversation: 'Conversation', input: 'object', options: 'object' } as const;
  checkArguments('ask', table, [app, conversation, input, options]);
  return defer(() => {
    const { refusal, notice } = conversation.ephemeral ? {} : spaceForTurn(app);
    if (refusal) return of<TurnSignal>({ type: 'error', error: refusal });
    return concat(
      noticeOnce(conversation.state, notice),
      offerOfModel(app, conversation, options),
      turn(app, conversation, input, options),
    );
  });
}

function turn(app: App, conversation: Conversation, input: TurnInput, options: AskOptions): Observable<TurnSignal> {
  return defer(() => dependenciesOrError(app, conversation, options)).pipe(
    concatMap((dependencies) =>
      isOllmError(dependencies)
        ? of<TurnSignal>({ type: 'error', error: dependencies })
        : concat(
            defer(() => noticesOfTools(app, conversation)).pipe(concatMap((texts) => from(texts.map(noticeOf)))),
            withSpans(app, conversation, runTurn(conversation.session, input, dependencies, options)),
            defer(() => saveWhenIdle(app, conversation)),
          ),
    ),
  );
}

/** Faults in the rules are reported with the first turn, faults of servers when they happen. */
async function noticesOfTools(app: App, conversation: Conversation): Promise<readonly string[]> {
  const unsent = await unsentNotice(app, conversation);
  const servers = [...(unsent === undefined ? [] : [unsent]), ...(await mcpNotices(app))];
  const { state } = conversation;
  if (state.hasSeenRuleProblems) return servers;
  state.hasSeenRuleProblems = true;
  return [...(await toolWarnings(app, conversation)), ...servers];
}

/** What a turn runs on, or the error where the caller named a tool that does not exist. */
async function dependenciesOrError(
  app: App,
  conversation: Conversation,
  options: AskOptions,
): Promise<TurnDependencies | OllmError> {
  try {
    return await turnDependencies(app, conversation, options);
  } catch (error) {
    if (isOllmError(error)) return error;
    throw error;
  }
}

function noticeOnce(state: ConversationState, text: string | undefined): Observable<TurnSignal> {
  if (text === undefined || state.hasSeenSpaceNotice) return EMPTY;
  state.hasSeenSpaceNotice = true;
  return of(noticeOf(text));
}

/** A model that appeared after the search began to answer in its place. */
function offerOfModel(app: App, { choice, state }: Conversation, { signal }: AskOptions): Observable<TurnSignal> {
  if (choice.isStandIn !== true || state.hasSeenModelOffer) return EMPTY;
  return defer(() => offeredModel(app, { signal })).pipe(
    concatMap((text) => {
      state.hasSeenModelOffer = text !== undefined;
      return text === undefined ? EMPTY : of(noticeOf(text));
    }),
  );
}

function noticeOf(text: string): TurnSignal {
  return { type: 'notice', text };
}

async function turnDependencies(
  app: App,
  conversation: Conversation,
  { approver, askToGoOn, steer, tools: only, isGuest, signal }: AskOptions,
): Promise<TurnDependencies> {
  const { provider } = conversation.choice;
  const { config } = app;
  const { loopDetection, budget } = config.services;
  // A user continues without a slow server; a script gets exactly its configuration.
  if (config.tools.enabled && only?.length !== 0) {
    const starting = mcpTools(app, approver === undefined ? {} : { waitMs: SERVER_WAIT_MS });
    await (signal === undefined ? starting : untilAborted(starting, signal));
  }
  const tools = await toolboxFor(app, conversation, { approver, only, isGuest });
  const dependencies: TurnDependencies = {
    ...(await turnBasis(app, conversation)),
    maxOutputTokens: config.maxOutputTokens,
    reserveForOutput: budget.reserveForOutput,
    historyWindow: budget.historyWindow,
    retrieval: config.retrieval.enabled && !isGuest ? await turnRetrieval(app, conversation) : undefined,
    retrievalBudget: budget.retrievalBudget,
    tools,
    compaction: compactionSettings(app, provider),
    summarizer: summarizerOf(app, conversation),
    stopAtLoop: loopDetection.enabled,
    maxSteps: hasStepLimit(app, askToGoOn) ? loopDetection.maxTurns : Number.POSITIVE_INFINITY,
    askToGoOn,
    steer,
    renewedContext: (entries, stopped) => renewedContext(app, entries, stopped),
    silenceTimeoutMs: timeoutSecondsOf(app.config, provider.name) * 1000 + SILENCE_GRACE_MS,
  };
  conversation.state.runAgent =
    tools &&
    (async (task) => {
      const { runSubagent } = await import('./subagent.ts');
      return runSubagent(app, conversation, { ...dependencies, tools }, task);
    });
  return dependencies;
}

/** Where the user cannot be asked, the default does not stop long work; a limit that was set by hand does. */
function hasStepLimit(app: App, askToGoOn: AskToGoOn | undefined): boolean {
  const { enabled } = app.config.services.loopDetection;
  return (
    enabled && (askToGoOn !== undefined || settingNow(app, 'services.loopDetection.maxTurns').source !== 'default')
  );
}

function saveWhenIdle(app: App, { session, ephemeral }: Conversation): Observable<never> {
  if (!ephemeral && app.config.services.session.autoSave) void session.save();
  return EMPTY;
}
