// The failures of an Ollama, as messages that say what to do. One function per case; none throws.
import { isOllmError, OllmError } from '../../errors/index.ts';
import { connectionFailure, SYSTEM_TIMEOUT_SECONDS } from '../http/connection-failures.ts';
import { quoted } from '../http/quoted.ts';
import type { RetryAdvice } from '../provider.ts';
import { isAboutSize, tooLong } from '../too-long.ts';

export function interrupted(): OllmError {
  return new OllmError('INTERRUPTED', 'Stopped before the answer was complete.');
}

const RETRY: RetryAdvice = { retryable: true };

function unreachable(host: string, reason: string, mayPass: boolean, cause: unknown): OllmError {
  return new OllmError('PROVIDER_UNREACHABLE', `Ollama does not answer at ${host} (${reason}).`, {
    hint: 'Start it with "ollama serve", set OLLAMA_HOST to where it runs, or use --provider offline.',
    data: { host, ...(mayPass && RETRY) },
    cause,
  });
}

export function silent(host: string, timeoutSeconds: number): OllmError {
  return new OllmError('PROVIDER_TIMEOUT', `Ollama at ${host} sent nothing for ${timeoutSeconds} seconds.`, {
    hint: 'It may still be loading the model: try again, choose a smaller model, or allow more time.',
    data: { host, timeoutSeconds },
  });
}

export function cutOff(host: string, cause?: unknown): OllmError {
  return new OllmError('PROVIDER_BROKEN_STREAM', `The answer of Ollama at ${host} was cut off in the middle.`, {
    hint: 'Try again; if it happens every time, the log of "ollama serve" says why.',
    data: { host, ...RETRY },
    cause,
  });
}

export function nonsense(host: string, what: string, cause?: unknown): OllmError {
  return new OllmError('PROVIDER_BROKEN_STREAM', `The server at ${host} does not answer like Ollama: ${what}.`, {
    hint: 'Check that OLLAMA_HOST is the address of Ollama, not of a proxy or another program.',
    data: { host },
    cause,
  });
}

export function redirected(host: string, location: string | null): OllmError {
  const target = location === null ? 'elsewhere' : `to ${quoted(location)}`;
  return new OllmError('PROVIDER_FAILED', `${host} redirects ${target}; the conversation was not sent there.`, {
    hint: 'If that is your Ollama, set OLLAMA_HOST to its address.',
    data: { host },
  });
}

export function failedInTheMiddle(host: string, message: string): OllmError {
  if (isAboutSize(message)) return tooLong(undefined, quoted(message), { host });
  return new OllmError('PROVIDER_FAILED', `Ollama at ${host} stopped with an error: ${quoted(message)}.`, {
    hint: 'Try again; the log of "ollama serve" says more.',
    data: { host, ...(/overloaded|server busy|too many requests/i.test(message) && RETRY) },
  });
}

export function missingModel(host: string, model: string, there: readonly string[] | undefined): OllmError {
  const others =
    there === undefined ? '' : there.length === 0 ? ' It has none.' : ` It has: ${there.slice(0, 20).join(', ')}.`;
  return new OllmError('MODEL_NOT_FOUND', `Ollama at ${host} has no model ${JSON.stringify(model)}.${others}`, {
    hint: `Get it with "ollama pull ${model || 'NAME'}", or choose another with /model or --model.`,
    data: { host, model, models: there },
  });
}

/** An answer with a status of 400 or more; `message` is the server's. */
export function refused(
  host: string,
  {
    status,
    message,
    model,
    advice,
  }: { status: number; message: string; model?: string | undefined; advice?: RetryAdvice },
): OllmError {
  if (isAboutSize(message)) return tooLong(model, quoted(message), { host, status });
  return new OllmError('PROVIDER_FAILED', `Ollama at ${host} answered ${status}: ${quoted(message)}.`, {
    hint: remedy(status, message),
    data: { host, status, ...advice },
  });
}

function remedy(status: number, message: string): string {
  if (/does not support tools/.test(message)) return 'Choose a model that can call tools, or go on without them.';
  if (/memory/.test(message)) return 'Choose a smaller model or a smaller context window.';
  if (status === 401 || status === 403) return 'Put name and password into OLLAMA_HOST: https://name:password@host/.';
  if (status === 429 || status === 503) return 'It is busy: wait a little and try again.';
  return 'The log of "ollama serve" says more.';
}

/** A connection that failed. */
export function unconnected(error: unknown, host: string): OllmError {
  const failure = connectionFailure(error);
  switch (failure.kind) {
    case 'unreachable':
      return unreachable(host, failure.reason, failure.mayPass, error);
    case 'silent':
      return silent(host, SYSTEM_TIMEOUT_SECONDS);
    case 'lost':
      return cutOff(host, error);
    case 'no-http':
      return nonsense(host, 'it sends no valid HTTP', error);
    case 'other':
      return nonsense(host, quoted(failure.message), error);
  }
}

/** Any error on the way to Ollama as one of the above. */
export function understandable(error: unknown, host: string, signal: AbortSignal): OllmError {
  if (isOllmError(error)) return error;
  return signal.aborted ? interrupted() : unconnected(error, host);
}
