// Failures of a server, as sentences that say what to do. Nothing here throws, and nothing repeats a key. Errors of the
// packages are reduced to their message and then dropped: they carry the whole conversation.
import { isOllmError, OllmError } from '../../errors/index.ts';
import { isValidatorText } from '../../errors/validator-text.ts';
import { defined } from '../../platform/json.ts';
import { refusedKey } from '../key.ts';
import { nearNames } from '../near-names.ts';
import type { ModelInfo, RetryAdvice } from '../provider.ts';
import { HISTORY_HINT, refusedPiece } from '../refused-history.ts';
import { isAboutSize, tooLong } from '../too-long.ts';
import { connectionFailure, SYSTEM_TIMEOUT_SECONDS } from './connection-failures.ts';
import { type ProviderMessage, saidIn } from './error-message.ts';
import { quoted } from './quoted.ts';
import { mediaTypeOf } from './read-answer.ts';
import { retryAdvice } from './retry-advice.ts';
import type { ProviderServer, ServerHints } from './server.ts';

const RETRY: RetryAdvice = { retryable: true };
/** How long the list of models may take that an error message names. */
const COURTESY_MS = 5000;
/** A model that does not fit this machine will not fit at the next try. */
const NEEDS_MEMORY = /requires more (system |gpu )?memory|not enough (system |gpu )?memory/i;
/** Characters shown of an answer that is not a valid one. */
const SHOWN_CHARACTERS = 80;

export function interrupted(): OllmError {
  return new OllmError('INTERRUPTED', 'Stopped before the answer was complete.');
}

interface FailureContext {
  readonly server: ProviderServer;
  readonly model: string | undefined;
  readonly timeoutSeconds: number;
  /** Whether a key, or another proof of who asks, was sent. */
  readonly hasKey: boolean;
  /** What must not be repeated. */
  readonly secrets: readonly string[];
}

/** The failures of one exchange with a server. Every method returns an error; none throws. */
export class Failures {
  readonly #context: FailureContext;
  readonly #place: string;
  readonly #hints: ServerHints;
  /** Whether a piece of an answer has come: then the server speaks the right protocol. */
  hasBegun = false;

  constructor(context: FailureContext) {
    const { name, title, baseUrl, hints } = context.server;
    this.#context = context;
    this.#place = `${title} at ${baseUrl}`;
    this.#hints = { ...usualHints(name), ...hints };
  }

  silent(seconds: number): OllmError {
    const message = `${this.#place} sent nothing for ${seconds} seconds.`;
    return this.#error('PROVIDER_TIMEOUT', message, this.#hints.silent, { timeoutSeconds: seconds });
  }

  redirected(location: string | null): OllmError {
    const target = location === null ? 'elsewhere' : `to ${this.#quoted(location)}`;
    const message = `${this.#place} redirects ${target}; nothing was sent there.`;
    return this.#error('PROVIDER_FAILED', message, this.#hints.redirected);
  }

  nonsense(what: string, cause?: unknown): OllmError {
    if (this.hasBegun) {
      const message = `The answer of ${this.#place} cannot be read to its end: ${what}.`;
      return this.#error('PROVIDER_BROKEN_STREAM', message, this.#hints.cutOff, {}, cause);
    }
    const { title, protocol, baseUrl } = this.#context.server;
    const expected = protocol === undefined ? `answer like ${title}` : `speak ${protocol}`;
    const message = `The server at ${baseUrl} does not ${expected}: ${what}.`;
    return this.#error('PROVIDER_BROKEN_STREAM', message, this.#hints.nonsense, {}, cause);
  }

  /** An answer that is neither a stream nor JSON. */
  notAnAnswer(text: string): OllmError {
    const shown = this.#quoted(text);
    if (shown.startsWith('<')) return this.nonsense('it answered with a page of HTML or XML');
    const start = shown.length > SHOWN_CHARACTERS ? `${shown.slice(0, SHOWN_CHARACTERS).toWellFormed()}…` : shown;
    return this.nonsense(`it answered with ${JSON.stringify(start)}`);
  }

  cutOff(): OllmError {
    const { hasBegun } = this;
    const message = hasBegun
      ? `The answer of ${this.#place} was cut off in the middle.`
      : `${this.#place} ended the connection before an answer.`;
    return this.#error('PROVIDER_BROKEN_STREAM', message, hasBegun ? this.#hints.cutOff : this.#hints.noAnswer, RETRY);
  }

  /** An error that came with status 200, or in the middle of an answer. */
  said(said: ProviderMessage): OllmError {
    return this.#answered(said, undefined, new Headers());
  }

  /** An answer with a status of 400 or more. */
  async refused(response: Response): Promise<OllmError> {
    const text = await response.text().catch(() => undefined);
    if (text === undefined) return this.cutOff();
    const { status, headers } = response;
    const said = saidIn(text);
    if (said === undefined && status !== 413 && (status === 404 || mediaTypeOf(response) === 'text/html')) {
      // A gateway's own page does not name the fault of the server behind the gateway, but its status does.
      return retryAdvice(status, headers) === undefined
        ? this.nonsense(`it answered ${status} with ${typeName(response)}`)
        : this.#answered({ message: `a page of type ${typeName(response)}` }, status, headers);
    }
    return this.#answered(said ?? { message: text }, status, headers);
  }

  /** An error in the middle of an answer. */
  failed(error: unknown): OllmError {
    if (isOllmError(error)) return error;
    const { status, headers, said } = partsOf(error);
    return said === undefined ? this.broken(error) : this.#answered(said, undefined, headers, status);
  }

  missingModel(models: readonly string[] | undefined, said?: string): OllmError {
    const { model } = this.#context;
    const message = `${this.#place} has no model ${JSON.stringify(model ?? '')}.${listed(models)}`;
    return this.#error('MODEL_NOT_FOUND', message, this.#hints.missingModel(model || 'NAME'), { model, models, said });
  }

  /** The error of a missing model with the names of those that there are, where the server says them soon. */
  async namingModels(error: unknown, models: (signal: AbortSignal) => Promise<readonly ModelInfo[]>): Promise<unknown> {
    if (!isOllmError(error, 'MODEL_NOT_FOUND')) return error;
    const { model, said } = error.data as { model?: string; said?: string };
    const known = await models(AbortSignal.timeout(COURTESY_MS)).catch(() => undefined);
    const names = known?.map(({ name }) => name);
    return this.missingModel(names && nearNames(names, model ?? ''), said);
  }

  /** A connection that failed. */
  broken(error: unknown): OllmError {
    const { server, timeoutSeconds } = this.#context;
    const failure = connectionFailure(error);
    switch (failure.kind) {
      case 'unreachable': {
        const message = `${server.title} does not answer at ${server.baseUrl} (${failure.reason}).`;
        return this.#error('PROVIDER_UNREACHABLE', message, this.#hints.unreachable, failure.mayPass ? RETRY : {});
      }
      case 'silent':
        return this.silent(Math.min(timeoutSeconds, SYSTEM_TIMEOUT_SECONDS));
      case 'lost':
        return this.cutOff();
      case 'no-http':
        return this.nonsense('it sends no valid HTTP');
      case 'other':
        // The package for compatible servers says this where the other packages only stop.
        if (/stream ended without/i.test(failure.message)) return this.cutOff();
        if (isValidatorText(failure.message)) return this.nonsense('a piece of its answer has an unknown form');
        return this.nonsense(this.#quoted(failure.message));
    }
  }

  /**
   * `status`: of the HTTP answer; undefined for an error inside a stream, which has none. `alike`: the one that a
   * package takes such an error for.
   */
  #answered(said: ProviderMessage, status: number | undefined, headers: Headers, alike = statusLike(said)): OllmError {
    const message = this.#quoted(said.message);
    const facts = `${said.message} ${said.code ?? ''}`;
    const kind = status ?? alike;
    if (kind === 401 || kind === 403 || (kind === 400 && /api.?key (not valid|expired|invalid)/i.test(facts)))
      return this.#keyFailure(status === undefined ? message : `${status}: ${message}`, status);
    if (kind === 413 || isAboutSize(facts)) return tooLong(this.#context.model, message, { ...this.#data(), status });
    const refused = mayRefuseHistory(kind) ? refusedPiece(facts) : undefined;
    if (refused === undefined && isAboutModel(kind, facts)) return this.missingModel(undefined, message);
    const isOutOfCredit = /insufficient_quota|billing|credit balance|payment/i.test(facts) || kind === 402;
    const isPlain = isOutOfCredit || NEEDS_MEMORY.test(facts);
    const advice = isPlain || refused !== undefined ? undefined : adviceOf(kind, headers, said);
    const remedies = [this.#hints.refused(facts, kind) ?? remedy(kind, isOutOfCredit, advice)];
    if (!isPlain && advice === undefined && mayRefuseHistory(kind)) remedies.push(HISTORY_HINT);
    const data = { ...defined({ status, refused }), ...advice };
    return this.#error('PROVIDER_FAILED', this.#sentence(said, message, status), remedies.join(' '), data);
  }

  #sentence({ code = '' }: ProviderMessage, message: string, status: number | undefined): string {
    const { title } = this.#context.server;
    if (status !== undefined) return `${title} answered ${status}: ${message}.`;
    const shown = /^[\w.-]{1,60}$/.test(code) && !message.includes(code) ? ` (${code})` : '';
    return `${title} stopped with an error: ${message}${shown}.`;
  }

  #keyFailure(said: string, status: number | undefined): OllmError {
    const { server, hasKey } = this.#context;
    const places = server.key ?? { fromVariable: () => undefined };
    const issuer = { provider: server.name, site: server.keySite, hint: this.#hints.key };
    return refusedKey(places, issuer, { said, status, hasKey });
  }

  #error(code: OllmError['code'], message: string, hint: string, data: object = {}, cause?: unknown): OllmError {
    return new OllmError(code, message, { hint, data: { ...this.#data(), ...data }, cause });
  }

  #data(): { readonly provider: string; readonly url: string } {
    const { name, baseUrl } = this.#context.server;
    return { provider: name, url: baseUrl };
  }

  #quoted(text: string): string {
    return quoted(text, this.#context.secrets);
  }
}

function usualHints(provider: string): ServerHints {
  return {
    unreachable: `Check that it runs, that this machine is online, and baseUrl of the provider ${provider}.`,
    silent: `Try again, or allow more time with timeoutSeconds of the provider ${provider}.`,
    redirected: `If its API is there now, set baseUrl of the provider ${provider} to it.`,
    nonsense: `Check that baseUrl of the provider ${provider} is the address of its API (it often ends in /v1), not of a proxy or a page.`,
    cutOff: 'Try again. The part that had arrived is kept.',
    noAnswer: 'Try again; if it happens every time, the log of the server may say why.',
    key: undefined,
    missingModel: () => 'Choose one of its models with /model or --model.',
    refused: () => undefined,
  };
}

function listed(models: readonly string[] | undefined): string {
  if (models === undefined) return '';
  if (models.length === 0) return ' It lists none.';
  return ` Among its models are: ${models.join(', ')}.`;
}

function typeName(response: Response): string {
  return mediaTypeOf(response) || 'no content type';
}

/** Whether an answer with this status may be a refusal of the history. Some servers answer 404 or 500 for that. */
function mayRefuseHistory(status: number): boolean {
  return [400, 404, 415, 422, 500].includes(status);
}

function isAboutModel(status: number, facts: string): boolean {
  if (status !== 404 && status !== 400 && status !== 422) return false;
  if (/model_not_found|not a valid model|model identifier is invalid|invalid model|unknown model/i.test(facts))
    return true;
  return status === 404
    ? /model|not_found_error|resource/i.test(facts)
    : /model .{0,80}(not found|does not exist|not exist)/i.test(facts);
}

/** A wait that the body names holds where no header names one. */
function adviceOf(status: number, headers: Headers, { retryAfterMs }: ProviderMessage): RetryAdvice | undefined {
  const advice = retryAdvice(status, headers);
  return advice === undefined || retryAfterMs === undefined ? advice : { retryAfterMs, ...advice };
}

function remedy(status: number, isOutOfCredit: boolean, advice: RetryAdvice | undefined): string {
  if (isOutOfCredit) return 'The account has no credit left, or no billing: see the pages of the vendor.';
  const wait = advice?.retryAfterMs === undefined ? 'a little' : secondsOf(advice.retryAfterMs);
  if (status === 429) return `It wants fewer requests: wait ${wait} and try again.`;
  if (advice) return `The fault is at the provider: wait ${wait} and try again.`;
  return 'Change what the message names, or choose another model with /model.';
}

function secondsOf(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}

/** Takes apart a package's own error for an answer, or an error inside a stream. */
function partsOf(error: unknown): { status: number | undefined; headers: Headers; said: ProviderMessage | undefined } {
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

/** The HTTP status that says the same as an error inside a stream: for what to do about it, never to be shown. */
function statusLike({ code = '', message }: ProviderMessage): number {
  const facts = `${code} ${message}`;
  if (/^\d{3}$/.test(code)) return Number(code);
  if (/overloaded/i.test(facts)) return 529;
  if (/rate.?limit|throttl|too many|resource_exhausted|quota/i.test(facts)) return 429;
  if (/unavailable|timeout|timed out/i.test(facts)) return 503;
  if (/authentication|unauthorized|permission/i.test(code)) return 401;
  if (/invalid|validation|bad_request/i.test(code)) return 400;
  return 500;
}
