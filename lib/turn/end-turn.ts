// The end of a turn: stored first, then emitted.
import { catchError, concat, concatMap, defer, EMPTY, filter, from, type Observable, of } from 'rxjs';
import { OllmError } from '../errors/index.ts';
import type { EventData, NewOllmEvent } from '../events/index.ts';
import type { RetryAdvice } from '../providers/provider.ts';
import type { NextStep } from './decide.ts';
import { INCOMPLETE_NOTICES } from './incomplete.ts';
import type { TurnSignal } from './signals.ts';
import { type Turn, turnError } from './turn.ts';

type TurnEnd = Extract<NextStep, { kind: 'end' }>;

export function end$(turn: Turn, end: TurnEnd): Observable<TurnSignal> {
  return defer(async () => {
    await endTurn(turn, end);
    return lastSignals(turn, end);
  }).pipe(concatMap((signals) => from(signals)));
}

/** An append failed, or ollm has a fault: the error is emitted first, and the turn is ended if that can be stored. */
export function giveUp$(turn: Turn, error: unknown): Observable<TurnSignal> {
  const failure = turnError(turn, error instanceof OllmError ? error : internal(error));
  const stored$ = defer(async () => {
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
  return concat(of<TurnSignal>({ type: 'error', error: failure }), stored$ as Observable<never>);
}

async function endTurn(turn: Turn, end: TurnEnd): Promise<void> {
  const { session, dependencies, number, startedMs, steps, retries, incomplete } = turn;
  const { status, error, loop } = end;
  const durationMs = Math.round(dependencies.clock.monotonic() - startedMs);
  const data: EventData<'turn.ended'> = {
    status,
    steps,
    durationMs,
    ...(error === undefined ? {} : { error: storedError(error) }),
    ...(retries === 0 ? {} : { retries }),
    ...(status === 'completed' && incomplete !== undefined ? { incomplete } : {}),
  };
  const events: NewOllmEvent[] = [
    ...(loop ? [{ type: 'loop.detected', turn: number, data: { ...loop, action: 'stop' } } as const] : []),
    { type: 'turn.ended', turn: number, data },
  ];
  await session.append(events, { durability: 'disk' });
  logEnd(turn, end, durationMs);
}

function logEnd(
  { session, dependencies, number, steps }: Turn,
  { status, error, loop }: TurnEnd,
  durationMs: number,
): void {
  const { log, provider, model } = dependencies;
  const place = { service: 'turn', operation: 'end', sessionId: session.id, turn: number };
  const fields = { ...place, status, provider: provider.name, model, steps, durationMs };
  if (error !== undefined) log.error({ ...fields, error }, 'A turn failed');
  else if (loop !== undefined)
    log.warn({ ...fields, ...loop, action: 'Say what is wanted in other words.' }, 'A loop was stopped');
  else log.debug(fields, 'A turn ended');
}

function storedError({ code, message, data }: OllmError): NonNullable<EventData<'turn.ended'>['error']> {
  const { retryAfterMs } = (data ?? {}) as Partial<RetryAdvice>;
  return { code, message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

function lastSignals({ usage, incomplete }: Turn, { status, error }: TurnEnd): readonly TurnSignal[] {
  if (error !== undefined) return [{ type: 'error', error }];
  if (status === 'cancelled') return [{ type: 'cancelled' }];
  if (incomplete === undefined) return [{ type: 'done', usage }];
  return [
    { type: 'notice', text: INCOMPLETE_NOTICES[incomplete] },
    { type: 'done', usage, incomplete },
  ];
}

function internal(cause: unknown): OllmError {
  return new OllmError('INTERNAL', `The turn could not go on: ${String(cause)}`, {
    hint: 'This is a fault in ollm. What the session had stored is kept.',
    cause,
  });
}
