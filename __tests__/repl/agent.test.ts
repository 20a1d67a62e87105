// A subagent as the user sees it: its steps below the turn, the name of the agent that asks, and its result; at three
// widths, on a terminal that cannot move its cursor, and through a pipe.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { textWidth } from '../../lib/display/width.ts';
import { createHome } from '../support/cli.ts';
import { linesWith, pressKey } from '../support/press-key.ts';
import { openTerminalHere } from '../support/terminal-here.ts';
import { createTree } from '../support/tree.ts';
import { startToolModel } from './tool-model.ts';

const PROMPT = /^>( |$)/;
const BEGINS = { calls: [{ name: 'agent', args: { task: 'Make a note of it', tools: ['file_write'] } }] };
const WRITES = { calls: [{ name: 'file_write', args: { path: 'note.md', content: 'noted\n' } }] };
const READS = { calls: [{ name: 'agent', args: { task: 'Look for notes' } }] };

it.each([
  [40, {}],
  [80, {}],
  [120, {}],
  [80, { TERM: 'dumb' }],
])(
  'a question about a call names the agent that asks, and the result is shown, in %d columns with %j',
  async (columns, env) => {
    using home = createHome();
    writeFileSync(join(home.path, 'config.yaml'), JSON.stringify({ prices: { 'tooled*': { input: 10, output: 20 } } }));
    using project = createTree({ '.git/HEAD': 'ref: refs/heads/main\n' });
    await using model = await startToolModel(BEGINS, WRITES, { text: 'It is noted.' }, { text: 'The end.' });
    await using terminal = openTerminalHere(['repl', '--provider', 'ollama', '--name', 'talk'], {
      columns,
      rows: 30,
      cwd: project.root,
      env: { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path, OLLAMA_HOST: model.url, ...env },
    });
    await terminal.waitFor(PROMPT);
    terminal.type('note it\r');
    await terminal.waitFor(/^for the agent “Make a note of it”:/);
    await terminal.waitFor(/^file_write asks:/);
    await pressKey(terminal, 'y', () => linesWith(terminal, '│ It is noted.') > 0);
    expect(terminal.lines().join('\n')).toContain('✓ agent: Make a note of it');
    await terminal.waitFor(/The end\./);
    await terminal.waitFor(PROMPT);
    // Two requests of the conversation and two of its agent, $0.002 each.
    if (columns >= 80) expect(terminal.lines().join('\n')).toMatch(/^tooled:latest · .* · \$0\.0080$/m);
    terminal.type('/usage\r');
    await terminal.waitFor(/1 agent beside this/);
    await terminal.waitFor(PROMPT);
    for (const line of terminal.lines()) expect(textWidth(line)).toBeLessThanOrEqual(columns);
  },
);

it.each([
  [40, /^\S \d+ s · agent: List the file/],
  [80, /^\S \d+ s · agent: List the files in the project · 1 request · Ctrl\+C/],
  [120, /^\S \d+ s · agent: List the files in the project · 1 request · Ctrl\+C cancels/],
])('the bottom line shows the current step of a subagent, in %d columns', async (columns, bottom) => {
  using home = createHome();
  using project = createTree({ '.git/HEAD': 'ref: refs/heads/main\n' });
  const rest = Promise.withResolvers<void>();
  const LISTS = { calls: [{ name: 'list_files', args: {} }] };
  const stalls = { text: 'I', until: rest.promise, rest: ' see.' };
  await using model = await startToolModel(READS, LISTS, stalls, { text: 'The end.' });
  await using terminal = openTerminalHere(['repl', '--provider', 'ollama', '--name', 'talk'], {
    columns,
    rows: 30,
    cwd: project.root,
    env: { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path, OLLAMA_HOST: model.url },
  });
  await terminal.waitFor(PROMPT);
  terminal.type('look\r');
  await terminal.waitUntil((lines) => lines.some((line) => bottom.test(line)), 'what the agent does');
  rest.resolve();
  await terminal.waitFor(/✓ agent: Look for notes/);
  await terminal.waitFor(/The end\./);
  await terminal.waitFor(PROMPT);
});

it('a subagent is one line through a pipe, and its session is not listed', async () => {
  using home = createHome();
  using project = createTree({ '.git/HEAD': 'ref: refs/heads/main\n' });
  await using model = await startToolModel(READS, { text: 'None.' }, { text: 'The end.' });
  const env = { OLLAMA_HOST: model.url };
  const { stdout, stderr } = await home.here(['repl', '--provider', 'ollama', '--name', 'talk'], {
    input: 'look\n',
    env,
    cwd: project.root,
  });
  expect(stdout).toContain('The end.');
  expect(stderr).toContain('✓ agent: Look for notes');
  const listed = JSON.parse((await home.here(['list', '--json'])).stdout) as { id: string }[];
  expect(listed.map(({ id }) => id)).toEqual(['talk']);
  expect((await home.here(['show', 'talk'])).stdout).toMatch(/^agents +agent-[0-9a-f]{8}-talk$/m);
});

it('the session of a subagent goes to the trash with its parent, and is restored with it', async () => {
  using home = createHome();
  using project = createTree({ '.git/HEAD': 'ref: refs/heads/main\n' });
  await using model = await startToolModel(READS, { text: 'None.' }, { text: 'The end.' });
  const options = { env: { OLLAMA_HOST: model.url }, cwd: project.root };
  await home.here(['repl', '--provider', 'ollama', '--name', 'talk'], { input: 'look\n', ...options });
  const replayed = await home.here(['replay', 'talk']);
  const agent = /^Its agents have sessions of their own: (agent-[0-9a-f]{8}-talk)\.$/m.exec(replayed.stderr)![1]!;
  expect((await home.here(['delete', 'talk'])).stdout).toBe(
    'Deleted talk, with the 1 session of its agents. "ollm restore talk" brings it back.\n',
  );
  expect((await home.here(['show', agent])).exitCode).toBe(3);
  const back = await home.here(['restore', 'talk', '--json']);
  expect(JSON.parse(back.stdout)).toEqual({ id: 'talk', agents: [agent] });
  expect((await home.here(['show', agent])).exitCode).toBe(0);
  await home.here(['delete', 'talk', '--purge', '--yes']);
  expect((await home.here(['restore'])).stderr).toBe('The trash is empty.\n');
});
