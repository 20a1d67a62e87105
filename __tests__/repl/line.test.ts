// The line at the prompt of a real terminal: the menu of commands below it while it is typed, the keys of vi in it, and
// its colors by the background of the terminal.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, type Home } from '../support/cli.ts';
import type { Terminal } from '../support/terminal.ts';
import { openTerminalHere } from '../support/terminal-here.ts';
import { until } from '../support/until.ts';

const PROMPT = /^>( |$)/;
const ESCAPE = '\x1b';
const DOWN = '\x1b[B';
const shows = (wanted: RegExp) => (lines: readonly string[]) => lines.some((line) => wanted.test(line));
const showsNo = (wanted: RegExp) => (lines: readonly string[]) => !lines.some((line) => wanted.test(line));

function homeWith(config = '{}\n'): Home {
  const home = createHome();
  for (const directory of ['project/.git', '.ollm']) mkdirSync(join(home.path, directory), { recursive: true });
  writeFileSync(join(home.path, '.ollm/config.yaml'), config);
  return home;
}

function open(home: Home, { columns = 80, rows = 24, env = {} as Readonly<Record<string, string>> } = {}): Terminal {
  return openTerminalHere(['repl', '--provider', 'offline', '--name', 'talk'], {
    columns,
    rows,
    cwd: join(home.path, 'project'),
    env: { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: join(home.path, '.ollm'), ...env },
  });
}

const atCursor = (terminal: Terminal, text: string) => until(() => terminal.beforeCursor() === text);

describe('the menu of commands', () => {
  it.each([40, 80, 120])(
    'is below the line during typing, and leaves no rows on the screen, at %i columns',
    async (columns) => {
      using home = homeWith();
      await using terminal = open(home, { columns });
      await terminal.waitFor(PROMPT);
      terminal.type('/');
      await terminal.waitUntil(shows(/^\/history +lists/), 'the commands');
      await terminal.waitUntil(shows(/more · Tab or ↓ chooses/), 'how to choose');
      await atCursor(terminal, '> /');
      terminal.type('qu');
      await terminal.waitUntil(shows(/^\/queue +shows/), 'those that begin so');
      await terminal.waitUntil(showsNo(/^\/history/), 'no others');
      terminal.type('eue');
      await terminal.waitUntil(shows(/^\/queue \[rm N/), 'how the one is used');
      expect(Math.max(...terminal.lines().map((line) => line.length))).toBeLessThanOrEqual(columns);
      terminal.type('\x15hello');
      await terminal.waitUntil((lines) => lines.at(-1) === '> hello', 'the line alone');
      terminal.type('\x15/ti');
      await terminal.waitUntil(shows(/^\/title \[TEXT\]/), 'another one');
      terminal.type('tle sails\r');
      await terminal.waitUntil(shows(/^sails$/), 'what the command says');
      expect(terminal.lines().filter((line) => line.startsWith('/title'))).toEqual([]);
    },
  );

  it('selects a command with the arrow', async () => {
    using home = homeWith();
    await using terminal = open(home);
    await terminal.waitFor(PROMPT);
    terminal.type('/');
    await terminal.waitUntil(shows(/chooses/), 'the menu');
    terminal.type(DOWN);
    await terminal.waitUntil(shows(/^Which command\?/), 'the list');
    terminal.type('cost of\r');
    await terminal.waitUntil(shows(/^> \/usage$/), 'the chosen one');
  });

  it('stays small on a low screen and follows the width', async () => {
    using home = homeWith();
    await using terminal = open(home, { rows: 8 });
    await terminal.waitFor(PROMPT);
    terminal.type('/');
    await terminal.waitUntil(shows(/^\/editor/), 'the commands that have room');
    terminal.resize(40, 8);
    await terminal.waitUntil(
      (lines) => lines.filter((line) => line.startsWith('/history')).length === 1,
      'the menu at the new width',
    );
    await atCursor(terminal, '> /');
  });

  it('is not drawn on a terminal that cannot move its cursor', async () => {
    using home = homeWith();
    await using terminal = open(home, { env: { TERM: 'dumb' } });
    await terminal.waitFor(PROMPT);
    terminal.type('/title sails');
    await terminal.waitUntil(shows(/> \/title sails$/), 'the line');
    terminal.type('\r');
    await terminal.waitUntil(shows(/^sails$/), 'what the command says');
    expect(terminal.lines().join('\n')).not.toContain('[TEXT]');
  });
});

describe('the keys of vi', () => {
  it.each([40, 80, 120])('edit the line at %i columns', async (columns) => {
    using home = homeWith('repl: { keys: vi }\n');
    writeFileSync(join(home.path, '.ollm/history'), '"paint the mast"\n');
    await using terminal = open(home, { columns });
    await terminal.waitFor(PROMPT);
    terminal.type('fix the old mast');
    await atCursor(terminal, '> fix the old mast');
    terminal.type(ESCAPE);
    await terminal.waitUntil(shows(/^< fix the old mast$/), 'that letters are commands');
    terminal.type('bbdw');
    await terminal.waitUntil(shows(/^< fix the mast$/), 'the line without the word');
    terminal.type('u');
    await terminal.waitUntil(shows(/^< fix the old mast$/), 'the line with it');
    terminal.type('cwnew');
    await terminal.waitUntil(shows(/^> fix the new mast$/), 'the other word');
    terminal.type(ESCAPE);
    await terminal.waitUntil(shows(/^< fix/), 'commands again');
    terminal.type('k');
    await terminal.waitUntil(shows(/^< paint the mast$/), 'earlier input');
    terminal.type('ccsails');
    await terminal.waitUntil(shows(/^> sails$/), 'another text');
    terminal.type('\r');
    await terminal.waitUntil((lines) => /^>( |$)/.test(lines.at(-1)!), 'the next prompt');
    terminal.type('typed');
    await atCursor(terminal, '> typed');
  });

  it('are off by default', async () => {
    using home = homeWith();
    await using terminal = open(home);
    await terminal.waitFor(PROMPT);
    terminal.type(`sails${ESCAPE}`);
    terminal.type('x');
    await until(() => terminal.beforeCursor().startsWith('> sails'));
    expect(terminal.lines().at(-1)).toMatch(/^> sails/);
  });
});

it('nothing of a menu is written to a pipe', async () => {
  using home = homeWith('repl: { keys: vi, theme: light }\n');
  const { stdout, stderr, exitCode } = await home.run(['repl', '--provider', 'offline', '--name', 'talk'], {
    cwd: join(home.path, 'project'),
    env: { OLLM_HOME: join(home.path, '.ollm') },
    input: '/title sails\n',
  });
  expect(exitCode).toBe(0);
  expect(stdout + stderr).toContain('sails');
  expect(stdout + stderr).not.toContain('\x1b');
});

describe('the colours', () => {
  const LIGHT = '\x1b]11;rgb:ffff/ffff/ffff\x1b\\';
  const QUESTION = '\x1b]11;?\x07';

  it('suit a light background if the terminal reports one', async () => {
    using home = homeWith();
    await using terminal = open(home);
    await terminal.waitFor(PROMPT);
    expect(terminal.raw()).toContain(QUESTION);
    terminal.type(LIGHT);
    terminal.type('/title sails\r');
    await until(() => terminal.raw().includes('\x1b[38;5;28m> \x1b[39m'));
    expect(terminal.lines().join('\n')).not.toContain('rgb:');
  });

  it.each([
    ['the user says so', 'repl: { theme: light }\n', {}, true],
    ['there are none', '{}\n', { NO_COLOR: '1' }, false],
    ['the screen is dark by the settings', 'repl: { theme: dark }\n', {}, false],
  ])('are not requested from the terminal if %s', async (_what, config, env, isLight) => {
    using home = homeWith(config);
    await using terminal = open(home, { env });
    await terminal.waitFor(PROMPT);
    expect(terminal.raw()).not.toContain(QUESTION);
    expect(terminal.raw().includes('\x1b[38;5;28m> ')).toBe(isLight);
  });
});
