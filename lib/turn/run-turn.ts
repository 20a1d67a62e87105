// One turn: the user's text is stored, the view goes to the model, what it answers streams by and is stored whole, the
// tools that it asks for run, and the model is asked again until it is done. A turn that was started is always ended,
// whatever happens to the provider, the tools, the disk or the listener.
import { catchError, concat, concatMap, defer, EMPTY, lastValueFrom, Observable, takeUntil, tap } from 'rxjs';
import { DEFAULT_LOOP_CONFIG, type LoopVerdict } from '../projections/loop.ts';
import type { Session } from '../session/session.ts';
import { aborted$ } from './aborted.ts';
import { beginTurn, type TurnInput } from './begin-turn.ts';
import { compactWhenDue$ } from './compaction/compact-when-due.ts';
import { withRoom$ } from './compaction/make-room.ts';
import { decide, type NextStep, type StepOutcome, stoppedBy } from './decide.ts';
import { end$, giveUp$ } from './end-turn.ts';
import { hooksBefore$ } from './hooks-before-turn.ts';
import { incompleteness } from './incomplete.ts';
import { type RecordOptions, recordReply, type Step } from './request/record-reply.ts';
import { emptyReply, requireFinish } from './request/reply.ts';
import type { TurnSignal } from './signals.ts';
import { toolRound$ } from './tools/tool-round.ts';
import { newTurn, type Turn, type TurnDependencies, turnError } from './turn.ts';

export type { TurnInput } from './begin-turn.ts';
export type { AskToGoOn, TurnDependencies } from './turn.ts';

/** How a turn is run. */
export interface TurnOptions {
  /** Cancels the turn: what had arrived is stored, then comes `cancelled`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The signals of one turn, which runs once for each subscription, after the turns of the session that were started
 * before. Never errors: what goes wrong is the signal `error`. Ends with one of `done`, `error`, `cancelled`, each sent
 * when the journal has it. Unsubscribing cancels; the end is then recorded in the background, and `session.close`
 * waits.
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
    const turn = newTurn({ session, dependencies, cancelled, startedMs });
    return concat(
      hooksBefore$(turn, input),
      defer(() => beginTurn(turn, input)),
      defer(() => step$(turn)),
    ).pipe(catchError((error: unknown) => giveUp$(turn, error)));
  });
}

/** One request to the model, what follows from it, and further ones where it asks for tools. */
function step$(turn: Turn): Observable<TurnSignal> {
  const step: Step = { reply: emptyReply(), isSent: false, requestTokens: 0, isChanting: false };
  let outcome: StepOutcome = { kind: 'cancelled' };
  const answer$ = concat(
    compactWhenDue$(turn),
    withRoom$(turn, step),
    defer(() => {
      if (!step.isChanting) requireFinish(step.reply);
      const calls = step.isChanting ? 0 : step.reply.calls.length;
      turn.incomplete = incompleteness(turn, step.reply);
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
    defer(() => carryOut$(turn, next(turn, settled(turn, outcome)))),
  );
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

/** Tools that ran until the user stopped them are followed by no further request. */
function settled({ cancelled }: Turn, outcome: StepOutcome): StepOutcome {
  return outcome.kind === 'asked-for-tools' && cancelled.aborted ? { kind: 'cancelled' } : outcome;
}

function next(turn: Turn, outcome: StepOutcome): NextStep {
  const { steps, stepsAllowed, dependencies } = turn;
  const canAsk = dependencies.askToGoOn !== undefined;
  const { maxSteps = canAsk ? DEFAULT_LOOP_CONFIG.maxTurns : Number.POSITIVE_INFINITY } = dependencies;
  return decide(outcome, { steps: steps - stepsAllowed, maxSteps, canAsk, loop: loopOf(turn) });
}

/** The repetition that the loop detection sees in the session now. The number of requests is limited by `maxSteps`. */
function loopOf({ session, dependencies }: Turn): LoopVerdict | undefined {
  const { verdict } = session.states.loop;
  return dependencies.stopAtLoop === false || verdict?.pattern === 'turn-limit' ? undefined : verdict;
}

function carryOut$(turn: Turn, next: NextStep): Observable<TurnSignal> {
  switch (next.kind) {
    case 'go-on':
      return step$(turn);
    case 'ask':
      return defer(() => letGoOn(turn, next.limit)).pipe(concatMap((answer) => carryOut$(turn, answer)));
    case 'end':
      return end$(turn, next);
  }
}

/** What the user decides on a turn of many requests. A yes is stored: from it on, requests are counted again. */
async function letGoOn(turn: Turn, limit: LoopVerdict): Promise<NextStep> {
  const { session, dependencies, number, cancelled } = turn;
  const asking = dependencies.askToGoOn?.(limit.count, cancelled) ?? Promise.resolve(false);
  const goesOn = await asking.catch((error: unknown) => {
    if (cancelled.aborted) return false;
    throw error;
  });
  if (cancelled.aborted) return { kind: 'end', status: 'cancelled' };
  if (!goesOn) return stoppedBy(limit);
  await session.append({ type: 'loop.detected', turn: number, data: { ...limit, action: 'ask' } });
  turn.stepsAllowed = turn.steps;
  return { kind: 'go-on' };
}
