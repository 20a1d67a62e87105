// The first screen of the REPL.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { textWidth } from '../../lib/display/width.ts';
import { VERSION } from '../../lib/version.ts';
import { createHome, type Home } from '../support/cli.ts';
import { openTerminalHere } from '../support/terminal-here.ts';

const PROMPT = /^>( |$)/;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-/;

function open(home: Home, columns: number, args: readonly string[] = []) {
  const cwd = join(home.path, 'a-project');
  mkdirSync(cwd, { recursive: true });
  const env = { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path };
  return openTerminalHere(['repl', '--provider', 'offline', ...args], { columns, rows: 30, cwd, env });
}

describe('the first screen', () => {
  it.each([40, 80, 160])(
    'names the program, the directory, the mode and the first keys at %i columns',
    async (columns) => {
      using home = createHome();
      await using terminal = open(home, columns);
      await terminal.waitFor(PROMPT);
      const lines = terminal.lines();
      expect(lines[0]).toBe(`ollm ${VERSION} · ~/a-project · mode ask`);
      const text = lines.join('\n');
      expect(text).toMatch(/^Type.*\/help$/m);
      expect(text).not.toMatch(UUID);
      expect(text).not.toMatch(/\? tokens|Model: search/);
      for (const line of lines) expect(textWidth(line)).toBeLessThan(columns);
    },
  );

  it('begins with the mode that the user named', async () => {
    using home = createHome();
    await using terminal = open(home, 80, ['--mode', 'plan']);
    await terminal.waitFor(PROMPT);
    expect(terminal.lines()[0]).toBe(`ollm ${VERSION} · ~/a-project · mode plan`);
  });

  it('names a session that has a name, and makes no suggestions once the session continues', async () => {
    using home = createHome();
    {
      await using terminal = open(home, 80, ['--name', 'talk']);
      await terminal.waitFor('Session talk, new.');
      await terminal.waitFor(PROMPT);
      terminal.type('hello\r');
      await terminal.waitUntil((lines) => lines.filter((line) => PROMPT.test(line)).length > 1, 'the next prompt');
    }
    await using terminal = open(home, 80, ['--resume', 'talk']);
    await terminal.waitFor('Session talk, resumed.');
    await terminal.waitFor(PROMPT);
    expect(terminal.lines().join('\n')).not.toContain('/help');
  });
});
