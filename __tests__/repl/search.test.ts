// What /search shows on a terminal.
import { textWidth } from '../../lib/display/width.ts';
import { createHome } from '../support/cli.ts';
import { openTerminalHere } from '../support/terminal-here.ts';

const PROMPT = /^>( |$)/;

it.each([60, 80, 160])('/search shows short id, title and age of a session, in %d columns', async (columns) => {
  using home = createHome();
  await using terminal = openTerminalHere(['repl', '--provider', 'offline'], {
    columns,
    rows: 40,
    cwd: home.path,
    env: { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path },
  });
  await terminal.waitFor(PROMPT);
  terminal.type('/title Oil for the hinge\r');
  await terminal.waitFor(/^Oil for the hinge$/);
  await terminal.waitFor(PROMPT);
  terminal.type('where is the zeppelin\r');
  await terminal.waitUntil((lines) => lines.filter((line) => PROMPT.test(line)).length > 2, 'the next prompt');
  terminal.type('/search zeppelin\r');
  await terminal.waitFor(/^ollm:[0-9a-f]{8}#\d+ {2}Oil for the hinge · just now · user/);
  for (const line of terminal.lines()) expect(textWidth(line)).toBeLessThanOrEqual(columns);
});

it('/search shows hits during typing, also for the beginning of a word, and updates them as the words change', async () => {
  using home = createHome();
  await using terminal = openTerminalHere(['repl', '--provider', 'offline'], {
    columns: 100,
    rows: 40,
    cwd: home.path,
    env: { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path },
  });
  await terminal.waitFor(PROMPT);
  terminal.type('where is the zeppelin\r');
  await terminal.waitUntil((lines) => lines.filter((line) => PROMPT.test(line)).length > 1, 'the next prompt');
  const shows = (wanted: RegExp) => terminal.waitUntil((lines) => lines.some((line) => wanted.test(line)), `${wanted}`);
  terminal.type('/search zep');
  await shows(/^ollm:[0-9a-f]{8}#\d+ {2}just now .*where is the zeppelin/);
  await shows(/^Enter shows their addresses$/);
  terminal.type('pelin -zeppelin');
  await shows(/^Nothing was found\.$/);
  terminal.type('\u0015/search zepelin');
  await shows(/^Enter shows their addresses · Did you mean: zeppelin$/);
  terminal.type('\r');
  await shows(/^ollm:[0-9a-f]{8}#\d+ .*· user · near/);
  await terminal.waitUntil((lines) => !lines.some((line) => line.startsWith('Enter shows')), 'no menu');
});
