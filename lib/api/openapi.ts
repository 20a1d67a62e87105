// The table of routes as an OpenAPI 3.1 document.
import { errorOf } from './errors.ts';
import { errorsOf } from './errors-of.ts';
import { PARAMETERS } from './parameters.ts';
import { parametersIn } from './parameters-in.ts';
import type { Route } from './route.ts';
import { type Schema, shape } from './schema.ts';
import { SHAPES } from './shapes.ts';

const JSON_TYPE = 'application/json';
const COOKIE = 'The name has the port of the server, and begins with “__Host-” where there is TLS.';

/**
 * @example
 * openApiOf(ROUTES, { version: '0.1.0' }).paths['/health'];
 */
export function openApiOf(routes: readonly Route[], { version }: { readonly version: string }) {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = operationOf(route);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'ollm', version, description: 'Sessions of language models over HTTP.' },
    paths,
    components: {
      schemas: SHAPES,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        browser: { type: 'apiKey', in: 'cookie', name: 'ollm-4700', description: COOKIE },
      },
    },
    security: [{ token: [] }, { browser: [] }],
  };
}

function operationOf(route: Route): object {
  const { name, group, does, query, body, upload, open } = route;
  const inPath = parametersIn(route.path).map((each) => ({
    name: each,
    in: 'path',
    required: true,
    schema: PARAMETERS[each],
  }));
  const inQuery = Object.entries(query?.properties ?? {}).map(([each, schema]) => ({
    name: each,
    in: 'query',
    required: query?.required?.includes(each) ?? false,
    schema,
  }));
  const content = body ? { [JSON_TYPE]: { schema: body } } : upload === undefined ? undefined : { [upload]: {} };
  return {
    operationId: name,
    summary: does,
    tags: [group],
    parameters: [...inPath, ...inQuery],
    ...(content && { requestBody: { required: true, content } }),
    ...(open && { security: [] }),
    responses: { [route.status ?? 200]: { description: 'Done.', content: contentOf(route) }, ...failuresOf(route) },
  };
}

function contentOf({ answer, bare }: Route): object {
  if (typeof answer === 'string') return { [answer]: {} };
  const schema: Schema = bare
    ? answer
    : { type: 'object', required: ['success', 'data'], properties: { success: { const: true }, data: answer } };
  return { [JSON_TYPE]: { schema } };
}

function failuresOf(route: Route): object {
  const byStatus = Map.groupBy(errorsOf(route), (code) => errorOf(code).status);
  return Object.fromEntries(
    [...byStatus].map(([status, some]) => [
      status,
      {
        description: some.map((code) => `${code}: ${errorOf(code).meaning}`).join(' '),
        content: { [JSON_TYPE]: { schema: shape('Error') } },
      },
    ]),
  );
}
