// Calls a server as its table of routes says, with the types that follow from the table. Works wherever there is a
// `fetch`: in Node, in a browser, in an editor. Of the table it has the methods and paths only, so that it stays small
// in a page.
import { ENDPOINTS } from '../api/endpoints.ts';
import type { ErrorBody } from '../api/errors.ts';
import { parametersIn } from '../api/parameters-in.ts';
import type { AnswerOf, BodyOf, ParametersOf, QueryOf, Route } from '../api/route.ts';
import type { RouteName, RouteNamed } from '../api/routes.ts';

export type { RouteName };

interface ClientOptions {
  /** Such as `http://127.0.0.1:4700`. Default: that of the page. */
  readonly address?: string | undefined;
  /** The token of a program. A browser uses its cookie. */
  readonly token?: string | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

type Member<Name extends string, Type> = keyof Type extends never
  ? { readonly [Each in Name]?: undefined }
  : Type extends undefined
    ? { readonly [Each in Name]?: undefined }
    : Partial<Type> extends Type
      ? { readonly [Each in Name]?: Type | undefined }
      : { readonly [Each in Name]: Type };

/** The parameters, the query and the body of a call. */
export type CallOptions<Name extends RouteName> = Member<'parameters', ParametersOf<RouteNamed<Name>>> &
  Member<'query', QueryOf<RouteNamed<Name>>> &
  Member<'body', BodyOf<RouteNamed<Name>>> & {
    /** Files, for the routes that take some. */
    readonly form?: FormData | undefined;
    readonly signal?: AbortSignal | undefined;
  };

type Given<Name extends RouteName> =
  object extends CallOptions<Name> ? readonly [options?: CallOptions<Name>] : readonly [options: CallOptions<Name>];

export type Client = {
  readonly [Name in RouteName]: (...given: Given<Name>) => Promise<AnswerOf<RouteNamed<Name>>>;
};

/** An error answer of the server. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;
  readonly details: object | undefined;

  constructor(status: number, { code, message, hint, details }: ErrorBody) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.details = details;
  }
}

interface LooseCall {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly form?: FormData;
  readonly signal?: AbortSignal;
}

/**
 * A method for each route. `data` of the answer is returned; a stream or a file comes as its `Response`.
 *
 * @example
 * const client = createClient({ address: 'http://127.0.0.1:4700', token });
 * const { sessions } = await client.listSessions({ query: { limit: 10 } });
 * @throws ApiError: with the code of the server; TypeError: it does not answer
 */
export function createClient({ address = '', token, fetch = globalThis.fetch }: ClientOptions = {}): Client {
  const call = async (name: RouteName, { body, form, signal, ...given }: LooseCall = {}): Promise<unknown> => {
    const { method, path, marks } = endpointOf(name);
    const headers: Record<string, string> = {};
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    if (marks.includes('json')) headers['content-type'] = 'application/json';
    const response = await fetch(address + filled(path, given), {
      method,
      headers,
      signal: signal ?? null,
      ...(marks.includes('json') && { body: JSON.stringify(body ?? {}) }),
      ...(form !== undefined && { body: form }),
    });
    if (response.ok && marks.includes('raw')) return response;
    const answer = (await response.json().catch(() => undefined)) as
      | { readonly success?: boolean; readonly data?: unknown; readonly error?: ErrorBody }
      | undefined;
    if (response.ok) return marks.includes('bare') ? answer : answer?.data;
    throw new ApiError(
      response.status,
      answer?.error ?? { code: 'UNKNOWN', message: `The server answered ${response.status}.` },
    );
  };
  const methods = Object.keys(ENDPOINTS).map((name) => [name, (given?: LooseCall) => call(name as RouteName, given)]);
  return Object.fromEntries(methods) as Client;
}

/**
 * The path of a call with its parameters and its query, for a link, an image or an `EventSource`.
 *
 * @example pathOf('exportSession', { parameters: { id: 'oak' }, query: { format: 'md' } })
 */
export function pathOf<Name extends RouteName>(
  name: Name,
  given: Pick<CallOptions<Name>, 'parameters' | 'query'>,
): string {
  return filled(endpointOf(name).path, given as LooseCall);
}

function endpointOf(name: RouteName) {
  const [method, path, ...marks] = ENDPOINTS[name].split(' ') as [Route['method'], string, ...string[]];
  return { method, path, marks };
}

function filled(path: string, { parameters = {}, query = {} }: Pick<LooseCall, 'parameters' | 'query'>): string {
  // A text that is cut inside of a character has no form in an address.
  const part = (name: string): string => encodeURIComponent((parameters[name] ?? '').toWellFormed());
  const whole = parametersIn(path).reduce((text, name) => text.replace(`{${name}}`, () => part(name)), path);
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return pairs.length === 0 ? whole : `${whole}?${new URLSearchParams(pairs)}`;
}
