// Servers whose tools and results are odd in one place: each tool and each piece counts by itself, what a model is
// offered can be called, and no text of a validator gets out.
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { currentSchema } from '../../lib/mcp/current-schema.ts';
import { safeSchema } from '../../lib/mcp/safe-schema.ts';
import { checkArguments } from '../../lib/tools/arguments.ts';
import { BROKEN, callTool, type McpWorld, mcpWorld, programWith, settingsOf } from './world.ts';

let world: McpWorld;
beforeEach(() => {
  world = mcpWorld();
});
afterEach(() => world.end());

const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_4 = 'http://json-schema.org/draft-04/schema#';
const DUMP = /"code"|invalid_|ZodError|\[object|data\/|unrecognized/i;
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const tool = (name: string, inputSchema: unknown, more: object = {}) => ({ name, inputSchema, ...more });
const listing = (tools: readonly unknown[], results: object = {}) =>
  settingsOf(
    's',
    programWith({ MCP_TOOLS: JSON.stringify(tools), MCP_RESULTS: JSON.stringify(results) }, BROKEN, 'listed'),
  );

/** Left out, with a part of the reason. */
const LEFT_OUT: readonly (readonly [tool: unknown, why: string])[] = [
  [tool('root-string', { type: 'string' }), 'its arguments are not an object'],
  [{ name: 'no-schema' }, 'it has no schema'],
  [tool('schema-number', 7), 'is not an object'],
  [tool('required-in-properties', object({ coin: { type: 'string' }, required: ['coin'] })), '/properties/required'],
  [tool('bad-reference', object({ s: { $ref: '#/$defs/Missing' } })), '#/$defs/Missing'],
  [tool('bad-type', object({ a: { type: 'text' } })), '/properties/a/type'],
  [{ inputSchema: { type: 'object' } }, 'without a name'],
  [7, 'without a name'],
];

/** Taken, with arguments that fit and arguments that do not. */
const TAKEN: readonly (readonly [
  tool: { readonly name: string },
  fits: Readonly<Record<string, unknown>>,
  not?: object,
])[] = [
  [tool('empty-schema', {}), { a: 1 }],
  [tool('null-or-object', { type: ['object', 'null'] }), {}],
  [
    tool('odd-members', object({}), { description: 7, annotations: 'odd', outputSchema: 7, icons: 'odd', title: 7 }),
    {},
  ],
  [
    tool('root-any-of', object({ a: {}, b: {} }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] })),
    { input: { a: 1 } },
    { input: {} },
  ],
  [tool('root-all-of', { type: 'object', allOf: [{ required: ['a'] }] }), { input: { a: 1 } }, { a: 1 }],
  [
    tool('root-reference', {
      type: 'object',
      $ref: '#/$defs/A',
      $defs: { A: object({ a: { $ref: '#/$defs/B' } }), B: { type: 'string' } },
    }),
    { input: { a: 'x' } },
    { input: { a: 1 } },
  ],
  [
    tool(
      'draft-7',
      object(
        { t: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] }, p: { $ref: '#/definitions/P' } },
        { $schema: DRAFT_7, definitions: { P: { type: 'string' } } },
      ),
    ),
    { t: ['a', 1], p: 'x' },
    { t: [1] },
  ],
  [
    tool(
      'tuple-without-dialect',
      object({ t: { type: 'array', items: [{ type: 'string' }], additionalItems: false } }),
    ),
    { t: ['a'] },
    { t: ['a', 1] },
  ],
  [
    tool(
      'draft-4',
      object({ n: { type: 'number', minimum: 0, exclusiveMinimum: true } }, { $schema: DRAFT_4, id: 'here' }),
    ),
    { n: 1 },
    { n: 0 },
  ],
];

test('each tool of a server counts separately: an odd one is left out with its reason before it is approved', async () => {
  const servers = world.open([listing([...LEFT_OUT.map(([odd]) => odd), ...TAKEN.map(([odd]) => odd)])]);
  await servers.start();
  expect(servers.reports[0]?.status).toEqual({ kind: 'ready' });
  expect(servers.pending.map(({ definition }) => definition.remoteName)).toEqual(TAKEN.map(([{ name }]) => name));
  const told = [...servers.takeNotices(), ...world.log].join('\n');
  for (const [, why] of LEFT_OUT) expect(told).toContain(why);
  expect(told).not.toMatch(DUMP);
});

test('an offered tool can be called, with the arguments that its schema allows in its own dialect', async () => {
  const results = Object.fromEntries(
    TAKEN.map(([{ name }]) => [name, { content: [{ type: 'text', text: `ran ${name}` }] }]),
  );
  const servers = await world.approved([
    listing(
      TAKEN.map(([odd]) => odd),
      results,
    ),
  ]);
  for (const [{ name }, fits, not] of TAKEN) {
    const offered = servers.tools.find((each) => each.name === `mcp__s__${name}`)!;
    expect(await checkArguments(offered, fits)).toMatchObject({ ok: true });
    if (not !== undefined) expect(await checkArguments(offered, not)).toMatchObject({ ok: false });
    expect(Object.keys(offered.parameters)).not.toEqual(expect.arrayContaining(['anyOf']));
    expect(await callTool(servers, offered.name, fits)).toMatchObject({ content: `ran ${name}` });
  }
});

test('an odd piece of a result is named, and the others are kept', async () => {
  const text = { type: 'text', text: 'the rows: 1, 2, 3' };
  const PIECES: Readonly<Record<string, readonly [content: unknown, told: string]>> = {
    hologram: [[text, { type: 'hologram', x: 1 }], 'of the type hologram that cannot be read'],
    untyped: [[text, { x: 1 }, null], 'a piece without a type that cannot be read'],
    untexted: [[text, { type: 'text' }], 'of the type text that cannot be read'],
    unnamed: [[text, { type: 'image', data: 'iVBORw0KGgo=' }], '[image 1'],
    garbled: [[text, { type: 'image', data: '####', mimeType: 'image/png' }], 'of the type image that cannot be read'],
    annotated: [[{ ...text, annotations: 'odd', _meta: 7 }], ''],
    linked: [[text, { type: 'resource_link', uri: 'reports://q3' }], 'link to reports://q3'],
    unresourced: [[text, { type: 'resource', resource: null }], 'of the type resource that cannot be read'],
    plain: [text.text, ''],
    'in-a-list': [[text.text], ''],
  };
  const results = Object.fromEntries(
    Object.entries(PIECES).map(([name, [content]]) => [name, { content, isError: 'no' }]),
  );
  const tools = Object.keys(PIECES).map((name) => tool(name, object({})));
  const servers = await world.approved([listing(tools, results)]);
  for (const [name, [, told]] of Object.entries(PIECES)) {
    const { content, status } = await callTool(servers, `mcp__s__${name}`);
    expect({ name, content, status }).toEqual({ name, content: expect.stringContaining(text.text), status: 'ok' });
    expect(content).toContain(told);
    expect(content).not.toMatch(DUMP);
  }
});

test('a schema of draft 7 allows the same values after its conversion', () => {
  const { schema } = fc.letrec<{ schema: object }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(
        {},
        { type: 'string' },
        { type: 'number', exclusiveMinimum: 1 },
        { const: 'a' },
        { $ref: '#/definitions/A' },
      ),
      fc.record(
        {
          items: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
          additionalItems: fc.oneof(fc.boolean(), tie('schema')),
        },
        { requiredKeys: ['items'] },
      ),
      fc.record({ items: tie('schema'), additionalItems: fc.boolean() }, { requiredKeys: ['items'] }),
      fc.record({ properties: fc.dictionary(fc.constantFrom('a', 'items', 'dependencies'), tie('schema')) }),
      fc.record({
        dependencies: fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(fc.constant(['items']), tie('schema'))),
      }),
      fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    ),
  }));
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'items', 'dependencies'), fc.constantFrom('a', 1, 2, null, ['a', 1])),
    fc.array(fc.constantFrom<unknown>('a', 1, 2, null, ['a']), { maxLength: 4 }),
  );
  const options = { strict: false, logger: false } as const;
  fc.assert(
    fc.property(schema, fc.array(value, { minLength: 1, maxLength: 8 }), (inner, values) => {
      const old = object({ v: inner }, { definitions: { A: { type: 'string' } } });
      const before = new Ajv(options).compile(structuredClone(old));
      const after = new Ajv2020(options).compile(currentSchema(old as never, DRAFT_7));
      for (const each of values) expect(after({ v: each })).toBe(before({ v: each }));
    }),
    { numRuns: 200 },
  );
});

test('a schema that is read again is equal, and no composition stays at its top', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.constantFrom('anyOf', 'not', 'enum', 'properties', '$ref', 'items'),
        fc.jsonValue({ maxDepth: 3 }),
      ),
      (more) => {
        const read = safeSchema({ type: 'object', ...more });
        if (!read.ok) return;
        expect(Object.keys(read.schema)).not.toEqual(expect.arrayContaining(['anyOf']));
        expect(safeSchema(read.schema as never)).toEqual({ ok: true, schema: read.schema, isWrapped: false });
      },
    ),
    { numRuns: 200 },
  );
});
