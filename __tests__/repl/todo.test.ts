// The list of tasks, as the model writes it and the user sees it: at three widths, on a terminal that cannot
// move its cursor, through a pipe, and in a session that continues.
import { textWidth } from '../../lib/display/width.ts';
import { createHome } from '../support/cli.ts';
import { openTerminalHere } from '../support/terminal-here.ts';
import { startToolModel } from './tool-model.ts';

const PROMPT = /^>( |$)/;
const LONG = 'Mend the hinge of the door to the garden, and oil it afterwards';
const write = (...todos: readonly (readonly [string, string])[]) => ({
  calls: [{ name: 'todo_write', args: { todos: todos.map(([content, status]) => ({ content, status })) } }],
});
const PLAN = write(['Read the code', 'completed'], [LONG, 'in_progress'], ['Run the \x1b[31mtests', 'pending']);

async function scene(columns: number, env: Readonly<Record<string, string>> = {}) {
  const home = createHome();
  const rest = Promise.withResolvers<void>();
  const model = await startToolModel(PLAN, { text: 'I am at it', until: rest.promise, rest: '.' });
  const terminal = openTerminalHere(['repl', '--provider', 'ollama', '--name', 'talk'], {
    columns,
    rows: 30,
    cwd: home.path,
    env: { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path, OLLAMA_HOST: model.url, ...env },
  });
  await terminal.waitFor(PROMPT);
  terminal.type('mend it\r');
  return {
    terminal,
    finish: rest.resolve,
    async [Symbol.asyncDispose]() {
      rest.resolve();
      await terminal[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

describe.each([40, 80, 120])('the to-do list at %d columns', (columns) => {
  it('is shown whole at each change, its current entry is in the bottom line, and /todo shows it again', async () => {
    await using its = await scene(columns);
    const { terminal } = its;
    await terminal.waitFor(/│ ☑ Read the code$/);
    await terminal.waitFor(/│ ▸ Mend the hinge/);
    await terminal.waitFor(/│ ☐ Run the tests$/);
    await terminal.waitUntil(
      (lines) => lines.some((line) => (columns === 40 ? / s · writing, / : / · ▸ Mend the hinge.* · Ctrl/).test(line)),
      'the bottom line',
    );
    terminal.type('/todo\r');
    await terminal.waitFor(/^ {2}▸ Mend the hinge/);
    await terminal.waitFor(/^ {2}1 of 3 done\.$/);
    its.finish();
    await terminal.waitFor(PROMPT);
    for (const line of terminal.lines()) expect(textWidth(line)).toBeLessThanOrEqual(columns);
    expect(
      terminal
        .lines()
        .join(' ')
        .replaceAll(/[\s│]+/g, ' '),
    ).toContain(LONG);
  });
});

it('the to-do list is drawn whole once, then only its changes, and leaves the bottom line in a later turn without a list', async () => {
  using home = createHome();
  const rest = Promise.withResolvers<void>();
  const next = write(['Read the code', 'completed'], [LONG, 'completed'], ['Run the tests', 'in_progress']);
  await using model = await startToolModel(
    PLAN,
    next,
    { text: 'Halfway.' },
    { text: 'By the', until: rest.promise, rest: ' way.' },
  );
  await using terminal = openTerminalHere(['repl', '--provider', 'ollama', '--name', 'talk'], {
    columns: 120,
    rows: 40,
    cwd: home.path,
    env: { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path, OLLAMA_HOST: model.url },
  });
  await terminal.waitFor(PROMPT);
  terminal.type('mend it\r');
  await terminal.waitFor('Halfway.');
  await terminal.waitFor(PROMPT);
  expect(terminal.lines().filter((line) => line.includes('│ '))).toEqual([
    '  │ ☑ Read the code',
    `  │ ▸ ${LONG}`,
    '  │ ☐ Run the tests',
    `  │ ☑ ${LONG}`,
    '  │ ▸ Run the tests',
  ]);
  terminal.type('and?\r');
  await terminal.waitUntil((lines) => lines.some((line) => / s · writing, .*Ctrl\+C/.test(line)), 'the bottom line');
  expect(terminal.lines().findLast((line) => line.includes(' s · writing'))).not.toContain('▸');
  rest.resolve();
  await terminal.waitFor('By the way.');
});

it('a to-do list is shown on a terminal that cannot move its cursor', async () => {
  await using its = await scene(80, { TERM: 'dumb' });
  its.finish();
  await its.terminal.waitFor(/│ ☑ Read the code$/);
  await its.terminal.waitFor(/│ ☐ Run the tests$/);
  await its.terminal.waitFor(PROMPT);
});

it('a to-do list is one line through a pipe, and stays in the resumed session until an undo removes it', async () => {
  using home = createHome();
  await using model = await startToolModel(PLAN, { text: 'Done.' }, PLAN, { text: 'Done.' });
  const env = { OLLAMA_HOST: model.url };
  const first = await home.run(['repl', '--provider', 'ollama', '--name', 'talk'], { input: 'mend it\n', env });
  expect(first.stderr).toContain(`✓ todo_write: 1 of 3 done, now: ${LONG}`);
  const second = await home.run(['repl', '--resume', 'talk'], { input: '/todo\n/undo\n/todo\n', env });
  expect(second.stdout).toMatch(/☑ Read the code\n {2}▸ Mend .*\n {2}☐ Run the tests\n {2}1 of 3 done\.\n/);
  expect(second.stdout).toContain('There is no list of what is to do.');
});

it('a to-do list may be written in plan mode, and is in the last exchange of a resumed session', async () => {
  using home = createHome();
  await using model = await startToolModel(PLAN, { text: 'That is my plan.' });
  const env = { OLLAMA_HOST: model.url };
  const args = ['ask', '--provider', 'ollama', '--mode', 'plan', '--name', 'talk', 'plan it'];
  expect((await home.run(args, { env })).exitCode).toBe(0);
  await using terminal = openTerminalHere(['repl', '--resume', 'talk'], {
    columns: 80,
    rows: 30,
    cwd: home.path,
    env: { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path, ...env },
  });
  await terminal.waitFor(/│ ▸ Mend the hinge/);
  await terminal.waitFor(/That is my plan\./);
  await terminal.waitFor(PROMPT);
});
