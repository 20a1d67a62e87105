// What /search shows on a terminal.
import { textWidth } from '../../lib/display/width.ts';
import { createHome } from '../support/cli.ts';
import { openTerminalHere } from '../support/terminal-here.ts';

const PROMPT = /^>( |$)/;

it.each([60, 80, 160])('/search has a short id, the title and how long ago it was, in %d columns', async (columns) => {
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
