// The shared guard in Ollama's words: error answers are read here (the client would print to the console), what is no
// JSON is refused, and streamed lines are checked.
import type { OllmError } from '../../errors/index.ts';
import { createGuard, type Guard, mediaTypeOf } from '../http/guarded-fetch.ts';
import { retryAdvice } from '../http/retry-advice.ts';
import { createLineCheck } from './answer-lines.ts';
import { cutOff, missingModel, nonsense, redirected, refused, silent, unconnected } from './failures.ts';
import type { OllamaHost } from './host.ts';

export interface GuardOptions {
  readonly host: OllamaHost;
  readonly signal: AbortSignal;
  readonly timeoutSeconds: number;
  /** The model that is asked for, to name it when it is missing. */
  readonly model?: string | undefined;
}

export function guardOllama({ host: { url, headers }, signal, timeoutSeconds, model }: GuardOptions): Guard {
  return createGuard({
    url,
    signal,
    timeoutSeconds,
    headers,
    words: {
      silent: (seconds) => silent(url, seconds),
      redirected: (location) => redirected(url, location),
      nonsense: (what, cause) => nonsense(url, what, cause),
      broken: (error) => unconnected(error, url),
      refused: (response) => failureOf(response, url, model),
    },
    accepts: (type) => /^application\/(x-)?(nd)?json/.test(type),
    checkFor: (_type, init) => (isStreamed(init) ? createLineCheck(url) : undefined),
  });
}

async function failureOf(response: Response, host: string, model: string | undefined): Promise<OllmError> {
  const text = await response.text().catch(() => undefined);
  if (text === undefined) return cutOff(host);
  const message = errorMember(text);
  const { status } = response;
  const advice = retryAdvice(status, response.headers);
  const refusal = { status, message: message ?? text, model, ...(advice && { advice }) };
  if (message === undefined) {
    const type = mediaTypeOf(response) || 'no type';
    const isPage = status === 404 || /html/.test(type);
    return isPage ? nonsense(host, `it answered ${status} with ${type}`) : refused(host, refusal);
  }
  const isAboutModel = status === 404 && model !== undefined;
  return isAboutModel ? missingModel(host, model, undefined) : refused(host, refusal);
}

/** Ollama answers `{"error":"…"}`; gateways in front of it, `{"error":{"message":"…"}}`. */
function errorMember(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: string | { message?: string } };
    const message = typeof error === 'object' ? error.message : error;
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}

function isStreamed(init: RequestInit | undefined): boolean {
  return typeof init?.body === 'string' && /"stream":true[,}]/.test(init.body);
}
