// Sends one request to the model: assembles the view, sends it, and retries if that may help; collects the answer as it
// arrives, and ends it when it begins to repeat itself.
import { hash } from 'node:crypto';
import {
  defer,
  filter,
  finalize,
  identity,
  lastValueFrom,
  type MonoTypeOperatorFunction,
  map,
  takeUntil,
  takeWhile,
  tap,
} from 'rxjs';
import { assemble } from '../../context/assemble.ts';
import type { Assembled, SafeRequest } from '../../context/assembled.ts';
import { SKILLS_KEY, SKILLS_TOOL } from '../../context/entries.ts';
import { ChantDetector } from '../../loop-detection/chant.ts';
import type { ContextEntry } from '../../projections/context.ts';
import { tokenFactor } from '../../projections/token-factors.ts';
import type { ViewState } from '../../projections/view.ts';
import type { ToolDefinition } from '../../providers/provider.ts';
import type { HistoryForm } from '../../providers/refused-history.ts';
import type { Session } from '../../session/session.ts';
import { aborted$ } from '../aborted.ts';
import type { TurnSignal } from '../signals.ts';
import type { Turn } from '../turn.ts';
import { callNaming } from './call-ids.ts';
import { type OfferedTools, offeredTools } from './offered-tools.ts';
import { answerSignals } from './provider-signals.ts';
import type { RequestStep } from './record-reply.ts';
import { emptyReply, takeSignal } from './reply.ts';
import { reserveTokens } from './reserve.ts';
import { withRetries } from './retry.ts';
import { createPieceStore } from './store-pieces.ts';

/** Shows the answer as it comes, and collects it in `step`. Ends early where the turn is cancelled. */
export async function request(turn: Turn, step: RequestStep): Promise<void> {
  const { dependencies, cancelled, show } = turn;
  if (cancelled.aborted) return;
  const offered = offeredTools(turn);
  const assembled = assembledFor(turn);
  const asked = requestOf(turn, assembled, offered.definitions);
  step.isSent = true;
  step.requestTokens = assembled.tokens;
  turn.steps += 1;
  if (turn.steps === 1) for (const text of noticesOf(assembled, offered)) show({ type: 'notice', text });
  const answer$ = defer(() => {
    step.reply = emptyReply();
    const named = callNaming(turn);
    const pieces = createPieceStore(turn);
    return answerSignals(dependencies, asked).pipe(
      map((signal) => takeSignal(step.reply, signal, named)),
      tap(() => pieces.grew(step.reply)),
      finalize(pieces.end),
      filter((signal) => signal !== undefined),
      dependencies.stopAtLoop === false ? identity : untilChanting(step),
    );
  });
  const retried = (signal: TurnSignal): void => {
    turn.retries += 1;
    show(signal);
  };
  const shown$ = answer$.pipe(withRetries(dependencies.retries, retried), takeUntil(aborted$(cancelled)), tap(show));
  await lastValueFrom(shown$, { defaultValue: undefined });
}

/** The parts of the turn's next request. */
export function assembledFor(turn: Turn, form: HistoryForm = turn.form): Assembled {
  const { session, dependencies, outputs } = turn;
  const { historyWindow, contextWindow, provider, model } = dependencies;
  const offered = offeredTools(turn);
  return assemble(sentView(session.states.view, offered), {
    contextWindow,
    historyWindow,
    tokenFactor: tokenFactor(session.states.budget, { provider: provider.name, model }),
    reserveTokens: reserveTokens(dependencies),
    toolTokens: offered.tokens,
    outputs,
    form,
  });
}

/** Without the names of skills where the model is not offered the tool that reads them. */
function sentView(view: ViewState, { definitions }: OfferedTools): ViewState {
  if (definitions.some(({ name }) => name === SKILLS_TOOL)) return view;
  const isNames = ({ key, source }: ContextEntry) => key === SKILLS_KEY && source === 'system';
  const entries = view.context.entries.filter((entry) => !isNames(entry));
  const versions = view.shown.versions.filter(({ entry }) => entry === undefined || !isNames(entry));
  return { ...view, context: { ...view.context, entries }, shown: { ...view.shown, versions } };
}

/** Ends the answer when it begins to repeat itself. The loop detection's verdict on the message then ends the turn. */
function untilChanting(step: RequestStep): MonoTypeOperatorFunction<TurnSignal> {
  const detector = new ChantDetector();
  return takeWhile((signal) => {
    if (signal.type === 'delta') step.isChanting = detector.push(signal.content) !== undefined;
    return !step.isChanting;
  }, true);
}

export function requestOf(
  { session, dependencies }: Pick<Turn, 'session' | 'dependencies'>,
  { system, messages, stable }: Pick<Assembled, 'system' | 'messages' | 'stable'>,
  tools: readonly ToolDefinition[],
): SafeRequest {
  const { model, thinking, sampling, contextWindow, maxOutputTokens, store } = dependencies;
  const limits = { contextWindow, maxOutputTokens };
  return {
    model,
    system,
    stable,
    messages,
    tools,
    ...limits,
    thinking,
    sampling,
    cacheKey: cacheKeyOf(session),
    readBlob: store.readBlob,
  };
}

/** The cache key, equal for all requests of a session. A hash, because the id may be a name that the user chose. */
export function cacheKeyOf({ id }: Pick<Session, 'id'>): string {
  return hash('sha256', id, 'hex').slice(0, 32);
}

function noticesOf({ leftOut }: Assembled, { notice }: OfferedTools): string[] {
  const { messages } = leftOut;
  const message = messages === 1 ? 'The oldest message is' : `The ${messages} oldest messages are`;
  return [notice, messages > 0 && `${message} not sent any more: the window of the model is full.`].filter(
    (text) => text !== undefined && text !== false,
  );
}
