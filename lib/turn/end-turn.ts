// The end of a turn: stored first, then shown.
import { OllmError } from '../errors/index.ts';
import type { EventData, NewOllmEvent } from '../events/index.ts';
import type { RetryAdvice } from '../providers/provider.ts';
import type { NextStep } from './decide.ts';
import { incompleteNotice } from './incomplete.ts';
import { providerError, type Turn } from './turn.ts';

type TurnEnd = Extract<NextStep, { kind: 'end' }>;

export async function endTurn(turn: Turn, end: TurnEnd): Promise<void> {
  await storeEnd(turn, end);
  const { usage, incomplete, ending, show } = turn;
  if (end.error !== undefined) return show({ type: 'error', error: end.error });
  if (end.status === 'cancelled') return show({ type: 'cancelled' });
  if (incomplete !== undefined) show({ type: 'notice', text: incompleteNotice(incomplete, ending) });
  show({ type: 'done', usage, incomplete });
}

/** An append failed, or ollm has a fault: the error is shown first, and the turn is ended if that can be stored. */
export async function giveUp(turn: Turn, cause: unknown): Promise<void> {
  const { session, dependencies, number, show } = turn;
  const error = providerError(dependencies, cause instanceof OllmError ? cause : internal(cause));
  show({ type: 'error', error });
  if (number === 0 || session.writer.failure) return;
  try {
    await storeEnd(turn, { kind: 'end', status: 'failed', error });
  } catch (again) {
    const fields = { service: 'turn', operation: 'end', sessionId: session.id, error: again };
    dependencies.log.error({ ...fields, action: 'The next turn, or the next opening, ends it.' }, 'A turn stays open');
  }
}

async function storeEnd(turn: Turn, end: TurnEnd): Promise<void> {
  const { session, dependencies, number, startedMs, steps, retries, incomplete, ending } = turn;
  const { status, error, loop } = end;
  const durationMs = Math.round(dependencies.clock.monotonic() - startedMs);
  const data: EventData<'turn.ended'> = {
    status,
    steps,
    durationMs,
    error: error && storedError(error),
    retries: retries || undefined,
    incomplete: status === 'completed' && incomplete !== 'other' ? incomplete : undefined,
    ending: status === 'completed' && incomplete !== undefined ? ending : undefined,
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
  const { retryAfterMs, provider } = (data ?? {}) as Partial<RetryAdvice> & { readonly provider?: unknown };
  return { code, message, retryAfterMs, provider: typeof provider === 'string' ? provider : undefined };
}

function internal(cause: unknown): OllmError {
  return new OllmError('INTERNAL', `The turn could not go on: ${String(cause)}`, {
    hint: 'This is a fault in ollm. What the session had stored is kept.',
    cause,
  });
}
