import fc from 'fast-check';
import { checkArguments } from '../../lib/tools/arguments.ts';

const TOOL = {
  name: 'file_read',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', minLength: 1 },
      from_line: { type: 'integer', minimum: 1 },
      mode: { enum: ['text', 'hex'] },
      edits: { type: 'array', items: { type: 'object', properties: { at: { type: 'integer' } }, required: ['at'] } },
    },
    required: ['path'],
    additionalProperties: false,
    examples: [{ path: 'README.md', from_line: 1 }],
  },
};

async function messageFor(args: unknown, tool: { name: string; parameters: object } = TOOL): Promise<string> {
  const checked = await checkArguments(tool, args);
  if (checked.ok) throw new Error('they were accepted');
  return checked.message;
}

describe('valid arguments', () => {
  test.each<[unknown, object]>([
    [{ path: 'a' }, { path: 'a' }],
    [
      { path: 'a', from_line: 3, mode: 'hex', edits: [{ at: 1 }] },
      { path: 'a', from_line: 3, mode: 'hex', edits: [{ at: 1 }] },
    ],
    ['{"path":"a"}', { path: 'a' }],
  ])('are accepted: %j', async (args, expected) => {
    expect(await checkArguments(TOOL, args)).toEqual({ ok: true, args: expected });
  });

  test.each([undefined, null, '', '{}', {}])('may be missing, as in %j, if the tool needs none', async (args) => {
    const tool = { name: 'list_files', parameters: { type: 'object', properties: {} } };
    expect(await checkArguments(tool, args)).toEqual({ ok: true, args: {} });
  });
});

describe('invalid arguments', () => {
  test.each<[args: unknown, problem: string]>([
    [{}, '- `path` is missing.'],
    [undefined, '- `path` is missing.'],
    ['{"path": "a"', '- They are not valid JSON: '],
    ['README.md', '- They are not valid JSON: '],
    ['"README.md"', '- They must be one JSON object, not the string "README.md".'],
    [['README.md'], '- They must be one JSON object, not a list.'],
    [7, '- They must be one JSON object, not the number 7.'],
    [{ path: 5 }, '- `path` must be a text, not the number 5.'],
    [{ path: null }, '- `path` must be a text, not null.'],
    [{ path: '' }, '- `path` must NOT have fewer than 1 characters; it is "".'],
    [{ path: 'a', from_line: '3' }, '- `from_line` must be a whole number, not the string "3".'],
    [{ path: 'a', from_line: 0 }, '- `from_line` must be >= 1; it is 0.'],
    [{ path: 'a', from_line: 1.5 }, '- `from_line` must be a whole number, not the number 1.5.'],
    [{ path: 'a', mode: 'octal' }, '- `mode` must be one of "text", "hex", not "octal".'],
    [{ path: 'a', fromLine: 3 }, '- `fromLine` is not known. Did you mean `from_line`?'],
    [{ path: 'a', nope: 3 }, '- `nope` is not known. Known: `path`, `from_line`, `mode`, `edits`.'],
    [{ path: 'a', edits: [{ at: 1 }, {}] }, '- `edits[1].at` is missing.'],
    [JSON.parse('{"path":"a","__proto__":{"x":1}}'), '- They must not have a member called "__proto__".'],
    [JSON.parse('{"path":"a","edits":[{"at":1,"__proto__":1}]}'), '- They must not have a member called "__proto__".'],
    [{ path: 'a', constructor: 1 }, '- `constructor` is not known.'],
    [{ path: 'a', edits: nested(5000) }, '- They must not be nested more than 64 levels deep.'],
  ])('are refused with a helpful explanation: %p', async (args, problem) => {
    const message = await messageFor(args);
    expect(message).toContain(`The arguments of file_read are not right:\n${problem}`);
    expect(message).toContain('Expected: `path` (a text, required), `from_line` (a whole number), ');
    expect(message).toContain('Example: {"path":"README.md","from_line":1}');
    expect(message).toMatch(/Nothing was done\. Call it again with corrected arguments\.$/);
  });

  test('at many places are reported only for some of them', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x${index}`, 1]));
    const message = await messageFor({ path: 'a', ...unknown });
    expect(message.match(/^- /gm)).toHaveLength(7);
    expect(message).toContain('… and 494 more.');
  });

  test('are quoted only in part', async () => {
    const message = await messageFor({ path: 'x', mode: '🎉'.repeat(100_000), ['y'.repeat(100_000)]: 1 });
    expect(message.length).toBeLessThan(2_000);
    expect(message.isWellFormed()).toBe(true);
  });

  test('are answered with an example made from the required members, if the schema has none', async () => {
    const parameters = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        count: { type: 'integer' },
        kind: { enum: ['a', 'b'] },
        on: { type: 'boolean' },
      },
      required: ['name', 'count', 'kind', 'on'],
    };
    expect(await messageFor({}, { name: 'made', parameters })).toContain(
      'Example: {"name":"…","count":1,"kind":"a","on":true}',
    );
  });

  test('of any shape never break the check', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.jsonValue(), fc.string(), fc.anything()), async (args) => {
        const checked = await checkArguments(TOOL, args);
        if (checked.ok) expect(typeof checked.args.path).toBe('string');
        else expect(checked.message).toMatch(/^The arguments of file_read are not right:\n- .+/);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the schema of a foreign tool', () => {
  const withPath = (path: object) => ({ type: 'object', properties: { path }, required: ['path'] });

  test.each<[string, object, RegExp]>([
    ['that is not an object', { type: 'string' }, /describes no object/],
    ['without a type', {}, /describes no object/],
    [
      'with a reference elsewhere',
      withPath({ $ref: 'https://example.com/schema.json' }),
      /refers to a schema elsewhere/,
    ],
    ['with a reference to a file', withPath({ $ref: 'file:///etc/passwd' }), /refers to a schema elsewhere/],
    ['with a dynamic reference elsewhere', withPath({ $dynamicRef: 'other#x' }), /refers to a schema elsewhere/],
    ['with a reference to nothing', withPath({ $ref: '#/$defs/nothing' }), /is not valid/],
    ['with words that mean nothing', withPath({ type: 'strange' }), /is not valid/],
    ['with a broken pattern', withPath({ type: 'string', pattern: '(' }), /is not valid/],
    [
      'that is too large',
      withPath({ enum: Array.from({ length: 60_000 }, (_, index) => `v${index}`) }),
      /is too large/,
    ],
    ['that is nested too deeply', withPath(nested(2000)), /must not be nested more than 64/],
    ['with __proto__ in it', JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'), /__proto__/],
  ])('%s is refused, and the call with it', async (_, parameters, reason) => {
    const message = await messageFor({ path: 'a' }, { name: 'theirs', parameters });
    expect(message).toMatch(/^theirs cannot be called: the schema of its arguments /);
    expect(message).toMatch(reason);
  });

  test.each<[string, object]>([
    ['of an older dialect', { $schema: 'http://json-schema.org/draft-07/schema#', ...withPath({ type: 'string' }) }],
    ['with a name', { $id: 'https://example.com/tool', ...withPath({ type: 'string' }) }],
    [
      'with the name of a second one',
      { $id: 'https://example.com/tool', ...withPath({ type: 'string', minLength: 1 }) },
    ],
    ['with a member called $ref', { type: 'object', properties: { $ref: { type: 'string' }, path: {} } }],
    ['with references inside', { ...withPath({ $ref: '#/$defs/path' }), $defs: { path: { type: 'string' } } }],
    ['that refers to itself', { ...withPath({ type: 'string' }), properties: { path: {}, next: { $ref: '#' } } }],
    ['with formats and words of its own', withPath({ type: 'string', format: 'uri', 'x-order': 3 })],
  ])('%s is accepted', async (_, parameters) => {
    expect(await checkArguments({ name: 'theirs', parameters }, { path: 'a' })).toMatchObject({ ok: true });
  });

  test('cannot make the check hang by its pattern', async () => {
    const parameters = withPath({ type: 'string', pattern: '^(a+)+$' });
    expect(await checkArguments({ name: 'theirs', parameters }, { path: 'aaa' })).toMatchObject({ ok: true });
    expect(await messageFor({ path: `${'a'.repeat(200)}!` }, { name: 'theirs', parameters })).toContain(
      '- They take too long to check. Give shorter ones.',
    );
  });

  test('cannot pass every call by being asynchronous', async () => {
    const parameters = { $async: true, ...withPath({ type: 'string' }) };
    expect(await messageFor({ path: 5 }, { name: 'theirs', parameters })).toContain('`path` must be a text');
  });

  test('may report many items of a long list, of which only some are shown', async () => {
    const list = Array.from({ length: 200_000 }, () => 'x');
    const parameters = { type: 'object', properties: { list: { type: 'array', items: { type: 'integer' } } } };
    expect((await messageFor({ list }, { name: 'theirs', parameters })).length).toBeLessThan(2_000);
  });

  test('is compiled once, however often the tool is called', async () => {
    let reads = 0;
    const parameters = {
      get type() {
        reads += 1;
        return 'object';
      },
    };
    await checkArguments({ name: 'theirs', parameters }, {});
    const before = reads;
    await checkArguments({ name: 'theirs', parameters }, {});
    expect(before).toBeGreaterThan(0);
    expect(reads).toBe(before);
  });
});

function nested(depth: number): object {
  let value: object = {};
  for (let level = 0; level < depth; level += 1) value = { items: value };
  return value;
}
