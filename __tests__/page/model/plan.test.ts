import { planOf } from '../../../lib/messages/plan-of-call.ts';
import { latestPlan } from '../../../lib/page/model/plan.ts';

const PLAN = [
  { content: 'Read', status: 'completed' },
  { content: 'Write', status: 'in_progress' },
];

describe('the plan of a call', () => {
  it("is read from the call of each program's own tool", () => {
    for (const name of ['TodoWrite', 'todo_write']) expect(planOf({ name, args: { todos: PLAN } })).toEqual(PLAN);
    const plan = PLAN.map(({ content, status }) => ({ step: content, status }));
    expect(planOf({ name: 'update_plan', args: { plan, explanation: 'why' } })).toEqual(PLAN);
    const todos = [
      ...PLAN.map(({ content, status }) => ({ description: content, status })),
      { description: 'Given up', status: 'cancelled' },
    ];
    expect(planOf({ name: 'write_todos', args: { todos } })).toEqual(PLAN);
  });

  it('is empty for any other arguments', () => {
    for (const args of [{}, { todos: 'x' }, { plan: 5 }, { plan: null }]) {
      for (const name of ['TodoWrite', 'update_plan', 'write_todos']) expect(planOf({ name, args })).toBeUndefined();
    }
    expect(planOf({ name: 'update_plan', args: { plan: [null, 7, { step: {} }] } })).toEqual([]);
    expect(planOf({ name: 'bash', args: { todos: PLAN } })).toBeUndefined();
  });

  it('is taken from the last call that did not fail', () => {
    const call = (state: string, ...contents: string[]) => ({
      ...{ name: 'todo_write', state },
      args: { todos: contents.map((content) => ({ content, status: 'pending' })) },
    });
    const contents = (...calls: ReturnType<typeof call>[]) => latestPlan(calls).map(({ content }) => content);
    expect(contents(call('ok', 'a'), call('ok', 'a', 'b'), call('failed', 'c'))).toEqual(['a', 'b']);
    expect(contents(call('failed', 'a'))).toEqual(['a']);
  });
});
