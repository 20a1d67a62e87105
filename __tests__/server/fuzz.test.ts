// Every route from its own schema: valid requests and nearly valid ones. For any request the answer is never a fault of
// the server's, and matches the table.
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { errorOf, type RouteErrorCode } from '../../lib/api/errors.ts';
import { errorsOf } from '../../lib/api/errors-of.ts';
import { PARAMETERS } from '../../lib/api/parameters.ts';
import { parametersIn } from '../../lib/api/parameters-in.ts';
import type { Route } from '../../lib/api/route.ts';
import { ROUTES } from '../../lib/api/routes.ts';
import type { Schema } from '../../lib/api/schema.ts';
import { SHAPES } from '../../lib/api/shapes.ts';
import { createHome, type Home } from '../support/cli.ts';
import { type Served, serve } from '../support/served.ts';

const RUNS = 60;
/** Where a parameter makes a path of another form. */
const ELSEWHERE = ['NOT_FOUND', 'METHOD_NOT_ALLOWED'];
/** What other programs do, or do not do. */
const OUTSIDE = ['PROVIDER_UNREACHABLE', 'PROVIDER_KEY', 'BUSY'];
/** Programs whose directories are not there: no session can be written for them. */
const NOT_THERE = /is not there: nothing was written/;

/** Values of a schema, and others. */
function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.oneof(fc.constantFrom(...schema.enum), fc.string());
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valuesOf));
  switch (schema.type) {
    case 'integer':
    case 'number':
      return fc.oneof(
        fc.integer({ min: schema.minimum ?? -5, max: Math.min(schema.maximum ?? 1e6, 1e6) }),
        fc.constantFrom(-1, 0, 1.5, 1e21, Number.MAX_SAFE_INTEGER),
      );
    case 'boolean':
      return fc.oneof(fc.boolean(), fc.constant('perhaps'));
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}), { maxLength: 3 });
    case 'object':
      return objectOf(schema);
    default:
      return fc.oneof(
        fc.string({ maxLength: 40 }),
        fc.constantFrom('', '\u0000', '../..', '2026-01-01', '/tmp', '@last', '"'),
      );
  }
}

function objectOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<object> {
  const members = Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, valuesOf(each)]));
  const requiredKeys = required.filter((name) => name in members);
  return fc.oneof(
    { weight: 5, arbitrary: fc.record(members, { requiredKeys }) as fc.Arbitrary<object> },
    { weight: 1, arbitrary: fc.record({ ...members, [`x${Math.abs(1)}`]: fc.anything() }) as fc.Arbitrary<object> },
  );
}

const parameter = (name: keyof typeof PARAMETERS) =>
  fc.oneof(
    fc.constantFrom('walk', 'ollm:walk', 'claude:none', 'none', '0'.repeat(64), 'ollm'),
    fc.stringMatching(new RegExp(PARAMETERS[name].pattern)),
    fc.string({ minLength: 1, maxLength: 20 }),
  );

const rows = (ROUTES as readonly Route[]).map((route) => [`${route.method} ${route.path}`, route] as const);

describe('a route with arbitrary requests', () => {
  const ajv = new Ajv2020({ strict: false, logger: false });
  for (const [name, shape] of Object.entries(SHAPES)) ajv.addSchema(shape, `#/components/schemas/${name}`);
  let home: Home;
  let server: Served;
  beforeAll(async () => {
    home = createHome();
    await home.append('walk', [
      { type: 'message.added', data: { role: 'user', parts: [{ type: 'text', text: 'oak' }], trusted: true } },
    ]);
    server = await serve(home);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  });

  it.each(rows)('%s', async (_, route) => {
    const names = parametersIn(route.path);
    const request = fc.record({
      parameters: fc.tuple(...names.map(parameter)),
      query: route.query ? objectOf(route.query) : fc.constant({}),
      body: route.body ? fc.oneof(objectOf(route.body), fc.anything()) : fc.constant(undefined),
    });
    const codes = errorsOf(route);
    const answers = typeof route.answer === 'string' ? undefined : ajv.compile(route.answer);
    await fc.assert(
      fc.asyncProperty(request, async ({ parameters, query, body }) => {
        const filled = names.reduce(
          (path, name, index) => path.replace(`{${name}}`, encodeURIComponent(wellFormed(parameters[index] as string))),
          route.path,
        );
        const search = new URLSearchParams(
          Object.entries(query).map(([name, value]) => [name, textOf(value)] as [string, string]),
        );
        const text = body === undefined ? undefined : (JSON.stringify(body) ?? '{');
        const answer = await server.ask(`${filled}?${search}`, {
          method: route.method,
          headers: { origin: server.address, ...(text !== undefined && { 'content-type': 'application/json' }) },
          ...(text !== undefined && { body: text }),
        });
        const isOutside = OUTSIDE.includes(answer.body?.error?.code) || NOT_THERE.test(answer.body?.error?.message);
        if (answer.status >= 500 && !isOutside) {
          throw new Error(`${answer.status}: ${answer.text}`);
        }
        if (answer.status < 300 && answers && !answers(route.bare ? answer.body : answer.body.data)) {
          throw new Error(
            `not what the table says: ${JSON.stringify(answers.errors)} in ${answer.text.slice(0, 1000)}`,
          );
        }
        if (answer.status < 400) return;
        expect(answer.body).toMatchObject({ success: false, error: { code: expect.any(String) } });
        const code = answer.body.error.code as RouteErrorCode;
        if (!ELSEWHERE.includes(code) && !codes.has(code)) {
          throw new Error(`${code} is not among the codes of the route: ${answer.text}`);
        }
        expect(answer.status).toBe(errorOf(code).status);
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: 60_000 },
    );
    await restoreWalk(server);
  });
});

async function restoreWalk(server: Served): Promise<void> {
  if ((await server.ask('/api/llm/sessions/walk')).status === 404) await server.post('/api/llm/sessions/walk/restore');
}

/** What a path can hold. */
function wellFormed(text: string): string {
  return text.toWellFormed() || '-';
}

/** What a client writes into an address. An object of any shape has a text too. */
function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
