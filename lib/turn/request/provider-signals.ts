// A provider's answer as an observable. Unsubscribing aborts the request and waits for nothing, so that a turn can be
// cancelled even when the provider does not listen.
import { defer, finalize, from, type Observable, throwError, timeout } from 'rxjs';
import type { SafeRequest } from '../../context/assembled.ts';
import { OllmError } from '../../errors/index.ts';
import type { Provider, ProviderSignal } from '../../providers/provider.ts';

const DEFAULT_SILENCE_TIMEOUT_MS = 5 * 60_000;

interface AnswerOptions {
  readonly provider: Provider;
  /** How long the provider may send nothing. Default: five minutes, for a large model that is loaded first. */
  readonly silenceTimeoutMs?: number | undefined;
}

/** The answer to one request. Errors with PROVIDER_TIMEOUT when nothing comes for too long. */
export function answerSignals(
  { provider, silenceTimeoutMs = DEFAULT_SILENCE_TIMEOUT_MS }: AnswerOptions,
  request: SafeRequest,
): Observable<ProviderSignal> {
  const each = silenceTimeoutMs;
  return defer(() => {
    const abort = new AbortController();
    return from(provider.stream(request, { signal: abort.signal })).pipe(finalize(() => abort.abort()));
  }).pipe(timeout({ each, with: () => throwError(() => silent(provider.name, each)) }));
}

function silent(provider: string, silenceMs: number): OllmError {
  return new OllmError('PROVIDER_TIMEOUT', `The provider ${provider} sent nothing for ${silenceMs / 1000} seconds.`, {
    hint: 'Ask again, or choose a smaller model with /model.',
  });
}
