// The text typed before the first prompt of a real terminal, which echoes it until the program takes its keys.
import { createHome, OLLM } from '../support/cli.ts';
import { openTerminal } from '../support/terminal.ts';

const CTRL_D = '\x04';

describe('text typed before the first prompt', () => {
  it.each(['xterm-256color', 'dumb'])('appears in the line there, and begins no row of output, on %s', async (TERM) => {
    using home = createHome();
    await using terminal = openTerminal(process.execPath, [OLLM, 'repl', '--provider', 'offline', '--name', 'talk'], {
      cwd: home.path,
      env: { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path, TERM },
    });
    terminal.type('/title early');
    await terminal.waitUntil((lines) => lines.includes('> /title early'), 'the text in the line');
    const rows = terminal.lines().filter((line) => line.includes('early') && !line.startsWith('> '));
    expect(rows).toEqual(TERM === 'dumb' ? ['/title early'] : []);
    terminal.type(' bird\r');
    await terminal.waitFor(/^early bird$/);
    await terminal.waitUntil((lines) => lines.at(-1) === '>', 'the next prompt');
    terminal.type(CTRL_D);
    expect((await terminal.exit).code).toBe(0);
  });
});
