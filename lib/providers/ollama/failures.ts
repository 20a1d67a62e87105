// What can go wrong with an Ollama, as sentences that say what to do. One function per case; nothing here throws.
import { isOllmError, OllmError } from '../../errors/index.ts';

const MAX_QUOTED_CHARACTERS = 300;

export function interrupted(): OllmError {
  return new OllmError('INTERRUPTED', 'Stopped before the answer was complete.');
}

function unreachable(host: string, reason: string, cause?: unknown): OllmError {
  return new OllmError('PROVIDER_UNREACHABLE', `Ollama does not answer at ${host} (${reason}).`, {
    hint: 'Start it with "ollama serve", set OLLAMA_HOST to where it runs, or use --provider offline.',
    data: { host },
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
    data: { host },
    cause,
  });
}

export function nonsense(host: string, what: string, cause?: unknown): OllmError {
  return new OllmError('PROVIDER_BROKEN_STREAM', `What answers at ${host} does not talk like Ollama: ${what}.`, {
    hint: 'Check that OLLAMA_HOST leads to Ollama and not to a proxy or another program.',
    data: { host },
    cause,
  });
}

export function redirected(host: string, location: string | null): OllmError {
  const target = location === null ? 'elsewhere' : `to ${quoted(location)}`;
  return new OllmError('PROVIDER_FAILED', `${host} sends us on ${target}; the conversation was not sent there.`, {
    hint: 'If that is your Ollama, set OLLAMA_HOST to its address.',
    data: { host },
  });
}

export function failedInTheMiddle(host: string, message: string): OllmError {
  return new OllmError('PROVIDER_FAILED', `Ollama at ${host} stopped with an error: ${quoted(message)}.`, {
    hint: 'Try again; the log of "ollama serve" says more.',
    data: { host },
  });
}

export function missingModel(host: string, model: string, there: readonly string[] | undefined): OllmError {
  const others =
    there === undefined
      ? ''
      : there.length === 0
        ? ' It has none at all.'
        : ` It has: ${there.slice(0, 20).join(', ')}.`;
  return new OllmError('MODEL_NOT_FOUND', `Ollama at ${host} has no model ${JSON.stringify(model)}.${others}`, {
    hint: `Get it with "ollama pull ${model || 'NAME'}", or choose another with /model or --model.`,
    data: { host, model, models: there },
  });
}

/** An answer with a status of 400 or more; `message` is what the server said. */
export function refused(host: string, status: number, message: string): OllmError {
  return new OllmError('PROVIDER_FAILED', `Ollama at ${host} answered ${status}: ${quoted(message)}.`, {
    hint: remedy(status, message),
    data: { host, status },
  });
}

function remedy(status: number, message: string): string {
  if (/does not support tools/.test(message)) return 'Choose a model that can call tools, or go on without them.';
  if (/memory/.test(message)) return 'Choose a smaller model or a smaller context window.';
  if (status === 401 || status === 403) return 'Put name and password into OLLAMA_HOST: https://name:password@host/.';
  if (status === 429 || status === 503) return 'It is busy: wait a little and try again.';
  return 'The log of "ollama serve" says more.';
}

/** Turns whatever was thrown on the way to Ollama into one of the above. */
export function understandable(error: unknown, host: string, signal: AbortSignal): OllmError {
  if (isOllmError(error)) return error;
  if (signal.aborted) return interrupted();
  const { code, message } = rootOf(error);
  switch (code) {
    case 'ECONNREFUSED':
      return unreachable(host, 'the connection was refused', error);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return unreachable(host, 'no such host', error);
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return unreachable(host, 'no way there', error);
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return silent(host, 300);
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
      return cutOff(host, error);
    default:
      break;
  }
  if (code?.startsWith('HPE_')) return nonsense(host, 'it sends no valid HTTP', error);
  if (code !== undefined) return unreachable(host, code, error);
  return nonsense(host, quoted(message), error);
}

/** fetch wraps the error of the system once or twice. */
function rootOf(error: unknown): { readonly code: string | undefined; readonly message: string } {
  let code: string | undefined;
  let message = String(error);
  let at = error as { code?: unknown; message?: unknown; cause?: unknown } | null | undefined;
  for (let depth = 0; at && depth < 5; depth++) {
    if (typeof at.code === 'string') code = at.code;
    if (typeof at.message === 'string') message = at.message;
    at = at.cause as typeof at;
  }
  return { code, message };
}

/** Text of a server on one line, without control characters, not too long, and without a full stop of its own. */
function quoted(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  const short = line.length > MAX_QUOTED_CHARACTERS ? `${line.slice(0, MAX_QUOTED_CHARACTERS)}…` : line;
  return short.replace(/\.$/, '') || 'nothing said';
}
