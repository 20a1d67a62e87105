// Asks again where that may help: a provider that has too much to do, a server that broke down, a lost connection. Only
// as long as nothing of the answer was shown, so that nothing is shown twice; a bounded number of times; each one
// announced. Unsubscribing ends the wait.
import { type MonoTypeOperatorFunction, pipe, retry, tap, throwError, timer } from 'rxjs';
import { isOllmError, type OllmError } from '../../errors/index.ts';
import type { RetryAdvice } from '../../providers/provider.ts';
import type { TurnSignal } from '../signals.ts';

export interface RetrySettings {
  /** Requests in all. Default: 4. */
  readonly attempts?: number | undefined;
  /** The wait before the second one, about; it doubles with each. Default: 500 ms. */
  readonly baseDelayMs?: number | undefined;
  /** A provider that asks for a longer wait is not asked again. Default: one minute. */
  readonly maxDelayMs?: number | undefined;
  /** From 0 to 1: many clients must not come back at the same moment. Default: Math.random. */
  readonly random?: (() => number) | undefined;
}

const SHOWN: readonly TurnSignal['type'][] = ['delta', 'reasoning', 'tool_call'];

/** `announce` is told of each request that is made again. */
export function withRetries(
  settings: RetrySettings = {},
  announce: (signal: TurnSignal) => void,
): MonoTypeOperatorFunction<TurnSignal> {
  const { attempts = 4 } = settings;
  let isShown = false;
  return pipe(
    tap(({ type }) => {
      isShown ||= SHOWN.includes(type);
    }),
    retry({
      count: attempts - 1,
      delay: (error: unknown, number) => {
        const delayMs = isShown ? undefined : delayBefore(error, number, settings);
        if (delayMs === undefined) return throwError(() => error);
        const reason = (error as OllmError).message;
        announce({ type: 'retry', attempt: number + 1, attempts, delayMs, reason });
        return timer(delayMs);
      },
    }),
  );
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
