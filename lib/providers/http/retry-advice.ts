// Whether asking again may help, and after how long: from the status and the headers of an answer. Pure.
// Retry-After is seconds or a date (RFC 9110, 10.2.3); `retry-after-ms` is how some vendors say it more exactly.
import type { RetryAdvice } from '../provider.ts';

/** The longest wait, whatever a server asks for. */
const MAX_RETRY_AFTER_MS = 60 * 60_000;

/** Undefined where the same request would only fail again. */
export function retryAdvice(status: number, headers: Headers): RetryAdvice | undefined {
  if (!mayPass(status)) return undefined;
  const waitMs = retryAfterMs(headers);
  return { retryable: true, ...(waitMs !== undefined && { retryAfterMs: waitMs }) };
}

function mayPass(status: number): boolean {
  return status === 408 || status === 429 || (status >= 500 && status !== 501 && status !== 505);
}

function retryAfterMs(headers: Headers): number | undefined {
  const exact = numberOf(headers.get('retry-after-ms'));
  if (exact !== undefined) return bounded(exact);
  const after = headers.get('retry-after');
  const seconds = numberOf(after);
  if (seconds !== undefined) return bounded(seconds * 1000);
  // A date is held against the server's own clock: ours may differ.
  const wait = Date.parse(after ?? '') - Date.parse(headers.get('date') ?? '');
  return Number.isNaN(wait) ? undefined : bounded(wait);
}

function numberOf(text: string | null): number | undefined {
  return text !== null && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

function bounded(ms: number): number {
  return Math.min(MAX_RETRY_AFTER_MS, Math.max(0, Math.round(ms)));
}
