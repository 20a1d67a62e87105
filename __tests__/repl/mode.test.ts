import { readFileSync } from 'node:fs';
import { createHome, parseLines } from '../support/cli.ts';
import { openTerminalHere } from '../support/terminal-here.ts';
import { createTree } from '../support/tree.ts';
import { startToolModel } from './tool-model.ts';

const PROMPT = /^>( |$)/;
const SHIFT_TAB = '\x1b[Z';

describe('the mode at the prompt', () => {
  it.each([40, 120])(
    'changes with Shift+Tab, appears in the status line, and keeps the typed text, in %d columns',
    async (columns) => {
      using home = createHome();
      using project = createTree({ '.git/HEAD': 'ref: refs/heads/main\n' });
      await using terminal = openTerminalHere(['repl', '--provider', 'offline', '--name', 'talk'], {
        columns,
        rows: 30,
        cwd: project.root,
        env: { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path },
      });
      await terminal.waitFor(PROMPT);
      terminal.type(`half a${SHIFT_TAB}`);
      await terminal.waitFor(/^plan · /);
      await terminal.waitFor(/^> half a$/);
      terminal.type(SHIFT_TAB);
      await terminal.waitFor(/^edits · /);
      terminal.type(' line\r');
      await terminal.waitFor(/^> half a line$/);
      await terminal.waitFor(PROMPT);
      terminal.type('/mode\r');
      await terminal.waitFor(/^Mode edits: /);
      for (const other of ['ask', 'plan', 'auto']) await terminal.waitFor(new RegExp(`^/mode ${other}: `));
      await terminal.waitFor(/^Shift\+Tab goes through ask,/);
      const modes = parseLines(readFileSync(home.journal('talk'), 'utf8')).filter(
        ({ type }) => type === 'mode.changed',
      );
      expect(modes.map(({ data }) => (data as { mode: string }).mode)).toEqual(['plan', 'edits']);
    },
  );

  it.each([40, 120])('reports once in a turn why Shift+Tab does not change it, in %d columns', async (columns) => {
    using home = createHome();
    const rest = Promise.withResolvers<void>();
    await using model = await startToolModel({ text: 'I am at it', until: rest.promise, rest: '.' });
    await using terminal = openTerminalHere(['repl', '--provider', 'ollama', '--name', 'talk'], {
      columns,
      rows: 30,
      cwd: home.path,
      env: { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path, OLLAMA_HOST: model.url },
    });
    await terminal.waitFor(PROMPT);
    terminal.type('mend it\r');
    await terminal.waitFor(/I am at it/);
    terminal.type(`${SHIFT_TAB}${SHIFT_TAB}half`);
    await terminal.waitFor(/^› half/);
    rest.resolve();
    await terminal.waitFor(/^> half$/);
    const screen = terminal.lines().join(' ').replaceAll(/\s+/g, ' ');
    expect(screen.split('The mode is changed at the prompt')).toHaveLength(2);
    expect(terminal.lines().join('\n')).not.toMatch(/^(?:plan|edits) · /m);
  });
});
