// One way to ask the server. Each answer is `{success, data}` or `{success, error}`.

import { reportRequestLost } from './connection.ts';
import { inAddress } from './in-address.ts';

export class RequestFailed extends Error {
  readonly code: string;
  readonly status: number;
  readonly details: unknown;

  constructor(code: string, message: string, status: number, details?: unknown) {
    super(message);
    this.code = code;
    this.status = status;
    this.details = details;
  }
}

const API = '/api/llm';

interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/**
 * @throws RequestFailed with the server's code; OFFLINE where no answer came
 * @example await ask<SessionList>('/sessions', { query: { limit: 50 } })
 */
export async function ask<Answer>(path: string, { method = 'GET', query = {}, body, signal }: RequestOptions = {}) {
  const asked = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const url = `${path.startsWith('/api/') ? '' : API}${path}${asked.length === 0 ? '' : `?${new URLSearchParams(asked as [string, string][])}`}`;
  const isForm = body instanceof FormData;
  let response: Response;
  try {
    response = await fetch(url, {
      method,
      credentials: 'same-origin',
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      ...(body === undefined || isForm ? {} : { headers: { 'content-type': 'application/json' } }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    reportRequestLost();
    throw new RequestFailed('OFFLINE', 'ollm does not answer.', 0);
  }
  const answer = (await response.json().catch(() => undefined)) as Envelope<Answer> | undefined;
  if (answer?.success === true) return answer.data;
  const { code = 'FAILED', message = response.statusText, details } = answer?.error ?? {};
  throw new RequestFailed(code, message, response.status, details);
}

interface Envelope<Answer> {
  readonly success: boolean;
  readonly data: Answer;
  readonly error?: { readonly code: string; readonly message: string; readonly details?: unknown };
}

/** The path of a session's routes. */
export function sessionPath(address: string, rest = ''): string {
  return `/sessions/${inAddress(address)}${rest}`;
}
