// Continuing a session: the part of it that the screen shows, and the ways to name it.
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, type Home } from '../support/cli.ts';
import { writeSessionsOfOthers } from '../support/sessions-of-others.ts';
import type { Terminal } from '../support/terminal.ts';
import { openTerminalHere } from '../support/terminal-here.ts';

const PROMPT = /^>( |$)/;
const CTRL_D = '\x04';
const ESCAPE = '\x1b';
const DOWN = '\x1b[B';

function open(home: Home, args: readonly string[], { columns = 80, rows = 24, cwd = home.path } = {}): Terminal {
  return openTerminalHere([...args], {
    columns,
    rows,
    cwd,
    env: { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path },
  });
}

const said = (role: 'user' | 'assistant', text: string) => ({
  type: 'message.added',
  data: { role, parts: [{ type: 'text', text }], trusted: role === 'user' },
});
const ANSWER = '# Masts\n\nIt is **nine** metres long:\n\n- [x] measured\n- [ ] painted';

/** Made once, by the program. Each test gets a copy of the journals; the projects are not changed. */
let made: Home;
let projects: { readonly boat: string; readonly garden: string };
beforeAll(async () => {
  made = createHome();
  const [boat, garden] = ['boat', 'garden'].map((name) => join(made.path, name)) as [string, string];
  projects = { boat, garden };
  for (const [name, cwd] of [
    ['mast', boat],
    ['roses', garden],
  ] as const) {
    mkdirSync(join(cwd, '.git'), { recursive: true });
    const { exitCode, stderr } = await made.run(['ask', '--provider', 'offline', '--name', name, `About ${name}`], {
      cwd,
    });
    expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
  }
  await made.append('mast', [said('user', 'How long is the mast?'), said('assistant', ANSWER)]);
});
afterAll(() => made[Symbol.dispose]());

/** Sessions in two projects, the last one first. */
function withSessions(home: Home) {
  cpSync(made.sessions, home.sessions, { recursive: true, preserveTimestamps: true });
  return projects;
}
const shows = (wanted: string | RegExp) => (lines: readonly string[]) =>
  lines.some((line) => (typeof wanted === 'string' ? line.includes(wanted) : wanted.test(line)));
const leave = async (terminal: Terminal) => {
  await terminal.waitFor(PROMPT);
  terminal.type(CTRL_D);
  expect((await terminal.exit).code).toBe(0);
};

describe('a resumed session', () => {
  it.each([40, 80, 120])('shows its last exchange at %i columns unchanged, and no earlier one', async (columns) => {
    using home = createHome();
    const { boat } = withSessions(home);
    await using terminal = open(home, ['--resume', 'mast', '--provider', 'offline'], { columns, cwd: boat });
    await terminal.waitFor(/^> How long is the mast\?$/);
    await terminal.waitFor('It is nine metres long:');
    await terminal.waitFor('☑ measured');
    await terminal.waitFor('☐ painted');
    expect(terminal.lines().join('\n')).not.toContain('About mast');
    await leave(terminal);
  });

  it('shows any message whole by its number', async () => {
    using home = createHome();
    const { boat } = withSessions(home);
    await using terminal = open(home, ['--resume', 'mast', '--provider', 'offline'], { cwd: boat });
    await terminal.waitFor('painted');
    await terminal.waitFor(PROMPT);
    terminal.type('/history\r');
    await terminal.waitFor(/^ +\d+ model: # Masts/);
    const number = /^ *(\d+) model: # Masts/m.exec(terminal.lines().join('\n'))![1];
    await terminal.waitFor(PROMPT);
    terminal.type(`/history ${number}\r`);
    await terminal.waitFor('It is nine metres long:');
    await leave(terminal);
  });

  it('with -c is the last one of this project, and is refused if there is none', async () => {
    using home = createHome();
    const { boat } = withSessions(home);
    await using terminal = open(home, ['-c', '--provider', 'offline'], { cwd: boat });
    await terminal.waitFor('Session mast, resumed.');
    await leave(terminal);
    const third = join(home.path, 'third');
    mkdirSync(join(third, '.git'), { recursive: true });
    const none = await home.run(['-c'], { cwd: third });
    expect(none.stderr).toMatch(/There is no session of .* yet/);
    expect(none.exitCode).toBe(3);
  });

  it('with --resume is chosen from a list, which typing filters and which has a preview', async () => {
    using home = createHome();
    const { boat } = withSessions(home);
    await using terminal = open(home, ['--resume', '--provider', 'offline'], { cwd: boat });
    await terminal.waitUntil(shows('Which session? 2'), 'the list');
    terminal.type(DOWN);
    await terminal.waitUntil(shows(/^▸ .*garden|^▸ .*boat/), 'the second one');
    terminal.type('nothing like it');
    await terminal.waitUntil(shows('Which session? 0'), 'the empty list');
    terminal.type('\x15mast');
    await terminal.waitUntil(shows(/^▸ .*boat · /), 'the one that is meant');
    await terminal.waitUntil(shows('messages ·'), 'its preview');
    const before = terminal.raw().length;
    terminal.resize(50, 15);
    await terminal.waitUntil(() => terminal.raw().length > before, 'that it is drawn again');
    await terminal.waitUntil((lines) => lines.at(-1) === '› mast', 'the end of that');
    terminal.type('\r');
    await terminal.waitFor('Session mast, resumed.');
    expect(terminal.lines().join('\n')).not.toContain('Which session?');
    await leave(terminal);
  });

  it('is listed with its first question if it has a name, and is found by both', async () => {
    using home = createHome();
    const args = ['ask', 'How long is the mast?', '--provider', 'offline', '--name', 'C++'];
    expect((await home.run(args)).exitCode).toBe(0);
    await using terminal = open(home, ['--resume'], { cwd: home.path });
    await terminal.waitUntil(shows(/^▸ How long is the mast\?/), 'the question');
    terminal.type('c++');
    await terminal.waitUntil(shows('Which session? 1'), 'that it is found by its name');
    terminal.type(ESCAPE);
    expect((await terminal.exit).code).toBe(0);
  });

  it('is not opened if the user leaves the list', async () => {
    using home = createHome();
    const { boat } = withSessions(home);
    await using terminal = open(home, ['--resume'], { cwd: boat });
    await terminal.waitUntil(shows('Which session? 2'), 'the list');
    terminal.type(ESCAPE);
    expect((await terminal.exit).code).toBe(0);
    expect(terminal.raw()).toContain('\x1b[?2004l');
  });

  it('can be chosen with /load, which returns to the prompt if the user leaves the list', async () => {
    using home = createHome();
    const { boat } = withSessions(home);
    await using terminal = open(home, ['--resume', 'roses', '--provider', 'offline'], { cwd: boat });
    await terminal.waitFor('Session roses, resumed.');
    await terminal.waitFor(PROMPT);
    terminal.type('/load\r');
    await terminal.waitUntil(shows('Which session? 1'), 'the list');
    terminal.type(`y${ESCAPE}`);
    await terminal.waitUntil((lines) => lines.at(-1) === '>', 'the prompt');
    terminal.type('/load\r');
    await terminal.waitUntil(shows('Which session? 1'), 'the list');
    terminal.type('\r');
    await terminal.waitUntil(shows('Session mast, resumed.'), 'the session');
    await terminal.waitUntil((lines) => lines.at(-1) === '>', 'the prompt');
    terminal.type(CTRL_D);
    expect((await terminal.exit).code).toBe(0);
  });
});

describe('a session of a foreign program', () => {
  it.each([40, 80, 120])('is in the list, and continues in a copy, at %i columns', async (columns) => {
    using home = createHome();
    writeSessionsOfOthers(home.path);
    const { boat } = withSessions(home);
    await using terminal = open(home, ['--resume', '--provider', 'offline'], { columns, cwd: boat });
    await terminal.waitUntil(shows('Which session? 4'), 'the list');
    terminal.type('deadlock claude');
    await terminal.waitUntil(shows('Which session? 1'), 'the one that is meant');
    await terminal.waitUntil(shows('claude:5f3c0a52'), 'its address');
    terminal.type('\r');
    await terminal.waitUntil(shows(/resumed\.$/), 'the session');
    await terminal.waitUntil(shows(/^> Why do two writers deadlock\?$/), 'what was said');
    await leave(terminal);
  });

  it('is offered by /load', async () => {
    using home = createHome();
    writeSessionsOfOthers(home.path);
    const { boat } = withSessions(home);
    await using terminal = open(home, ['--resume', 'roses', '--provider', 'offline'], { cwd: boat });
    await terminal.waitFor('Session roses, resumed.');
    await terminal.waitFor(PROMPT);
    terminal.type('/load\r');
    await terminal.waitUntil(shows('Which session? 3'), 'the list');
    terminal.type('codex\r');
    await terminal.waitUntil(shows(/^> Write a test for the deadlock/), 'what was said');
    await terminal.waitUntil((lines) => lines.at(-1) === '>', 'the prompt');
    terminal.type(CTRL_D);
    expect((await terminal.exit).code).toBe(0);
  });
});

describe('a question on the command line', () => {
  it('is sent first', async () => {
    using home = createHome();
    await using terminal = open(home, ['where is it?', '--provider', 'offline', '--name', 'talk']);
    await terminal.waitFor(/^> where is it\?$/);
    await terminal.waitFor('not a language model');
    await leave(terminal);
    expect(readFileSync(home.journal('talk'), 'utf8')).toContain('"input":"where is it?"');
  });

  it('needs a terminal if a session is to be chosen from a list', async () => {
    using home = createHome();
    for (const args of [['where is it?'], ['--resume']]) {
      const { exitCode, stderr } = await home.run(args);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('needs a terminal');
    }
  });
});
