import { createHome, OLLM } from '../support/cli.ts';
import { openTerminal } from '../support/terminal.ts';

it('a REPL that was only opened leaves no session, and says so', async () => {
  using home = createHome();
  const options = { cwd: home.path, env: { PATH: process.env.PATH ?? '', HOME: home.path, OLLM_HOME: home.path } };
  await using terminal = openTerminal(process.execPath, [OLLM, 'repl', '--provider', 'offline'], options);
  await terminal.waitFor(/^>( |$)/);
  terminal.type('/quit\r');
  await terminal.waitFor(/Nothing was said: session [0-9a-f-]+ was not kept\./);
  expect(await terminal.exit).toMatchObject({ code: 0 });
  expect((await home.run(['list', '--json'])).stdout).toBe('[]\n');
});
