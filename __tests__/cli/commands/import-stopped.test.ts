// `ollm import` on a terminal, stopped by its user.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, OLLM } from '../../support/cli.ts';
import { openTerminal } from '../../support/terminal.ts';

it('a stopped import leaves no progress bar on the screen, and keeps the sessions that it imported', async () => {
  using home = createHome();
  const folder = join(home.path, '.claude/projects/-home-ada-garden');
  mkdirSync(folder, { recursive: true });
  for (let number = 0; number < 2000; number += 1) {
    const message = { role: 'user', content: `Question ${number}` };
    const record = {
      type: 'user',
      uuid: `u-${number}`,
      timestamp: '2026-01-02T03:04:05.000Z',
      cwd: '/home/ada',
      message,
    };
    writeFileSync(join(folder, `s-${number}.jsonl`), `${JSON.stringify(record)}\n`);
  }
  await using terminal = openTerminal(process.execPath, [OLLM, 'import', '--all'], {
    cwd: home.path,
    env: { PATH: process.env.PATH ?? '', HOME: home.path, OLLM_HOME: home.path },
  });
  await terminal.waitFor(/\d+ of 2,?000/);
  terminal.type('\x03');
  expect(await terminal.exit).toMatchObject({ code: 130 });
  expect(terminal.lines().filter((line) => / of 2,?000/.test(line))).toEqual([]);
  const { stdout } = await home.run(['list', '--agent', 'ollm', '--json', '--limit', '5']);
  expect((JSON.parse(stdout) as unknown[]).length).toBeGreaterThan(0);
});
