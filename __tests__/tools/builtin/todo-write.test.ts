import { createSessionGrants } from '../../../lib/tools/policy/grants.ts';
import { createPolicy } from '../../../lib/tools/policy/index.ts';
import { createScene } from './scene.ts';

const todos = [
  { content: 'Read the code', status: 'completed' },
  { content: 'Mend it', status: 'in_progress' },
  { content: 'Run the tests', status: 'pending' },
];

it('todo_write reports the progress, and shows the list', async () => {
  using scene = createScene();
  const plan = await scene.plan('todo_write', { todos });
  expect(plan.action.summary).toBe('1 of 3 done, now: Mend it');
  expect(await scene.run(plan)).toEqual({
    content: 'The list is kept: 1 of 3 done.',
    display: '☑ Read the code\n▸ Mend it\n☐ Run the tests',
  });
  expect(await scene.call('todo_write', { todos: [] })).toBe('The list is kept: Nothing to do.');
});

it.each(['ask', 'plan', 'edits', 'auto'] as const)('todo_write needs no permission in the mode %s', async (mode) => {
  using scene = createScene();
  const places = { root: scene.root, home: scene.outside, homeDirectory: scene.outside, protectedPaths: [] };
  const settings = { allow: [], ask: [], deny: [], readable: [], writable: [], hidden: [], sandbox: 'off' } as const;
  const { policy } = await createPolicy({
    ...places,
    settings,
    grants: createSessionGrants(() => 0),
    isConfined: false,
    mode: () => mode,
  });
  const { action } = await scene.plan('todo_write', { todos });
  expect(policy.decide(action)).toMatchObject({ kind: 'allow', rule: 'default:no-effect' });
});

it.each([
  [{}, /`todos` is missing/],
  [{ todos: [{ content: 'x', status: 'begun' }] }, /status/],
  [{ todos: [{ content: 'x'.repeat(201), status: 'pending' }] }, /200/],
  [{ todos: Array(51).fill({ content: 'x', status: 'pending' }) }, /50/],
  [{ todos: [{ content: '   ', status: 'pending' }] }, /Each entry needs a content that says something\./],
])('todo_write refuses %j', async (args, words) => {
  using scene = createScene();
  expect(await scene.failure('todo_write', args)).toMatch(words);
});
