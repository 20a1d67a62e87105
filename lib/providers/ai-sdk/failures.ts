// What can go wrong with a vendor, as sentences that say what to do. Nothing here throws, and nothing repeats a key.
// Errors of the packages are taken apart for what they say and then dropped: they carry the whole conversation.
import { isOllmError, OllmError } from '../../errors/index.ts';
import { connectionFailure, SYSTEM_TIMEOUT_SECONDS } from '../http/connection-failures.ts';
import { mediaTypeOf } from '../http/guarded-fetch.ts';
import { quoted } from '../http/quoted.ts';
import { retryAdvice } from '../http/retry-advice.ts';
import { wrongKey } from '../key.ts';
import { nearNames } from '../near-names.ts';
import type { RetryAdvice } from '../provider.ts';
import { type Said, saidIn } from './said.ts';
import type { Vendor } from './vendor.ts';

const RETRY: RetryAdvice = { retryable: true };

export function interrupted(): OllmError {
  return new OllmError('INTERRUPTED', 'Stopped before the answer was complete.');
}

export interface Failures {
  silent(timeoutSeconds: number): OllmError;
  redirected(location: string | null): OllmError;
  nonsense(what: string, cause?: unknown): OllmError;
  cutOff(): OllmError;
  refused(response: Response): Promise<OllmError>;
  /** An error in the middle of an answer. */
  failed(error: unknown): OllmError;
  missingModel(models: readonly string[] | undefined, said?: string): OllmError;
  /** What became of the connection. */
  broken(error: unknown): OllmError;
}

export interface FailureContext {
  readonly vendor: Vendor;
  readonly model: string | undefined;
  readonly timeoutSeconds: number;
  /** What must not be repeated. */
  readonly secrets: readonly string[];
}

export function failuresOf({ vendor, model, timeoutSeconds, secrets }: FailureContext): Failures {
  const { name, title, baseUrl } = vendor;
  const place = `${title} at ${baseUrl}`;
  const data = { provider: name, url: baseUrl };
  const quote = (text: string): string => quoted(text, secrets);

  const failures: Failures = {
    silent: (seconds) =>
      new OllmError('PROVIDER_TIMEOUT', `${place} sent nothing for ${seconds} seconds.`, {
        hint: `Try again, or allow more time with timeoutSeconds of the provider ${name}.`,
        data: { ...data, timeoutSeconds: seconds },
      }),

    redirected: (location) =>
      new OllmError(
        'PROVIDER_FAILED',
        `${place} sends us on ${location === null ? 'elsewhere' : `to ${quote(location)}`}; nothing was sent there.`,
        { hint: `If that is where its API is now, set baseUrl of the provider ${name} to it.`, data },
      ),

    nonsense: (what, cause) =>
      new OllmError('PROVIDER_BROKEN_STREAM', `What answers at ${baseUrl} does not talk like ${title}: ${what}.`, {
        hint: `Check that baseUrl of the provider ${name} leads to its API (it often ends in /v1) and not to a proxy or a page.`,
        data,
        cause,
      }),

    cutOff: () =>
      new OllmError('PROVIDER_BROKEN_STREAM', `The answer of ${place} was cut off in the middle.`, {
        hint: 'Try again; what had arrived is kept.',
        data: { ...data, ...RETRY },
      }),

    async refused(response) {
      const text = await response.text().catch(() => undefined);
      if (text === undefined) return failures.cutOff();
      const said = saidIn(text);
      if (said === undefined && (response.status === 404 || mediaTypeOf(response) === 'text/html'))
        return wrongPage(response) ?? failures.nonsense(`it answered ${response.status} with ${typeName(response)}`);
      return failureOf(response.status, response.headers, said ?? { message: text });
    },

    failed(error) {
      if (isOllmError(error)) return error;
      const { status, headers, said } = partsOf(error);
      if (said === undefined) return failures.broken(error);
      return failureOf(status ?? statusOf(said), headers, said);
    },

    missingModel: (models, said) =>
      new OllmError('MODEL_NOT_FOUND', `${place} has no model ${JSON.stringify(model ?? '')}.${thereAre(models)}`, {
        hint: 'Choose one of its models with /model or --model.',
        data: { ...data, model, models, ...(said !== undefined && { said }) },
      }),

    broken(error) {
      const failure = connectionFailure(error);
      switch (failure.kind) {
        case 'unreachable':
          return new OllmError('PROVIDER_UNREACHABLE', `${title} does not answer at ${baseUrl} (${failure.reason}).`, {
            hint: `Check that it runs, that this machine is online, and baseUrl of the provider ${name}.`,
            data: { ...data, ...(failure.mayPass && RETRY) },
          });
        case 'silent':
          return failures.silent(Math.min(timeoutSeconds, SYSTEM_TIMEOUT_SECONDS));
        case 'lost':
          return failures.cutOff();
        case 'no-http':
          return failures.nonsense('it sends no valid HTTP');
        case 'other':
          return failures.nonsense(quote(failure.message));
      }
    },
  };

  /** A gateway's own page says nothing about what went wrong behind it, but its status does. */
  function wrongPage(response: Response): OllmError | undefined {
    const advice = retryAdvice(response.status, response.headers);
    if (!advice) return undefined;
    return failureOf(response.status, response.headers, { message: `a page of type ${typeName(response)}` });
  }

  function failureOf(status: number, headers: Headers, said: Said): OllmError {
    const message = quote(said.message);
    const facts = `${said.message} ${said.code ?? ''}`;
    if (status === 401 || status === 403 || (status === 400 && /api.?key (not valid|expired|invalid)/i.test(facts)))
      return keyFailure(status, message);
    if (isAboutSize(facts)) return tooLong(message, status);
    if (isAboutModel(status, facts)) return failures.missingModel(undefined, message);
    const isOutOfCredit = /insufficient_quota|billing|credit balance|payment/i.test(facts) || status === 402;
    const advice = isOutOfCredit ? undefined : retryAdvice(status, headers);
    const after = advice && advice.retryAfterMs === undefined ? said.retryAfterMs : undefined;
    return new OllmError('PROVIDER_FAILED', `${title} answered ${status}: ${message}.`, {
      hint: remedy(status, isOutOfCredit, advice),
      data: { ...data, status, ...advice, ...(after !== undefined && { retryAfterMs: after }) },
    });
  }

  function keyFailure(status: number, message: string): OllmError {
    const places = vendor.key ?? { fromVariable: () => undefined };
    return wrongKey(places, { provider: name, site: vendor.keySite }, status, message);
  }

  function tooLong(message: string, status: number): OllmError {
    return new OllmError('CONTEXT_TOO_SMALL', `The conversation is too long for ${model ?? 'the model'}: ${message}.`, {
      hint: 'Shorten it with /compact, begin anew with /reset, or choose a model with a larger window.',
      data: { ...data, model, status },
    });
  }

  return failures;
}

function thereAre(models: readonly string[] | undefined): string {
  if (models === undefined) return '';
  if (models.length === 0) return ' It lists none at all.';
  return ` It has, among others: ${models.join(', ')}.`;
}

/** Puts the models into the message that lacked them. */
export function withModels(error: OllmError, models: readonly string[] | undefined, failures: Failures): OllmError {
  const { model, said } = error.data as { model?: string; said?: string };
  return failures.missingModel(models && nearNames(models, model ?? ''), said);
}

function typeName(response: Response): string {
  return mediaTypeOf(response) || 'no type';
}

function isAboutSize(facts: string): boolean {
  return /context_length_exceeded|exceed_context_size|prompt is too long|input is too long|maximum context length|exceeds the (maximum number of tokens|available context size|context window)|input token count .{0,40}exceeds/i.test(
    facts,
  );
}

function isAboutModel(status: number, facts: string): boolean {
  if (status !== 404 && status !== 400 && status !== 422) return false;
  if (/model_not_found|not a valid model|model identifier is invalid|invalid model|unknown model/i.test(facts))
    return true;
  return status === 404
    ? /model|not_found_error|resource/i.test(facts)
    : /model .{0,80}(not found|does not exist|not exist)/i.test(facts);
}

function remedy(status: number, isOutOfCredit: boolean, advice: RetryAdvice | undefined): string {
  if (isOutOfCredit) return 'The account has no credit left, or no billing: see the pages of the vendor.';
  if (status === 429) return 'It wants fewer requests: wait a little and try again.';
  if (advice) return 'The fault is at the provider: wait a little and try again.';
  return 'What it says is what to change; another model may also do, with /model.';
}

/** A package's own error for an answer, or what a vendor put into its stream. */
function partsOf(error: unknown): { status: number | undefined; headers: Headers; said: Said | undefined } {
  const { statusCode, responseBody, responseHeaders, message, data, stack } = (error ?? {}) as Record<string, unknown>;
  const headers = new Headers();
  if (typeof responseHeaders === 'object' && responseHeaders !== null)
    for (const [key, value] of Object.entries(responseHeaders)) if (typeof value === 'string') headers.set(key, value);
  const said =
    (typeof responseBody === 'string' ? saidIn(responseBody) : undefined) ??
    (data === undefined ? undefined : saidIn(JSON.stringify(data))) ??
    (stack !== undefined || error === undefined ? undefined : saidIn(JSON.stringify(error))) ??
    (typeof statusCode === 'number' && typeof message === 'string' ? { message } : undefined) ??
    (typeof error === 'string' ? { message: error } : undefined);
  return { status: typeof statusCode === 'number' ? statusCode : undefined, headers, said };
}

/** What a stream's error would have had for a status, had it come before the stream. */
function statusOf({ code = '', message }: Said): number {
  const facts = `${code} ${message}`;
  if (/^\d{3}$/.test(code)) return Number(code);
  if (/overloaded/i.test(facts)) return 529;
  if (/rate.?limit|throttl|too many|resource_exhausted|quota/i.test(facts)) return 429;
  if (/unavailable|timeout|timed out/i.test(facts)) return 503;
  if (/authentication|unauthorized|permission/i.test(code)) return 401;
  if (/invalid|validation|bad_request/i.test(code)) return 400;
  return 500;
}
