// A route of the table, and the types that follow from it for the server and for clients.
import type { RouteErrorCode } from './errors.ts';
import type { FromSchema } from './from-schema.ts';
import type { PARAMETERS } from './parameters.ts';
import type { ObjectSchema, Schema } from './schema.ts';

export interface Route {
  /** The operationId, and the name of the client's method. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `{parameters}` that parameters.ts knows. */
  readonly path: string;
  /** The heading under which it is described. */
  readonly group: string;
  /** A single sentence. */
  readonly does: string;
  readonly query?: ObjectSchema;
  /** JSON. Without it a body is not read. */
  readonly body?: ObjectSchema;
  /** A body that is read as it comes, by its media type. */
  readonly upload?: string;
  readonly maxBodyBytes?: number;
  /** `data` of the answer; a media type where it is a stream or a file. */
  readonly answer: Schema | string;
  /** Whether the answer is in `{success, data}`. Default: true. */
  readonly bare?: true;
  /** Default: 200. */
  readonly status?: 201 | 202;
  /** Whether a session is written: what then may be answered follows. */
  readonly writes?: true;
  /** Codes in addition to those of every route, and those that follow from its effects. */
  readonly errors: readonly RouteErrorCode[];
  /** Answers without a token. */
  readonly open?: true;
  /**
   * Is about the session `{id}` and nothing else, so that it answers guests of that session: `all`, or those who take
   * part.
   */
  readonly guests?: 'all' | 'who take part';
}

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** The parameters in the path. */
export type ParametersOf<R extends Route> = {
  readonly [Name in NamesIn<R['path']> & keyof typeof PARAMETERS]: string;
};

export type QueryOf<R extends Route> = R extends { readonly query: infer S } ? FromSchema<S> : object;

export type BodyOf<R extends Route> = R extends { readonly body: infer S } ? FromSchema<S> : undefined;

export type AnswerOf<R extends Route> = R['answer'] extends string ? Response : FromSchema<R['answer']>;

/**
 * The function that describes the routes of a group. It keeps their literal types. To `errors` it adds the codes
 * that follow from the path and the body.
 *
 * @example
 * const route = routesOf('Sessions');
 * const getSession = route('getSession', 'GET /api/llm/sessions/{id}', { does: 'One row of that list.', answer });
 */
export function routesOf<const Group extends string>(group: Group) {
  return <
    const Name extends string,
    Method extends Route['method'],
    Path extends string,
    const Rest extends Omit<Route, 'name' | 'method' | 'path' | 'group' | 'errors'> & Partial<Pick<Route, 'errors'>>,
  >(
    name: Name,
    endpoint: `${Method} ${Path}`,
    rest: Rest,
  ): { readonly name: Name; readonly method: Method; readonly path: Path; readonly group: Group } & Rest &
    Pick<Route, 'errors'> => {
    const [method, path] = endpoint.split(' ') as [Method, Path];
    const errors = [...new Set([...impliedBy(path, rest), ...(rest.errors ?? [])])];
    return { name, method, path, group, ...rest, errors };
  };
}

function impliedBy(path: string, { body, upload }: Pick<Route, 'body' | 'upload'>): readonly RouteErrorCode[] {
  return [
    ...(path.includes('{') ? (['INVALID_PARAMETER'] as const) : []),
    ...(path.includes('{provider}') ? (['UNSUPPORTED_PROVIDER'] as const) : []),
    ...(body !== undefined || upload !== undefined ? (['INVALID_REQUEST_BODY'] as const) : []),
    ...(path.includes('{id}') ? (['SESSION_NOT_FOUND'] as const) : []),
  ];
}
