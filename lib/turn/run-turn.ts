// One turn: the user's text is stored, the view goes to the model, what it answers streams by and is stored whole, the tools
// that it asks for run, and the model is asked again until it is done.
// A turn that was started is always ended, whatever happens to the provider, the tools, the disk or the listener.
import {
  catchError,
  concat,
  concatMap,
  defer,
  EMPTY,
  filter,
  from,
  identity,
  lastValueFrom,
  type MonoTypeOperatorFunction,
  map,
  Observable,
  of,
  takeUntil,
  takeWhile,
  tap,
} from 'rxjs';
import { assemble } from '../context/assemble.ts';
import type { Assembled } from '../context/assembled.ts';
import { OllmError } from '../errors/index.ts';
import type { EventData, NewOllmEvent } from '../events/index.ts';
import { createChantDetector } from '../loop-detection/chant.ts';
import type { LoopVerdict } from '../projections/loop.ts';
import type { ModelRequest, ToolDefinition } from '../providers/provider.ts';
import type { Session } from '../session/session.ts';
import { aborted$ } from './aborted.ts';
import { beginTurn, type TurnInput } from './begin-turn.ts';
import { callNaming } from './call-ids.ts';
import { compactWhenDue$ } from './compact-when-due.ts';
import { decide, type NextStep, type StepOutcome } from './decide.ts';
import { hooksBefore$ } from './hooks-before-turn.ts';
import { offeredTools } from './offered-tools.ts';
import { answerSignals } from './provider-signals.ts';
import { type RecordOptions, recordReply, type Step } from './record-reply.ts';
import { emptyReply, requireFinish, takeSignal } from './reply.ts';
import { hashRequest } from './request-hash.ts';
import { reserveTokens } from './reserve.ts';
import { withRetries } from './retry.ts';
import type { TurnSignal } from './signals.ts';
import { toolRound$ } from './tool-round.ts';
import { type Turn, type TurnDependencies, turnError } from './turn.ts';

export type { TurnInput } from './begin-turn.ts';
export type { TurnDependencies } from './turn.ts';

const DEFAULT_MAX_STEPS = 25;

/** How a turn is run. */
export interface TurnOptions {
  /** Cancels the turn: what had arrived is stored, then comes `cancelled`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The signals of one turn, which runs once for each subscription, after the turns of the session that were started
 * before. Never errors: what goes wrong is the signal `error`. Ends with one of `done`, `error`, `cancelled`, each sent
 * when the journal has it. Unsubscribing cancels; the end is then recorded in the background, and `session.close` waits.
 *
 * @example
 * runTurn(session, { text: 'What is a journal?' }, dependencies).subscribe((signal) => {
 *   if (signal.type === 'delta') process.stdout.write(signal.content);
 * });
 */
export function runTurn(
  session: Session,
  input: TurnInput,
  dependencies: TurnDependencies,
  { signal }: TurnOptions = {},
): Observable<TurnSignal> {
  return new Observable((subscriber) => {
    const unsubscribed = new AbortController();
    const cancelled = signal ? AbortSignal.any([signal, unsubscribed.signal]) : unsubscribed.signal;
    const signals$ = turn$(session, input, dependencies, cancelled).pipe(tap((item) => subscriber.next(item)));
    session
      .exclusively(() => lastValueFrom(signals$, { defaultValue: undefined }))
      .then(
        () => subscriber.complete(),
        (error: unknown) => subscriber.error(error),
      );
    return () => unsubscribed.abort();
  });
}

function turn$(
  session: Session,
  input: TurnInput,
  dependencies: TurnDependencies,
  cancelled: AbortSignal,
): Observable<TurnSignal> {
  return defer(() => {
    const startedMs = dependencies.clock.monotonic();
    const progress = { number: 0, startedMs, steps: 0, usage: undefined, outputs: new Map<number, string>() };
    const turn: Turn = { session, dependencies, cancelled, ...progress };
    return concat(
      hooksBefore$(turn, input),
      defer(() => beginTurn(turn, input)),
      defer(() => step$(turn)),
    ).pipe(catchError((error: unknown) => giveUp$(turn, error)));
  });
}

/** One request to the model, what follows from it, and further ones where it asks for tools. */
function step$(turn: Turn): Observable<TurnSignal> {
  const step: Step = { reply: emptyReply(), requestHash: undefined, requestTokens: 0, isChanting: false };
  let outcome: StepOutcome = { kind: 'cancelled' };
  const answer$ = concat(
    compactWhenDue$(turn),
    request$(turn, step),
    defer(() => {
      if (!step.isChanting) requireFinish(step.reply);
      const calls = step.isChanting ? 0 : step.reply.calls.length;
      outcome = calls > 0 ? { kind: 'asked-for-tools', calls } : { kind: 'answered' };
      return EMPTY;
    }),
  ).pipe(
    takeUntil(aborted$(turn.cancelled)),
    catchError((error: unknown) => {
      outcome = { kind: 'failed', error: turnError(turn, error) };
      return EMPTY;
    }),
  );
  return concat(
    answer$,
    defer(() => recordReply(turn, step, recordingOf(step, outcome))).pipe(
      concatMap((calls) => (calls.length === 0 ? EMPTY : toolRound$(turn, calls, loopOf(turn)?.details))),
    ),
    defer(() => carryOut$(turn, next(turn, turn.cancelled.aborted ? { kind: 'cancelled' } : outcome))),
  );
}

/** The model's answer as it arrives. */
function request$(turn: Turn, step: Step): Observable<TurnSignal> {
  return defer(() => {
    const { session, dependencies } = turn;
    const { historyWindow, contextWindow } = dependencies;
    const offered = offeredTools(turn);
    const assembled = assemble(session.states.view, {
      contextWindow,
      historyWindow,
      reserveTokens: reserveTokens(dependencies),
      toolTokens: offered.tokens,
      outputs: turn.outputs,
    });
    const request = requestOf(turn, assembled, offered.definitions);
    step.requestHash = hashRequest(request);
    step.requestTokens = assembled.tokens;
    turn.steps += 1;
    const answer$ = defer(() => {
      step.reply = emptyReply();
      const named = callNaming(turn);
      return answerSignals(dependencies, request).pipe(
        map((signal) => takeSignal(step.reply, signal, named)),
        filter((signal) => signal !== undefined),
        dependencies.stopAtLoop === false ? identity : untilChanting(step),
      );
    });
    return concat(from(turn.steps === 1 ? noticesOf(assembled) : []), withRetries(answer$, dependencies.retries));
  });
}

/** Ends the answer where it begins to repeat itself. What the loop detection says of the message then ends the turn. */
function untilChanting(step: Step): MonoTypeOperatorFunction<TurnSignal> {
  const detector = createChantDetector();
  return takeWhile((signal) => {
    if (signal.type === 'delta') step.isChanting = detector.push(signal.content) !== undefined;
    return !step.isChanting;
  }, true);
}

function requestOf(
  { session, dependencies }: Turn,
  { system, messages }: Assembled,
  tools: readonly ToolDefinition[],
): ModelRequest {
  const { model, contextWindow, maxOutputTokens, store } = dependencies;
  const limits = { contextWindow, maxOutputTokens };
  return { model, system, messages, tools, ...limits, cacheKey: session.id, readBlob: store.readBlob };
}

function noticesOf({ leftOut }: Assembled): TurnSignal[] {
  if (leftOut.messages === 0) return [];
  const which = leftOut.messages === 1 ? 'The oldest message is' : `The ${leftOut.messages} oldest messages are`;
  return [{ type: 'notice', text: `${which} not sent any more: the window of the model is full.` }];
}

function recordingOf({ reply, isChanting }: Step, outcome: StepOutcome): RecordOptions {
  switch (outcome.kind) {
    case 'answered':
    case 'asked-for-tools':
      return { finish: isChanting ? 'other' : reply.finish, withCalls: !isChanting };
    case 'cancelled':
      return { finish: 'cancelled', withCalls: false };
    case 'failed':
      return { finish: 'failed', withCalls: false };
  }
}

function next(turn: Turn, outcome: StepOutcome): NextStep {
  const { steps, dependencies } = turn;
  return decide(outcome, { steps, maxSteps: dependencies.maxSteps ?? DEFAULT_MAX_STEPS, loop: loopOf(turn) });
}

/** What the loop detection says of the session as it now is. */
function loopOf({ session, dependencies }: Turn): LoopVerdict | undefined {
  return dependencies.stopAtLoop === false ? undefined : session.states.loop.verdict;
}

function carryOut$(turn: Turn, next: NextStep): Observable<TurnSignal> {
  if (next.kind === 'go-on') return step$(turn);
  return defer(async () => {
    await endTurn(turn, next);
    return lastSignal(turn, next);
  });
}

type TurnEnd = Extract<NextStep, { kind: 'end' }>;

async function endTurn({ session, dependencies, number, startedMs, steps }: Turn, end: TurnEnd): Promise<void> {
  const { status, error, loop } = end;
  const data: EventData<'turn.ended'> = {
    status,
    steps,
    durationMs: Math.round(dependencies.clock.monotonic() - startedMs),
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
  };
  const events: NewOllmEvent[] = [
    ...(loop ? [{ type: 'loop.detected', turn: number, data: { ...loop, action: 'stop' } } as const] : []),
    { type: 'turn.ended', turn: number, data },
  ];
  await session.append(events, { durability: 'disk' });
}

function lastSignal({ usage }: Turn, { status, error }: TurnEnd): TurnSignal {
  if (error !== undefined) return { type: 'error', error };
  return status === 'cancelled' ? { type: 'cancelled' } : { type: 'done', usage };
}

/** Something could not be stored, or we are wrong somewhere: said at once, and the turn is ended if that can be stored. */
function giveUp$(turn: Turn, error: unknown): Observable<TurnSignal> {
  const failure = turnError(turn, error instanceof OllmError ? error : internal(error));
  const end$ = defer(async () => {
    if (turn.number === 0 || turn.session.writer.failure) return;
    await endTurn(turn, { kind: 'end', status: 'failed', error: failure });
  }).pipe(
    catchError((again: unknown) => {
      const fields = { service: 'turn', operation: 'end', sessionId: turn.session.id, error: again };
      turn.dependencies.log.error(
        { ...fields, action: 'The next turn, or the next opening, ends it.' },
        'A turn stays open',
      );
      return EMPTY;
    }),
    filter(() => false),
  );
  return concat(of<TurnSignal>({ type: 'error', error: failure }), end$ as Observable<never>);
}

function internal(cause: unknown): OllmError {
  return new OllmError('INTERNAL', `The turn could not go on: ${String(cause)}`, {
    hint: 'This is a fault in ollm. What the session had stored is kept.',
    cause,
  });
}
