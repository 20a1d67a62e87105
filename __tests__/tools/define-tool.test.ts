import { defineTool } from '../../lib/tools/define-tool.ts';
import { simplePolicy } from '../../lib/tools/simple-policy.ts';
import type { ToolMeans } from '../../lib/tools/tool.ts';

const PLACE = { root: '/', cwd: '/' };
const MEANS: ToolMeans = {
  signal: new AbortController().signal,
  runProgram: () => Promise.reject(new Error('No programs here.')),
  onProgress: () => undefined,
};

describe('a tool from defineTool', () => {
  it('calls its function, with arguments that no caller can change afterwards', async () => {
    const tool = defineTool<{ list: string[] }>({
      name: 'join',
      description: 'Joins.',
      run: ({ list }) => list.join(),
    });
    const args = { list: ['a', 'b'] };
    const plan = await tool.plan(args, PLACE);
    args.list.push('c');
    expect(await plan.run(MEANS)).toEqual({ content: 'a,b' });
    expect(plan.action).toEqual({ tool: 'join', summary: 'join {"list":["a","b"]}', isReadOnly: false, accesses: [] });
  });

  it('describes a call in its own words', async () => {
    const tool = defineTool<{ city: string }>({
      name: 'weather',
      description: 'Weather.',
      isReadOnly: true,
      summary: ({ city }) => `Look up the weather of ${city}`,
      run: () => ({ content: 'Rain.', display: '☔' }),
    });
    const plan = await tool.plan({ city: 'Bergen' }, PLACE);
    expect(plan.action).toMatchObject({ summary: 'Look up the weather of Bergen', isReadOnly: true });
    expect(await plan.run(MEANS)).toEqual({ content: 'Rain.', display: '☔' });
  });

  it.each(['', 'a b', 'ü', 'x'.repeat(65)])('cannot be named %j', (name) => {
    expect(() => defineTool({ name, description: '', run: () => '' })).toThrow(/^defineTool takes a name of letters/);
  });
});

it('the policy of a program without one allows reading, asks about the rest, and remembers grants', () => {
  const policy = simplePolicy();
  const action = { tool: 'save', summary: '', isReadOnly: false, accesses: [] };
  expect(policy.decide({ ...action, isReadOnly: true })).toMatchObject({ kind: 'allow' });
  expect(policy.decide({ ...action, isReadOnly: true, accesses: [{ kind: 'write', path: '/a' }] }).kind).toBe('ask');
  expect(policy.decide({ ...action, isReadOnly: true, isRemote: true }).kind).toBe('ask');
  const command = { kind: 'shell', line: 'ls', cwd: '/' } as const;
  expect(policy.decide({ ...action, isReadOnly: true, command }).kind).toBe('ask');
  expect(policy.decide(action)).toMatchObject({ kind: 'ask', grant: 'save' });
  policy.grant('save');
  expect(policy.decide(action)).toEqual({ kind: 'allow', by: 'grant', rule: 'save' });
  expect(policy.decide({ ...action, tool: 'drop' }).kind).toBe('ask');
});
