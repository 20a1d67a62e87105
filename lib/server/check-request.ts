// Checks a request by its route: parameters, query and body. The validator is loaded at the first request that has
// something to check, and each schema compiled at its first use.
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { PARAMETERS } from '../api/parameters.ts';
import { parametersIn } from '../api/parameters-in.ts';
import type { Route } from '../api/route.ts';
import type { Schema } from '../api/schema.ts';
import { SHAPES } from '../api/shapes.ts';
import { kept } from '../platform/once.ts';
import { ApiFailure } from './failure.ts';

const DEFAULT_BODY_BYTES = 1024 * 1024;
/** For a route that reads no body. */
const IGNORED_BODY_BYTES = 1024;
const MAX_PROBLEMS = 5;

/** @throws ApiFailure INVALID_PARAMETER */
export function checkParameters(
  { path }: Route,
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  for (const name of parametersIn(path)) {
    if (new RegExp(PARAMETERS[name].pattern).test(given[name] ?? '')) continue;
    throw new ApiFailure(
      'INVALID_PARAMETER',
      `“${name}” in the path is not of its form: ${PARAMETERS[name].description}`,
    );
  }
  return given;
}

/** The validator would take every text that JavaScript reads as a number: `0x10`, `1e2`, ` 7`. */
const WHOLE_NUMBER = /^-?(?:0|[1-9]\d*)$/;

/** Texts become the numbers and truth values that the schema names. @throws ApiFailure INVALID_QUERY */
export async function checkQuery({ query }: Route, given: URLSearchParams): Promise<object> {
  const values: Record<string, unknown> = {};
  for (const [name, value] of given) {
    if (Object.hasOwn(values, name)) throw new ApiFailure('INVALID_QUERY', `“${name}” is there more than once.`);
    Object.defineProperty(values, name, { value, enumerable: true, writable: true, configurable: true });
  }
  if (query === undefined) {
    const [unknown] = Object.keys(values);
    if (unknown === undefined) return values;
    throw new ApiFailure('INVALID_QUERY', 'This route has no query.');
  }
  for (const [name, { type }] of Object.entries<Schema>(query.properties)) {
    const value = values[name];
    if (type !== 'integer' || value === undefined || WHOLE_NUMBER.test(String(value))) continue;
    throw new ApiFailure('INVALID_QUERY', `“${name}” is not a whole number in decimal digits.`);
  }
  const validate = await validatorOf(query, 'query');
  if (!validate(values)) throw new ApiFailure('INVALID_QUERY', sentenceOf('The query', validate.errors));
  return values;
}

/** Checks the announced length. @throws ApiFailure BODY_TOO_LARGE */
export function checkLength(route: Route, request: Request): void {
  if (Number(request.headers.get('content-length') ?? 0) > mostBytes(route)) throw tooLarge(mostBytes(route));
}

function mostBytes({ body, maxBodyBytes }: Route): number {
  return maxBodyBytes ?? (body === undefined ? IGNORED_BODY_BYTES : DEFAULT_BODY_BYTES);
}

/** @throws ApiFailure UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE, INVALID_REQUEST_BODY */
export async function checkBody(route: Route, request: Request): Promise<unknown> {
  const { body: schema, upload } = route;
  if (schema === undefined && upload === undefined) return undefined;
  const wanted = upload ?? 'application/json';
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';');
  if (type.trim().toLowerCase() !== wanted) {
    throw new ApiFailure('UNSUPPORTED_MEDIA_TYPE', `The body of this route is of the media type ${wanted}.`);
  }
  if (schema === undefined) return undefined;
  const value = parseJson(await readBody(request, mostBytes(route)));
  const validate = await validatorOf(schema, 'body');
  if (!validate(value)) throw new ApiFailure('INVALID_REQUEST_BODY', sentenceOf('The body', validate.errors));
  return value;
}

/** Holds at most `maxBytes` bytes. @throws ApiFailure BODY_TOO_LARGE, INVALID_REQUEST_BODY: it was cut off */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of request.body ?? []) {
      length += piece.byteLength;
      if (length > maxBytes) throw tooLarge(maxBytes);
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof ApiFailure) throw error;
    throw new ApiFailure('INVALID_REQUEST_BODY', 'The body was cut off.');
  }
  return Buffer.concat(pieces);
}

function tooLarge(maxBytes: number): ApiFailure {
  return new ApiFailure('BODY_TOO_LARGE', `The body is larger than ${maxBytes} bytes.`, { maxBytes });
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new ApiFailure('INVALID_REQUEST_BODY', 'The body is not JSON in UTF-8.');
  }
}

/** The schemas are our own: to check them with that of schemas would block the thread at the first request. */
const OWN_SCHEMAS = { meta: false, validateSchema: false } as const;

const validators = new WeakMap<Schema, Promise<ValidateFunction>>();
const dialects = new Map<'query' | 'body', Promise<Ajv2020>>();

function validatorOf(schema: Schema, kind: 'query' | 'body'): Promise<ValidateFunction> {
  return kept(validators, schema, async () => (await kept(dialects, kind, loadDialect)).compile(schema));
}

async function loadDialect(kind: 'query' | 'body'): Promise<Ajv2020> {
  const { Ajv2020: Dialect } = await import('ajv/dist/2020.js');
  const coerceTypes = kind === 'query';
  const ajv = new Dialect({ strict: false, coerceTypes, useDefaults: true, logger: false, ...OWN_SCHEMAS });
  for (const [name, shape] of Object.entries(SHAPES)) ajv.addSchema(shape, `#/components/schemas/${name}`);
  return ajv;
}

function sentenceOf(what: string, errors: readonly ErrorObject[] | null | undefined): string {
  const problems = (errors ?? []).slice(0, MAX_PROBLEMS).map(({ instancePath, message, params }) => {
    const extra = 'additionalProperty' in params ? ` (${JSON.stringify(params.additionalProperty).slice(0, 60)})` : '';
    return `${instancePath || 'it'} ${message}${extra}`;
  });
  return `${what} is not what this route takes: ${problems.join('; ')}.`;
}
