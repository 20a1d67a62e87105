// The fetch that the official client is given. It follows no redirect, waits only so long for the next byte, reads error
// answers itself (the client would print to the console), refuses what is no JSON, and checks streamed lines.
import type { OllmError } from '../../errors/index.ts';
import { createLineCheck, type LineCheck } from './answer-lines.ts';
import { cutOff, missingModel, nonsense, redirected, refused, silent } from './failures.ts';
import type { OllamaHost } from './host.ts';

/** Of an error answer or a list; streamed answers have no limit but that of a line. */
const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;

export interface GuardOptions {
  readonly host: OllamaHost;
  readonly signal: AbortSignal;
  readonly timeoutSeconds: number;
  /** The model that is asked for, to name it when it is missing. */
  readonly model?: string | undefined;
}

export function guardedFetch({ host, signal, timeoutSeconds, model }: GuardOptions): typeof fetch {
  const waiting = createPatience(timeoutSeconds, host.url);
  const stop = AbortSignal.any([signal, waiting.signal]);

  return async (input, init) => {
    const headers = { ...(init?.headers as Record<string, string>), ...host.headers };
    const response = await waiting.for(fetch(input, { ...init, headers, redirect: 'manual', signal: stop }));
    if (response.status >= 300 && response.status < 400) throw redirected(host.url, response.headers.get('location'));
    const check = response.ok && isStreamed(init) ? createLineCheck(host.url) : undefined;
    const guarded = new Response(guardBody(response.body, check, waiting, host.url), response);
    if (!response.ok) throw await failureOf(guarded, host.url, model);
    checkType(response, host.url);
    return guarded;
  };
}

interface Patience {
  readonly signal: AbortSignal;
  /** Aborts, with PROVIDER_TIMEOUT for a reason, if it takes longer than it may. */
  for<Value>(promise: Promise<Value>): Promise<Value>;
}

function createPatience(timeoutSeconds: number, host: string): Patience {
  const stop = new AbortController();
  return {
    signal: stop.signal,
    async for(promise) {
      const timer = setTimeout(() => stop.abort(silent(host, timeoutSeconds)), timeoutSeconds * 1000);
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** Reads only when it is read, so that a caller who takes a pause is not taken for a server that does. */
function guardBody(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  check: LineCheck | undefined,
  waiting: Patience,
  host: string,
): ReadableStream<Uint8Array> | null {
  if (body === null) return null;
  const reader = body.getReader();
  let documentBytes = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await waiting.for(reader.read());
          if (done) {
            const rest = check?.end();
            if (rest && rest.length > 0) controller.enqueue(rest);
            return controller.close();
          }
          documentBytes += value.length;
          if (!check && documentBytes > MAX_DOCUMENT_BYTES) throw nonsense(host, 'its answer does not end');
          const bytes = check ? check.push(value) : value;
          if (bytes.length > 0) return controller.enqueue(bytes);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

async function failureOf(response: Response, host: string, model: string | undefined): Promise<OllmError> {
  const text = await response.text().catch(() => undefined);
  if (text === undefined) return cutOff(host);
  const message = errorMember(text);
  if (message === undefined) {
    const type = response.headers.get('content-type') ?? 'no type';
    return response.status === 404 || /html/.test(type)
      ? nonsense(host, `it answered ${response.status} with ${type.split(';')[0]}`)
      : refused(host, response.status, text);
  }
  const isAboutModel = response.status === 404 && model !== undefined;
  return isAboutModel ? missingModel(host, model, undefined) : refused(host, response.status, message);
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

function checkType(response: Response, host: string): void {
  const type = response.headers.get('content-type') ?? '';
  if (/^application\/(x-)?(nd)?json/i.test(type)) return;
  throw nonsense(host, `it answered with ${type.split(';')[0] || 'no type'} instead of JSON`);
}

function isStreamed(init: RequestInit | undefined): boolean {
  return typeof init?.body === 'string' && /"stream":true[,}]/.test(init.body);
}
