import { discover } from '../../../lib/discovery/index.ts';
import { nodeFileSystem, systemIds } from '../../../lib/platform/index.ts';
import { checkArguments } from '../../../lib/tools/arguments.ts';
import { createBuiltinTools } from '../../../lib/tools/builtin/index.ts';
import { BUILTIN_TOOL_NAMES } from '../../../lib/tools/builtin/names.ts';
import { createToolbox } from '../../../lib/tools/toolbox.ts';

const recall = { find: async () => ({ passages: [], notes: [] }) };
const skills = { trusted: async () => [], instruct: async () => {} };
const history = { search: async () => [], read: async () => [] };

function tools() {
  return createBuiltinTools({
    fileSystem: nodeFileSystem,
    ids: systemIds,
    discovery: async () => discover,
    history,
    recall,
    skills,
    agents: { newId: () => 'agent-00000000-x', run: async () => ({ content: '' }) },
    web: { privateHosts: [], mayFetch: () => false, search: 'https://searx.example/search' },
    maxOutputTokens: 8192,
    timeoutMs: 120_000,
    maxOutputBytes: 1024,
  });
}

const NAMES = [
  'file_read',
  'file_write',
  'file_edit',
  'list_files',
  'search_files',
  'bash',
  'git',
  'history_read',
  'recall',
  'skill_read',
  'todo_write',
  'web_fetch',
  'web_search',
  'agent',
];

test('the built-in tools are these, always in this order and with the same texts', () => {
  expect(tools().map(({ name }) => name)).toEqual(NAMES);
  expect(BUILTIN_TOOL_NAMES).toEqual(NAMES);
  expect(JSON.stringify(tools())).toBe(JSON.stringify(tools()));
  expect(createToolbox(tools()).tools).toHaveLength(NAMES.length);
});

describe.each(tools().map((tool) => [tool.name, tool] as const))('%s', (name, tool) => {
  test('has a schema that describes each member', () => {
    const { properties, additionalProperties } = tool.parameters as {
      properties: Record<string, { type: string; description: string }>;
      additionalProperties: boolean;
    };
    expect(additionalProperties).toBe(false);
    for (const [member, { type, description }] of Object.entries(properties)) {
      expect(member).toMatch(/^[a-z_]+$/);
      expect(type).toMatch(/^(string|integer|boolean|array)$/);
      expect(description).toMatch(/^[A-Z“].{5,150}\.$/);
    }
  });

  test('has a name that every provider accepts, and a short description', () => {
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(tool.description).toMatch(/^[A-Z].{40,400}\.$/);
    expect(tool.origin).toBe('builtin');
  });

  test('has valid examples', async () => {
    const { examples } = tool.parameters as { examples: readonly object[] };
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(await checkArguments(tool, example)).toEqual({ ok: true, args: example });
  });

  test('has a valid schema, which is not compiled at a call', async () => {
    const asAnothers = { name, parameters: { ...tool.parameters } };
    const [example] = (tool.parameters as { examples: readonly object[] }).examples;
    expect(await checkArguments(asAnothers, example)).toEqual({ ok: true, args: example });
  });
});

test('the descriptions of all built-in tools together stay short', () => {
  const told = tools().map(({ name, description, parameters }) => ({ name, description, parameters }));
  expect(JSON.stringify(told).length).toBeLessThan(11_000);
});
