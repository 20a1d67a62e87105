// What a vendor says in an error answer, out of the shapes in use: `{error:{message}}` with OpenAI, Anthropic and
// Google, `{error:"…"}` and `{detail:"…"}` with local servers, `{message}` with Amazon. Pure.
import { isObject, parseJson } from '../../platform/json.ts';

export interface ProviderMessage {
  readonly message: string;
  /** The server's name for the kind of error. */
  readonly code?: string | undefined;
  /** The wait that it asks for, if the body has one. */
  readonly retryAfterMs?: number | undefined;
}

/** Undefined if the text says nothing that we understand. */
export function saidIn(text: string): ProviderMessage | undefined {
  const value = parseJson(text);
  return saidBy(Array.isArray(value) ? value[0] : value);
}

/** The error that a part of an answer with status 200 is; undefined if it is not one. */
export function errorIn(value: unknown): ProviderMessage | undefined {
  if (!isObject(value)) return undefined;
  const { error, errors, detail, message, Message } = value;
  if (typeof error === 'string' && error !== '') return saidBy({ ...value, error });
  if (isObject(error)) return saidBy(error);
  if (Array.isArray(errors)) return errorIn({ error: errors[0] });
  return [detail, message, Message].some((each) => typeof each === 'string' && each !== '') ? saidBy(value) : undefined;
}

function saidBy(value: unknown): ProviderMessage | undefined {
  if (!isObject(value)) return undefined;
  const inner = value.error ?? value.response;
  if (isObject(inner)) return saidBy(inner);
  const message = [inner, value.message, value.Message, value.detail, value.errorMessage].find(
    (each): each is string => typeof each === 'string' && each !== '',
  );
  const code = codeOf(value);
  if (message === undefined && code === undefined) return undefined;
  return { message: message ?? code!, code, retryAfterMs: retryDelayMs(value.details) };
}

function codeOf({ code, type, status, __type }: Record<string, unknown>): string | undefined {
  const codes = [code, type, status, __type].filter((each) => typeof each === 'string' || typeof each === 'number');
  return codes.length === 0 ? undefined : codes.filter((each) => each !== 'error').join(' ') || undefined;
}

/** Google says it as `{"@type":"…RetryInfo","retryDelay":"3.5s"}` among the details. */
function retryDelayMs(details: unknown): number | undefined {
  if (!Array.isArray(details)) return undefined;
  for (const detail of details) {
    const delay = isObject(detail) ? detail.retryDelay : undefined;
    const seconds = typeof delay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1] : undefined;
    if (seconds !== undefined) return Math.round(Number(seconds) * 1000);
  }
  return undefined;
}
