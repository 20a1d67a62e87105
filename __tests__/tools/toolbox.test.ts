import type { Tool } from '../../lib/tools/tool.ts';
import { createToolbox } from '../../lib/tools/toolbox.ts';

function tool(name: string, description = name): Tool {
  return {
    name,
    description,
    parameters: { type: 'object' },
    origin: 'program',
    plan: () => Promise.reject(new Error()),
  };
}

test('tools are found by their names, and keep their order', () => {
  const toolbox = createToolbox([tool('b'), tool('a')]);
  expect(toolbox.tools.map(({ name }) => name)).toEqual(['b', 'a']);
  expect(toolbox.find('a')?.name).toBe('a');
});

test('of two tools with one name the first stays: no foreign tool replaces a built-in one', () => {
  const toolbox = createToolbox([tool('bash', 'ours'), tool('bash', 'theirs')]);
  expect(toolbox.find('bash')?.description).toBe('ours');
  expect(toolbox.tools).toHaveLength(1);
});

test.each(['nope', '', 'Bash', 'constructor', '__proto__'])('an unknown tool is not found: %j', (name) => {
  expect(createToolbox([tool('bash')]).find(name)).toBeUndefined();
});
