// Asks again where that may help: a provider that has too much to do, a server that broke down, a lost connection. Only
// as long as nothing of the answer was shown, so that nothing is shown twice; a bounded number of times; each one
// announced. Unsubscribing ends the wait.
import { catchError, concat, defer, ignoreElements, type Observable, of, tap, throwError, timer } from 'rxjs';
import { isOllmError, type OllmError } from '../../errors/index.ts';
import type { RetryAdvice } from '../../providers/provider.ts';
import type { TurnSignal } from '../signals.ts';

export interface RetrySettings {
  /** Requests in all. Default: 4. */
  readonly attempts?: number | undefined;
  /** The wait before the second one, about; it doubles with each. Default: 500 ms. */
  readonly baseDelayMs?: number | undefined;
  /** A provider that wants to be left alone for longer is not asked again. Default: one minute. */
  readonly maxDelayMs?: number | undefined;
  /** From 0 to 1: many clients must not come back at the same moment. Default: Math.random. */
  readonly random?: (() => number) | undefined;
}

const SHOWN: readonly TurnSignal['type'][] = ['delta', 'reasoning', 'tool_call'];

/** `attempt`: one request for each subscription. */
export function withRetries(attempt: Observable<TurnSignal>, settings: RetrySettings = {}): Observable<TurnSignal> {
  const { attempts = 4 } = settings;
  return nth(1);

  function nth(number: number): Observable<TurnSignal> {
    return defer(() => {
      let isShown = false;
      return attempt.pipe(
        tap(({ type }) => {
          isShown ||= SHOWN.includes(type);
        }),
        catchError((error: unknown) => {
          const delayMs = isShown || number >= attempts ? undefined : delayBefore(error, number, settings);
          if (delayMs === undefined) return throwError(() => error);
          const reason = (error as OllmError).message;
          return concat(
            of<TurnSignal>({ type: 'retry', attempt: number + 1, attempts, delayMs, reason }),
            timer(delayMs).pipe(ignoreElements()),
            nth(number + 1),
          );
        }),
      );
    });
  }
}

/** Undefined: asking again does not help, or not soon enough. */
function delayBefore(error: unknown, number: number, settings: RetrySettings): number | undefined {
  const { baseDelayMs = 500, maxDelayMs = 60_000, random = Math.random } = settings;
  const advice = adviceOf(error);
  if (advice === undefined) return undefined;
  const backOffMs = baseDelayMs * 2 ** (number - 1) * (0.5 + random());
  const delayMs = Math.round(Math.max(advice.retryAfterMs ?? 0, backOffMs));
  return (advice.retryAfterMs ?? 0) > maxDelayMs ? undefined : Math.min(delayMs, maxDelayMs);
}

function adviceOf(error: unknown): RetryAdvice | undefined {
  const data = isOllmError(error) ? (error.data as Partial<RetryAdvice> | undefined) : undefined;
  return data?.retryable === true ? (data as RetryAdvice) : undefined;
}
